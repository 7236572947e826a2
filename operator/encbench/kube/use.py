"""Whether a Secret's owner lets encbench use it."""

from typing import Any

from encbench.kube.labels import CREDENTIALS, KEY, USE

_AS = {KEY: "an encryption key", CREDENTIALS: "a login"}


def unmarked(secret: dict[str, Any], use: str) -> str | None:
    """What its owner has to do first; None if the Secret is marked for this use."""
    meta = secret["metadata"]
    if (meta.get("labels") or {}).get(USE) == use:
        return None
    name, namespace = meta["name"], meta["namespace"]
    return (
        f"Secret {name} is not marked for use as {_AS[use]}: kubectl label secret {name} "
        f"--namespace {namespace} {USE}={use}"
    )
