"""The base of every API model, and the field types that all kinds share.

The models are the single source of the CRDs (`api.crd` generates them), so each field says in its
description what a user reads in `kubectl explain`. Schemas are strict: a field that no kind knows is
refused, on the API server by the structural schema and here by `extra="forbid"`.
"""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

GROUP = "encbench.io"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"

_DURATION = re.compile(r"([0-9]+)(ms|s|m|h)")
_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")
_QUANTITY_UNITS = {
    "": 1.0,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


FROZEN_SPEC: dict[str, Any] = {
    "x-kubernetes-validations": [
        {
            "rule": "self == oldSelf",
            "message": "the operator wrote this spec and it is frozen: change the campaign's parts "
            "and apply a campaign under another name",
        }
    ]
}
"""Schema of a spec that nobody may change after creation."""


class Model(BaseModel):
    """A part of an object: camelCase outside, snake_case inside, unknown fields refused."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
    )

    def to_dict(self) -> dict[str, Any]:
        """The object as Kubernetes takes it: camelCase, JSON types, fields without a value left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def parse_duration(text: str) -> float:
    """Seconds in a duration such as `90s`, `1m30s` or `500ms`; ValueError for anything else."""
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"write a duration such as 90s, 1m30s or 2h, not {text!r}")
    return sum(float(number) * _DURATION_UNITS[unit] for number, unit in parts)


def parse_quantity(text: str) -> float:
    """A Kubernetes Quantity as a plain number (cores, bytes); ValueError for anything else.

    Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/, without
    the exponent forms, which nobody writes in a template.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"write a quantity such as 500m, 2, 512Mi or 10Gi, not {text!r}")
    return float(match[1]) * _QUANTITY_UNITS[match[2] or ""]


def _int_to_str(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _is_duration(text: str) -> str:
    parse_duration(text)
    return text


def _is_positive_quantity(text: str) -> str:
    if parse_quantity(text) <= 0:
        raise ValueError(f"write a quantity greater than zero, not {text!r}")
    return text


DURATION_PATTERN = r"^([0-9]+(ms|s|m|h))+$"
QUANTITY_PATTERN = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$"
NAME_PATTERN = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"

Duration = Annotated[
    str, Field(pattern=DURATION_PATTERN, max_length=32), AfterValidator(_is_duration)
]
"""A length of time as Kubernetes writes it: `90s`, `1m30s`, `2h`."""

Quantity = Annotated[
    str,
    BeforeValidator(_int_to_str),
    Field(
        pattern=QUANTITY_PATTERN,
        max_length=32,
        json_schema_extra={"x-kubernetes-int-or-string": True},
    ),
    AfterValidator(_is_positive_quantity),
]
"""A Kubernetes Quantity: `500m`, `2`, `512Mi`. An integer is taken as well."""

Name = Annotated[str, Field(pattern=NAME_PATTERN, min_length=1, max_length=63)]
"""The name of a Kubernetes object in the same namespace."""

Time = Annotated[str, Field(json_schema_extra={"format": "date-time"}, max_length=40)]
"""An RFC 3339 time in UTC."""

Fraction = Annotated[float, Field(ge=0, le=1)]


class Toleration(Model):
    """A toleration of a pod; the fields are those of core/v1."""

    key: Annotated[str, Field(max_length=316)] | None = Field(None, description="Taint key.")
    operator: Annotated[str, Field(pattern="^(Equal|Exists)$", max_length=8)] | None = Field(
        None, description="Equal or Exists."
    )
    value: Annotated[str, Field(max_length=63)] | None = Field(None, description="Taint value.")
    effect: (
        Annotated[str, Field(pattern="^(NoSchedule|PreferNoSchedule|NoExecute)$", max_length=16)]
        | None
    ) = Field(None, description="Taint effect to tolerate.")


class Placement(Model):
    """Where pods may run."""

    node_selector: Annotated[
        dict[str, Annotated[str, Field(max_length=63)]], Field(max_length=16)
    ] = Field(default_factory=dict, description="Labels that the node must bear.")
    tolerations: Annotated[list[Toleration], Field(max_length=16)] = Field(
        default_factory=list, description="Taints that the pods tolerate."
    )


class Resources(Model):
    """Requests and limits at once: pods are of QoS class Guaranteed."""

    cpu: Quantity = Field(description="CPU, requested and limited, such as 500m or 4.")
    memory: Quantity = Field(description="Memory, requested and limited, such as 512Mi or 16Gi.")

    @property
    def cores(self) -> float:
        """CPU in cores."""
        return parse_quantity(self.cpu)

    @property
    def memory_bytes(self) -> int:
        """Memory in bytes."""
        return int(parse_quantity(self.memory))


class ObjectRef(Model):
    """A reference to one incarnation of an object in the same namespace."""

    name: Name = Field(description="Name of the object.")
    uid: Annotated[str, Field(max_length=64)] = Field(description="UID of the object.")
