"""Modes that encrypt columns, and the key that a user has for them."""

import base64
from typing import Any

from encbench.api.kinds import ENCRYPTION_MODE
from encbench.kube import labels
from encbench.ports import Body
from tests.support import manifests
from tests.unit.reconcile.world import SPACE

KEY = "00112233445566778899aabbccddeeff"
HOP: dict[str, Any] = {"method": "confidential", "ratio": 0}


def mode(name: str, **spec: Any) -> Body:
    """A mode of that name."""
    return manifests.body(ENCRYPTION_MODE, name, SPACE, **spec)


def key(text: str, entry: str = "mek") -> Body:
    """A Secret that is marked as a key, with this text in one entry."""
    data = {entry: base64.b64encode(text.encode()).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mine", "namespace": SPACE, "labels": {labels.USE: labels.KEY}},
        "data": data,
    }
