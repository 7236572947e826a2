"""Whether an answer keeps its contract in `encbench.wire`, field by field."""

from collections.abc import Iterable
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict


def whole(kind: Any, answer: object) -> None:
    """AssertionError unless it has every field of the declaration, of its type, and no other."""
    wrong = _problems(kind, answer, "answer")
    assert not wrong, "; ".join(wrong)


def _problems(kind: Any, value: object, where: str) -> list[str]:
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        return _of_typed_dict(kind, value, where)
    if origin is NotRequired:
        return _problems(arguments[0], value, where)
    if origin is Literal:
        return [] if value in arguments else [f"{where} is {value!r}"]
    if origin is UnionType:
        return min((_problems(one, value, where) for one in arguments), key=len)
    if origin is list and isinstance(value, list):
        return _each(arguments[0], enumerate(value), where)
    if origin is dict and isinstance(value, dict):
        return _each(arguments[1], value.items(), where)
    if kind is float:
        right = isinstance(value, int | float) and not isinstance(value, bool)
    elif kind is NoneType:
        right = value is None
    else:
        right = type(value) is (origin or kind)
    return [] if right else [f"{where} is {value!r}, not {kind}"]


def _each(kind: Any, entries: Iterable[tuple[object, object]], where: str) -> list[str]:
    return [problem for name, one in entries for problem in _problems(kind, one, f"{where}.{name}")]


def _of_typed_dict(kind: Any, value: object, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where} is {value!r}, not an object"]
    hints = get_type_hints(kind, include_extras=True)
    missing = [f"{where} lacks {name}" for name in sorted(kind.__required_keys__ - set(value))]
    more = [f"{where} has {name} as well" for name in sorted(set(value) - set(hints))]
    known = [(name, one) for name, one in value.items() if name in hints]
    inside = [_problems(hints[name], one, f"{where}.{name}") for name, one in known]
    return [*missing, *more, *chain.from_iterable(inside)]
