"""Whether a value from JSON has the type that this package declares for it.

A `TypedDict` is a promise. Another version of a sidecar may break it, and so may a hostile image
that runs beside the sidecar; the operator must not stumble over the value later.
"""

import math
from collections.abc import Callable, Iterable
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

_WORDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    NoneType: "null",
}
_LIMIT = 2**63
"""What a number stays below: a status takes no larger whole number, and sums stay finite."""


def misfit(kind: Any, value: object, place: str = "") -> str | None:
    """Where a value differs from the type, in words; None if it fits.

    Fields that the type does not know are left alone: a newer version may have added them.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return None
    if is_typeddict(kind):
        return _object(kind, value, place)
    if origin is NotRequired:
        return misfit(parts[0], value, place)
    if origin in (Union, UnionType):
        found = [misfit(part, value, place) for part in parts]
        return None if None in found else found[0]
    if origin is Literal:
        return None if value in parts else f"{_named(place)} is none of {', '.join(parts)}"
    if origin is list:
        return _items(value, place, lambda count: [parts[0]] * count)
    if origin is tuple:
        return _items(value, place, lambda _: [*parts])
    if origin is dict:
        if not isinstance(value, dict):
            return f"{_named(place)} is no object"
        return _first(misfit(parts[1], one, _inside(place, key)) for key, one in value.items())
    if not _is(kind, value):
        return f"{_named(place)} is not {_WORDS[kind]}"
    is_large = isinstance(value, int | float) and abs(value) >= _LIMIT
    return f"{_named(place)} is too large" if is_large else None


def _is(kind: type, value: object) -> bool:
    if kind is float:
        return type(value) is int or (isinstance(value, float) and not math.isnan(value))
    return type(value) is kind


def _object(kind: Any, value: object, place: str) -> str | None:
    if not isinstance(value, dict):
        return f"{_named(place)} is no object"
    missing = sorted(kind.__required_keys__ - value.keys())
    if missing:
        return f"{_inside(place, missing[0])} is missing"
    known = _fields(kind)
    return _first(
        misfit(known[name], one, _inside(place, name))
        for name, one in value.items()
        if name in known
    )


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _items(value: object, place: str, kinds: Callable[[int], list[Any]]) -> str | None:
    if not isinstance(value, list | tuple):
        return f"{_named(place)} is no list"
    wanted = kinds(len(value))
    if len(wanted) != len(value):
        return f"{_named(place)} has {len(value)} items, not {len(wanted)}"
    pairs = enumerate(zip(wanted, value, strict=True))
    return _first(misfit(kind, one, f"{place}[{n}]") for n, (kind, one) in pairs)


def _first(found: Iterable[str | None]) -> str | None:
    return next((one for one in found if one is not None), None)


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _named(place: str) -> str:
    return place or "it"
