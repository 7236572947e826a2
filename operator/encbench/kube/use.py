"""Whether the owner of a Secret or of a volume claim lets encbench use it."""

from typing import Any

from encbench.kube.labels import CREDENTIALS, DRIVER, KEY, USE

_AS = {KEY: "an encryption key", CREDENTIALS: "a login", DRIVER: "the source of a JDBC driver"}


def unmarked(body: dict[str, Any], use: str) -> str | None:
    """What its owner has to do first; None if the object is marked for this use."""
    kind, meta = body["kind"], body["metadata"]
    if (meta.get("labels") or {}).get(USE) == use:
        return None
    name, namespace = meta["name"], meta["namespace"]
    return (
        f"{kind} {name} is not marked for use as {_AS[use]}: kubectl label {kind.lower()} {name} "
        f"--namespace {namespace} {USE}={use}"
    )
