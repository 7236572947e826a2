"""Secrets as Kubernetes takes them: entries are text or bytes here and base64 there."""

import base64
from collections.abc import Mapping
from typing import Any

Body = dict[str, Any]


def secret(metadata: Body, entries: Mapping[str, str]) -> Body:
    """A Secret, immutable once created."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "type": "Opaque",
        "immutable": True,
        "data": {key: base64.b64encode(text.encode()).decode() for key, text in entries.items()},
    }


def entry(body: Body, name: str) -> str | None:
    """One entry of a Secret as read, or None when it has none of that name."""
    value = content(body, name)
    return None if value is None else value.decode()


def content(body: Body, name: str) -> bytes | None:
    """The same of an entry that a person wrote, which may be no text."""
    value = (body.get("data") or {}).get(name)
    return None if value is None else base64.b64decode(value)
