"""Whether the owner of a Secret or of a volume claim lets encbench use it."""

from typing import Any

from encbench.kube.labels import CREDENTIALS, DRIVER, KEY, USE

_AS = {KEY: "an encryption key", CREDENTIALS: "a login", DRIVER: "the source of a JDBC driver"}
_CONTENT = {KEY: "the key", CREDENTIALS: "the login", DRIVER: "the driver"}


def unmarked(body: dict[str, Any], use: str) -> str | None:
    """What its owner has to do first; None if the object is marked for this use."""
    kind, meta = body["kind"], body["metadata"]
    mark = (meta.get("labels") or {}).get(USE)
    if mark == use:
        return None
    name, namespace = meta["name"], meta["namespace"]
    if mark in _AS:
        return (
            f"{kind} {name} is marked for use as {_AS[mark]}: put {_CONTENT[use]} into a {kind} of "
            f"its own, with the label {USE}={use}"
        )
    overwrite = "" if mark is None else " --overwrite"
    return (
        f"{kind} {name} is not marked for use as {_AS[use]}: kubectl label {kind.lower()} {name} "
        f"--namespace {namespace} {USE}={use}{overwrite}"
    )
