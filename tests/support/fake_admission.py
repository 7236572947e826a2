"""What the fake API server refuses: the part of the real one's checks that our code can trip over.

Objects of `encbench.io` go through the pydantic models, which the corpus in tests/data/manifests
holds to the CRDs. Of Kubernetes' own kinds only immutability is known here, since an operator that
applies a changed template to a live Job is a mistake that only the API server would notice.
"""

import re
from functools import cache
from typing import Any

from encbench.api import kinds
from encbench.api.base import GROUP
from encbench.api.crd import schema
from encbench.api.kinds import Kind
from encbench.api.resources import BY_KIND, problems
from encbench.api.schema import Schema
from encbench.ports import Body, Rejected

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")

_MUTABLE_STATEFUL_SET = {
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
    "revisionHistoryLimit",
}
_MUTABLE_JOB = {
    "activeDeadlineSeconds",
    "backoffLimit",
    "parallelism",
    "suspend",
    "ttlSecondsAfterFinished",
}


def check_name(body: Body) -> None:
    """Rejected unless the object has a name that Kubernetes takes."""
    name = body.get("metadata", {}).get("name", "")
    if len(name) > 253 or _NAME.fullmatch(name) is None:
        raise Rejected(f"metadata.name: Invalid value: {name!r}")


def with_defaults(kind: Kind, body: Body) -> Body:
    """The object with the defaults of its CRD, where it is one of ours."""
    filled: Body = fill_defaults(_schema(kind), body) if kind in BY_KIND else body
    return filled


def fill_defaults(schema: Schema, value: Any) -> Any:
    """The value with the schema's defaults filled in, top down, like the API server does."""
    if isinstance(value, dict):
        filled = dict(value)
        for name, field in schema.get("properties", {}).items():
            if filled.get(name) is None:
                filled.pop(name, None)
                if "default" in field:
                    filled[name] = field["default"]
        inner = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        return {name: fill_defaults(inner.get(name, rest), part) for name, part in filled.items()}
    if isinstance(value, list):
        return [fill_defaults(schema.get("items", {}), part) for part in value]
    return value


@cache
def _schema(kind: Kind) -> Schema:
    return schema(BY_KIND[kind])


def check_content(kind: Kind, body: Body, old: Body | None = None) -> None:
    """Rejected when one of our kinds does not fit its model, or may not change so from `old`."""
    if kind in BY_KIND and (found := problems(kind, body, old)):
        name = body["metadata"]["name"]
        raise Rejected(f"{kind.kind}.{GROUP} {name!r} is invalid: {'; '.join(found)}")


def check_change(kind: Kind, old: Body, new: Body) -> None:
    """Rejected when something of Kubernetes' own kinds changes that is fixed after creation."""
    added = set(new["metadata"].get("finalizers", [])) - set(old["metadata"].get("finalizers", []))
    if added and "deletionTimestamp" in old["metadata"]:
        raise Rejected("metadata.finalizers: Forbidden: the object is being deleted")
    for field in _frozen(kind, old):
        if old.get("spec", {}).get(field) != new.get("spec", {}).get(field):
            raise Rejected(f"{kind.kind} {old['metadata']['name']}: spec.{field} is immutable")
    if old.get("immutable") and any(
        old.get(field) != new.get(field) for field in ("data", "binaryData", "immutable")
    ):
        raise Rejected(f"{kind.kind} {old['metadata']['name']} is immutable")


def _frozen(kind: Kind, old: Body) -> set[str]:
    fields = set(old.get("spec", {}))
    if kind == kinds.STATEFUL_SET:
        return fields - _MUTABLE_STATEFUL_SET
    if kind == kinds.JOB:
        return fields - _MUTABLE_JOB
    return set()
