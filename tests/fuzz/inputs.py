"""Inputs for parsers: recorded documents with a few of their words, fields or bytes damaged."""

import copy
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

WORDS = (
    *("", "0", "-0", "-1", "1", "0.0", "00", "2147483648", "9" * 19, "9" * 400, "9" * 5000),
    *("1e308", "1e309", "-1e309", "9E999", "1e-320", "nan", "NaN", "inf", "-Infinity", "Infinity"),
    *(
        "²",
        "٣",
        "٣٤",
        "½",
        "ü",
        "\0",
        "\x08",
        "\r",
        "\x0b",
        "\u2028",
        "\ufeff",
        "\ud7ff",
        "\U0001f4a9",
    ),
    *(
        "null",
        "true",
        "{}",
        "[]",
        '""',
        "{",
        "}",
        "[" * 3000,
        '{"a":' * 2000,
        '"',
        "'",
        "\\",
        "\\u",
    ),
    *(
        "=1+1",
        "@x",
        "<script>",
        "'; DROP TABLE x",
        "$(id)",
        "%s",
        "x" * 20_000,
        "|",
        ",",
        ";",
        "\t",
    ),
)
"""What replaces a word of a text."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**299, 10**400),
    *(0.0, -0.5, 1e-320, 1e308, float("inf"), float("-inf"), float("nan")),
    *("", "0", "1", "nan", "x", "ü", "\0", "²", "=1+1", "x" * 20_000),
    *([], [None], [[]], [1, 2, 3], ["a"] * 300, {}, {"a": None}, {"": {}}),
)
"""What replaces a value of a JSON document."""
_PIECES = re.compile(r"\d+(?:\.\d+)?|[^\W\d]+|\s|.", re.DOTALL)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def texts(originals: Sequence[str], *, edits: int = 5) -> SearchStrategy[str]:
    """One of these with a few words or lines replaced, repeated, moved or left out."""
    words = [_PIECES.findall(text) for text in originals]
    lines = [_LINES.findall(text) for text in originals]
    return st.one_of(_edited(words, edits), _edited(lines, edits), _cut(originals), st.text())


@st.composite
def _edited(draw: DrawFn, originals: Sequence[list[str]], edits: int) -> str:
    parts = list(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, edits))):
        place = draw(st.integers(0, len(parts))) if parts else 0
        match draw(st.sampled_from(("replace", "insert", "repeat", "drop", "other"))):
            case "replace":
                parts[place : place + 1] = [draw(st.sampled_from(WORDS))]
            case "insert":
                parts.insert(place, draw(st.sampled_from(WORDS)))
            case "repeat":
                parts[place:place] = parts[place : place + 1] * draw(st.integers(1, 50))
            case "drop":
                del parts[place : place + draw(st.integers(1, 5))]
            case "other":
                other = draw(st.sampled_from(originals))
                begin = draw(st.integers(0, len(other)))
                parts[place:place] = other[begin : begin + draw(st.integers(1, 20))]
    return "".join(parts)


@st.composite
def _cut(draw: DrawFn, originals: Sequence[str]) -> str:
    text = draw(st.sampled_from(originals))
    return text[: draw(st.integers(0, len(text)))]


def binaries(originals: Sequence[bytes]) -> SearchStrategy[bytes]:
    """One of these with bytes changed or left out."""
    return st.one_of(_scratched(originals), st.binary(max_size=200))


@st.composite
def _scratched(draw: DrawFn, originals: Sequence[bytes]) -> bytes:
    found = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(found) - 1)))
        found[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return bytes(found)


@st.composite
def objects(draw: DrawFn, originals: Sequence[Any]) -> Any:
    """One of these JSON documents with a few values replaced, and fields left out or added."""
    whole = [copy.deepcopy(draw(st.sampled_from(originals)))]
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from([*_places(whole)]))
        match draw(st.sampled_from(("replace", "replace", "drop", "add"))):
            case "replace":
                holder[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "drop" if holder is not whole:
                del holder[key]
            case "add" if isinstance(holder, dict):
                holder["further"] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    return whole[0]


def documents(originals: Sequence[Any]) -> SearchStrategy[bytes]:
    """The same as texts, some of them damaged as texts."""
    whole = [json.dumps(one) for one in originals]
    damaged = texts(whole).map(lambda text: text.encode(errors="surrogatepass"))
    return st.one_of(objects(originals).map(lambda one: json.dumps(one).encode()), damaged)


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    keys = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for key, value in list(keys):
        yield holder, key
        if isinstance(value, dict | list):
            yield from _places(value)
