"""Field types that all kinds share: durations, quantities, names, times.

Their rules have sentences as messages, whereas a `pattern` of the schema would only show users a
regular expression.
"""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from encbench.api.rules import Rule, fits, literal, matches

DURATION_PATTERN = r"^([0-9]{1,6}(ms|s|m|h))+$"
DURATION_HINT = "write a duration such as 90s, 1m30s or 2h"
QUANTITY_PATTERN = r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$"
QUANTITY_HINT = "write a quantity greater than zero such as 500m, 2, 512Mi or 10Gi"
CORES_PATTERN = r"^[0-9]+(\.[0-9]+)?m?$"
CORES_HINT = "write cores, more than zero, such as 500m or 4"
SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"

_DURATION = re.compile(r"([0-9]+)(ms|s|m|h)")
_DURATION_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
"""In milliseconds."""

_QUANTITY = re.compile(r"([0-9.]+)([a-zA-Z]*)")
_QUANTITY_UNITS = {
    **{"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12},
    **{"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40},
}


def parse_duration(text: str) -> float:
    """Seconds in a duration such as `90s`, `1m30s` or `500ms`; ValueError for anything else."""
    return milliseconds(text) / 1000


def milliseconds(text: str) -> int:
    """The same in milliseconds, which are exact, as CEL's durations are."""
    if not fits(DURATION_PATTERN, text):
        raise ValueError(f"{DURATION_HINT}, not {text!r}")
    parts = _DURATION.findall(text)
    return sum(int(number) * _DURATION_UNITS[unit] for number, unit in parts)


def parse_quantity(text: str) -> float:
    """A Kubernetes Quantity as a plain number (cores, bytes); ValueError for anything else.

    Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/,
    without the exponent forms, which are not used in templates.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None or not fits(QUANTITY_PATTERN, text):
        raise ValueError(f"{QUANTITY_HINT}, not {text!r}")
    return float(match[1]) * _QUANTITY_UNITS[match[2]]


def _int_to_str(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _has_digit_above_zero(text: str) -> bool:
    return any(digit in text for digit in "123456789")


def _is_amount(pattern: str, hint: str) -> Rule:
    return Rule(
        cel="type(self) == int ? self > 0 : "
        f"self.matches({literal(pattern)}) && self.matches('[1-9]')",
        message=hint,
        holds=lambda text: fits(pattern, text) and _has_digit_above_zero(text),
    )


def _is_time(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("write a time with its zone, such as 2030-01-31T12:00:00Z")
    return text


Int = Annotated[int, Strict()]
"""A whole number. The text "8" is refused, as it is by Kubernetes."""

Number = Annotated[float, Strict()]
"""A number, whole or not."""

Bool = Annotated[bool, Strict()]
"""true or false, and not "yes"."""

Fraction = Annotated[Number, Field(ge=0, le=1)]
Positive = Annotated[Int, Field(ge=1)]
UnixTime = Annotated[Number, Field(ge=0)]
"""Seconds since 1970."""

Word = Annotated[str, Field(max_length=64)]
"""A name, a reason or a hash."""
Sentence = Annotated[str, Field(max_length=4096)]

Duration = Annotated[str, Field(max_length=32), matches(DURATION_PATTERN, DURATION_HINT)]
"""A length of time as Kubernetes writes it: `90s`, `1m30s`, `2h`."""


def longer_than_zero(example: str) -> Rule:
    """The rule of a duration that is not zero, with one that fits the field."""
    return Rule(
        cel="self.matches('[1-9]')",
        message=f"write a duration longer than zero, such as {example}",
        holds=_has_digit_above_zero,
    )


PositiveDuration = Annotated[Duration, longer_than_zero("30s")]
"""A duration that is not zero."""

NO_MILLISECONDS = Rule(
    cel="!self.contains('ms')",
    message="write whole seconds, such as 30s, because the tool counts in seconds",
    holds=lambda text: "ms" not in text,
)

_Amount = Annotated[
    str,
    BeforeValidator(_int_to_str),
    Field(max_length=32, json_schema_extra={"x-kubernetes-int-or-string": True}),
]

Quantity = Annotated[_Amount, _is_amount(QUANTITY_PATTERN, QUANTITY_HINT)]
"""A Kubernetes Quantity: `500m`, `2`, `512Mi`. An integer is accepted as well."""

Cores = Annotated[_Amount, _is_amount(CORES_PATTERN, CORES_HINT)]
"""An amount of CPU: `500m`, `2`. A suffix of bytes is a mistake for memory."""

Name = Annotated[
    str,
    Field(max_length=63),
    matches(
        f"^{SUBDOMAIN}$",
        "write the name of a Kubernetes object: lower case letters, digits, - and .",
    ),
]
"""The name of a Kubernetes object in the same namespace."""

EntryName = Annotated[
    str,
    Field(max_length=253),
    matches(
        r"^[-._a-zA-Z0-9]+$",
        "name an entry of the Secret: letters, digits, dots, dashes and underscores",
    ),
]
"""The name of an entry of a Secret."""

Time = Annotated[
    str, Field(json_schema_extra={"format": "date-time"}, max_length=40), AfterValidator(_is_time)
]
"""An RFC 3339 time in UTC."""
