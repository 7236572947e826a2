"""Values that no author should write, and the places of an object to write them into."""

from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    7,
    2**31,
    2**53,
    0.5,
    1.5,
    "",
    "0",
    "1",
    "-1",
    "1.5",
    "a",
    "a b",
    "A",
    "a..b",
    "-a",
    "a\n",
    "1\n",
    "0s",
    "0m0s",
    "30",
    "30s",
    "1m30s",
    "500ms",
    "1234567s",
    "30S",
    "512Mi",
    "512m",
    "1e3",
    "0.0",
    ".5",
    "true",
    "ü",
    "x" * 63,
    "x" * 64,
    "1" * 33,
    "x" * 1025,
    [],
    [None],
    ["a"],
    ["a", "a"],
    [1, 1],
    [1, 2],
    [0],
    [{}],
    ["a"] * 65,
    {},
    {"a": "b"},
    {"a": 1},
    {"a": None},
    {"A": "b"},
    {"tables": "1"},
    {"mysql_host": "x"},
    {"a/b": "c"},
    {"a": "b c"},
    {f"a{n}": "b" for n in range(65)},
)
"""Wrong types, empty, huge and negative values, and texts at the edges of what rules allow."""

INJECTIONS: tuple[str, ...] = (
    *("'; DROP TABLE sbtest1; -- ", '" OR 1=1 -- ', "`x`; SELECT 1", "\\'; SELECT 1"),
    *("]] os.execute('id') --[[", '"..os.execute("id").."'),
    *("x?autoDeserialize=true&user=root", "x;allowLoadLocalInfile=true", "{mek}{mekFile}{host}"),
    *("$(touch /tmp/x)", "`id`", "; id #", "a | id", "a && id", "$HOME", "${IFS}", "$(HOSTNAME)"),
    *("a\nid", "a\ruser=root", "a\nuser=root", "\\u000auser=root", "!include /etc/passwd"),
    *("a: b\n- c", "{a: b}", "&a [*a]", "!!python/object:os.system id", "---\nkind: Pod"),
    *(
        "<script>alert(1)</script>",
        '" onmouseover="alert(1)',
        "]]><!--",
        "{{7*7}}",
        "[x](javascript:1)",
    ),
    *("=HYPERLINK(1)", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "a,b;c\td"),
    *(
        "../../etc/passwd",
        "/etc/passwd",
        "--config-file=/etc/passwd",
        "-h",
        "%s%n",
        "a\0b",
        "\x1b[31m",
    ),
    *("\u202egnp.exe", "a\u200bb", "ａ", "\U0001f4a9", "\u2028x", "\x85", "\x0b", "x" * 100_000),
)
"""Texts that mean something to SQL, Lua, JDBC, shells, YAML, HTML, CSV, paths or a terminal."""

FEW: tuple[Any, ...] = (None, True, 0, 0.5, "", "a", "1", "true", [], ["a"], {}, {"a": "b"})
"""One or two of each type."""

Path = tuple[str | int, ...]


def telling(node: dict[str, Any]) -> tuple[Any, ...]:
    """Values that tell something of a field with this schema: few of those that its type refuses.

    A text is refused where a field takes none, whatever it says, and a text's field takes no other.
    """
    if "type" not in node:
        return (*ODD, *INJECTIONS)
    is_text = node["type"] == "string"
    values = (*ODD, *INJECTIONS) if is_text else ODD
    own = [value for value in values if isinstance(value, str) is is_text]
    return (*own, *(value for value in FEW if isinstance(value, str) is not is_text))


def at(node: dict[str, Any], path: Path) -> dict[str, Any]:
    """The schema of a place below this one."""
    for part in path:
        node = node["items"] if isinstance(part, int) else node["properties"][part]
    return node


def fields(node: dict[str, Any], path: Path, leaving: tuple[str, ...] = ()) -> Iterator[Path]:
    """Every place below a schema but below `leaving`; the first item stands for all of a list."""
    yield path
    for name, field in node.get("properties", {}).items():
        if name not in leaving:
            yield from fields(field, (*path, name), leaving)
    if "items" in node:
        yield from fields(node["items"], (*path, 0), leaving)


def changed(whole: Any, path: Path, value: Any) -> Any:
    """A copy with the value in that place, and what leads there made where it is missing."""
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        items = list(whole or [None])
        items[first] = changed(items[first], tuple(rest), value)
        return items
    made = dict(whole or {})
    made[first] = changed(made.get(first), tuple(rest), value)
    return made


def texts(whole: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of an object that holds a text."""
    parts = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for key, value in parts:
        if isinstance(value, str):
            yield (*path, key)
        elif isinstance(value, dict | list):
            yield from texts(value, (*path, key))
