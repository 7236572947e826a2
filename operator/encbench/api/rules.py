"""Rules that are written twice: in CEL for the API server, and in Python for all other programs.

A rule keeps both next to each other with the one message that users read, so that `kubectl apply`,
`kubectl encbench plan` and the operator agree; tests/data/manifests checks that they do. `Rule` and
`Unique` annotate a field's type. A model lists its own in `rules` and `transitions` (see
`base.Model`). A message says what to write instead.

When a CRD is installed, the API server estimates the cost of every CEL expression from the schema's
maxima and refuses an expensive one. So every string, list and map has a maximum length.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq, ne
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

VALIDATIONS = "x-kubernetes-validations"


@dataclass(frozen=True)
class Rule:
    """A condition on a value. `holds` gets the parsed value; in `cel` it is `self`, as JSON."""

    cel: str
    message: str
    holds: Callable[[Any], bool]
    culprits: "Culprits | None" = None
    """Of a map: which of its keys break the rule, so that the message can begin with one."""

    def check(self, value: Any) -> Any:
        """The value; ValueError with the message when the rule does not hold."""
        if not self.holds(value):
            found = self.culprits.find(value) if self.culprits else []
            raise ValueError(f"{found[0]}: {self.message}" if found else self.message)
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
class Culprits:
    """The keys of a map that break a rule, in both languages."""

    cel: str
    """A list of strings."""
    find: Callable[[Any], list[str]]


@dataclass(frozen=True)
class Transition:
    """A condition on a change. `holds` gets the new and the old value, parsed."""

    cel: str
    message: str
    holds: Callable[[Any, Any], bool]


def as_cel(rule: Rule | Transition) -> dict[str, str]:
    """The rule as an entry of `x-kubernetes-validations`."""
    made = {"rule": rule.cel, "message": rule.message}
    if isinstance(rule, Rule) and rule.culprits is not None:
        # One of them: the API server takes a text of all of them for too expensive.
        made["messageExpression"] = f"{rule.culprits.cel}[0] + {literal(f': {rule.message}')}"
    return made


@dataclass(frozen=True)
class Unique:
    """A list without duplicates: of scalars, or of objects that differ in the field `key`.

    To Kubernetes the one is a set, the other a map with that key.
    """

    key: str = ""

    def check(self, values: Sequence[Any]) -> Sequence[Any]:
        """The list; ValueError when it has a duplicate."""
        keys = [getattr(value, self.key) for value in values] if self.key else values
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise ValueError(f"Duplicate value: {key!r}; name each only once")
        return values

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        kind = "x-kubernetes-list-type"
        if not self.key:
            return {**handler(core), kind: "set"}
        return {**handler(core), kind: "map", "x-kubernetes-list-map-keys": [self.key]}


def literal(text: str) -> str:
    """A string literal in CEL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def matches(pattern: str, message: str) -> Rule:
    """A rule that a string matches a pattern, which is anchored and valid in RE2 and Python."""
    return Rule(
        cel=f"self.matches({literal(pattern)})",
        message=message,
        holds=lambda text: fits(pattern, text),
    )


def keys_match(pattern: str, message: str) -> Rule:
    """A rule that every key of a map matches such a pattern."""
    fitting = f"key.matches({literal(pattern)})"
    return Rule(
        cel=f"self.all(key, {fitting})",
        message=message,
        holds=lambda values: all(fits(pattern, key) for key in values),
        culprits=Culprits(
            f"self.filter(key, !{fitting})",
            lambda values: [key for key in values if not fits(pattern, key)],
        ),
    )


def no_key_matches(pattern: str, message: str) -> Rule:
    """A rule that no key of a map matches such a pattern."""
    fitting = f"key.matches({literal(pattern)})"
    return Rule(
        cel=f"!self.exists(key, {fitting})",
        message=message,
        holds=lambda values: not any(fits(pattern, key) for key in values),
        culprits=Culprits(
            f"self.filter(key, {fitting})",
            lambda values: [key for key in values if fits(pattern, key)],
        ),
    )


def either(first: str, second: str, message: str) -> Rule:
    """A rule that exactly one of two fields of a model, by their Python names, is present."""
    return _presence("{} != {}", ne, first, second, message)


def together(first: str, second: str, message: str) -> Rule:
    """A rule that both fields are present or neither is."""
    return _presence("{} == {}", eq, first, second, message)


def _presence(
    cel: str, holds: Callable[[bool, bool], bool], first: str, second: str, message: str
) -> Rule:
    return Rule(
        cel=cel.format(*(f"has(self.{to_camel(field)})" for field in (first, second))),
        message=message,
        holds=lambda it: holds(getattr(it, first) is not None, getattr(it, second) is not None),
    )


def fits(pattern: str, text: str) -> bool:
    """Whether text matches an anchored pattern; Python's own $ ignores a final newline."""
    return _whole(pattern).fullmatch(text) is not None


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.removeprefix("^").removesuffix("$"))
