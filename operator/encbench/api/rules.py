"""Rules that are said twice: in CEL for the API server, and in Python for everyone else.

A rule keeps both next to each other with the one message that a user reads, so that `kubectl
apply`, `kubectl encbench plan` and the operator agree; tests/data/manifests holds them to it.
`Rule`, `Unique` and `UniqueBy` annotate a field's type; a model lists its own in `rules` and
`transitions` (see `base.Model`). A message says what to write instead.

The API server estimates the cost of every CEL expression from the schema's maxima when the CRD is
installed, and refuses it when it is too high; so whatever has a length has a maximum.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

VALIDATIONS = "x-kubernetes-validations"


@dataclass(frozen=True)
class Rule:
    """What must hold of a value. `holds` gets it parsed; in `cel` it is `self` as JSON."""

    cel: str
    message: str
    holds: Callable[[Any], bool]

    def check(self, value: Any) -> Any:
        """The value; ValueError with the message when the rule does not hold."""
        if not self.holds(value):
            raise ValueError(self.message)
        return value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler(core)
        return {**schema, VALIDATIONS: [*schema.get(VALIDATIONS, []), as_cel(self)]}


@dataclass(frozen=True)
class Transition:
    """What must hold of a change. `holds` gets the new value and the old one, parsed."""

    cel: str
    message: str
    holds: Callable[[Any, Any], bool]


def as_cel(rule: Rule | Transition) -> dict[str, str]:
    """The rule as an entry of `x-kubernetes-validations`."""
    return {"rule": rule.cel, "message": rule.message}


@dataclass(frozen=True)
class Unique:
    """A list of scalars that names nothing twice, to Kubernetes a set."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_refuse_twice, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(core), "x-kubernetes-list-type": "set"}


@dataclass(frozen=True)
class UniqueBy:
    """A list of objects that differ in one field, to Kubernetes a map with that key."""

    key: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            **handler(core),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": [self.key],
        }

    def _check(self, values: Sequence[Any]) -> Sequence[Any]:
        _refuse_twice([getattr(value, self.key) for value in values])
        return values


def _refuse_twice(values: Sequence[Any]) -> Sequence[Any]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"Duplicate value: {value!r}; name each only once")
    return values


def add_validations(schema: dict[str, Any], rules: Sequence[Rule | Transition]) -> None:
    """Add rules to the JSON schema of a model, in place."""
    if rules:
        schema[VALIDATIONS] = [*schema.get(VALIDATIONS, []), *map(as_cel, rules)]


def literal(text: str) -> str:
    """A string literal in CEL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def matches(pattern: str, message: str) -> Rule:
    """A rule that a string matches a pattern: anchored by ^ and $, the same to RE2 and Python."""
    return Rule(
        cel=f"self.matches({literal(pattern)})",
        message=message,
        holds=lambda text: fits(pattern, text),
    )


def keys_match(pattern: str, message: str) -> Rule:
    """A rule that every key of a map matches, under the same terms."""
    return Rule(
        cel=f"self.all(key, key.matches({literal(pattern)}))",
        message=message,
        holds=lambda values: all(fits(pattern, key) for key in values),
    )


def no_key_matches(pattern: str, message: str) -> Rule:
    """A rule that no key of a map matches, under the same terms."""
    return Rule(
        cel=f"!self.exists(key, key.matches({literal(pattern)}))",
        message=message,
        holds=lambda values: not any(fits(pattern, key) for key in values),
    )


def either(first: str, second: str, message: str) -> Rule:
    """A rule that one of two fields of a model, by their names in Python, is there and not both."""
    return Rule(
        cel=f"has(self.{to_camel(first)}) != has(self.{to_camel(second)})",
        message=message,
        holds=lambda it: (getattr(it, first) is None) != (getattr(it, second) is None),
    )


def fits(pattern: str, text: str) -> bool:
    """Whether text matches an anchored pattern; Python's own $ would overlook a last newline."""
    return _whole(pattern).fullmatch(text) is not None


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.removeprefix("^").removesuffix("$"))


def without_nulls(values: Any) -> Any:
    """A map without the entries that are null, as the API server takes it; else the same value."""
    if not isinstance(values, Mapping):
        return values
    return {key: value for key, value in values.items() if value is not None}
