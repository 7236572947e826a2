"""Which StorageClass makes the volumes of claims that name none."""

from typing import Any

_DEFAULT = "storageclass.kubernetes.io/is-default-class"


def is_default(body: dict[str, Any]) -> bool:
    """Whether a StorageClass is marked as the cluster's default."""
    return (body["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"
