"""The declarations of a user's Lua script, read from its text without running it.

A modest reader, not a Lua parser: it blanks comments, keeps strings apart, and finds assignments to
`sysbench.cmdline.options` and `sysbench.cmdline.commands`, top-level function definitions, and
sysbench's own scripts that it loads by `require`. It cannot read a script that computes its
options; such options count as unknown and are refused, which is safe.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from encbench.tools.sysbench.builtin import SCRIPTS

_COMMENT_OR_STRING = re.compile(
    # A long bracket that nothing closes extends to the end and a string to the end of its line, so
    # that no search begins again within them. Lua refuses both.
    r"--\[(=*)\[.*?(?:\]\1\]|\Z)|--[^\n]*"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"
    r"|\[(?P<level>=*)\[.*?(?:\](?P=level)\]|\Z))",
    re.DOTALL,
)
_REQUIRE = re.compile(r"\brequire(?:\s*\(\s*|\s*)[\"']([\w.]+?)(?:\.lua)?[\"']")
_FUNCTION = re.compile(r"(?<![\w.:])function\s+(\w+)\s*\(|(?<![\w.:])(\w+)\s*=\s*function\b")
_LOCAL_FUNCTION = re.compile(r"\blocal\s+(?:function\s+)?$")
_KEY = re.compile(r"(\w+)\s*=(?!=)|\[\s*[\"']([\w-]+)[\"']\s*\]\s*=(?!=)")
_OLD_INTERFACE = re.compile(r"(?<![\w.:])(db_connect|sysbench\.db\.connect)\b")
_OWN_CONNECT = re.compile(
    r"(?<![\w.:])(?:function\s+db_connect\s*\(|db_connect\s*=(?!=|\s*db_connect\b))"
)
_WORD = re.compile(r"\w+")
_OPEN, _CLOSE = "{(", "})"
_BEFORE = 200
"""Letters before a function in which `local` is looked for."""


@dataclass(frozen=True)
class Script:
    """The declarations of one script, including those of the scripts that it loads."""

    options: frozenset[str]
    """Names with underscores, as sysbench keeps them."""
    commands: frozenset[str]
    """Commands such as prepare and cleanup."""
    functions: frozenset[str]
    replaces_reports: bool
    """Whether it sets its own report hooks, which make reports unreadable."""
    old_interface: bool
    """Whether it connects by the interface of sysbench 0.5, whose sessions cannot be queried."""


@lru_cache(maxsize=16)
def read(text: str) -> Script:
    """The declarations of the script, which several checks of one campaign ask for."""
    code = _COMMENT_OR_STRING.sub(lambda found: found["string"] or " ", text)
    bare = _COMMENT_OR_STRING.sub(" ", text)
    bases = {name for name in _REQUIRE.findall(code) if name in SCRIPTS}
    options, commands = _table(code, "options"), _table(code, "commands")
    functions = {
        found[1] or found[2]
        for found in _FUNCTION.finditer(code)
        if not _LOCAL_FUNCTION.search(code[max(0, found.start() - _BEFORE) : found.start()])
    }
    if bases:
        options |= {name for base in bases for name in SCRIPTS[base]}
        commands |= {"prepare", "prewarm"}
        functions |= {"thread_init", "thread_done", "cleanup"}
    if bases - {"oltp_common"}:
        functions.add("event")
    return Script(
        options=frozenset(name.replace("-", "_") for name in options),
        commands=frozenset(commands | (functions & {"prepare", "cleanup"})),
        functions=frozenset(functions),
        replaces_reports="sysbench.hooks.report_" in bare,
        old_interface=bool(_OLD_INTERFACE.search(bare)) and not _OWN_CONNECT.search(bare),
    )


def _table(code: str, table: str) -> set[str]:
    """Keys that the script assigns in `sysbench.cmdline.<table>`."""
    name = rf"\bsysbench\.cmdline\.{table}\b"
    names: set[str] = set()
    begins, place = re.compile(rf"{name}\s*=\s*{{"), 0
    while (found := begins.search(code, place)) is not None:
        own, place = _keys(code, found.end())
        names |= own
    single = rf"{name}\s*(?:\.\s*(\w+)|\[\s*[\"']([\w-]+)[\"']\s*\])\s*=(?!=)"
    return names | {found[1] or found[2] for found in re.finditer(single, code)}


def _keys(code: str, start: int) -> tuple[set[str], int]:
    """Top-level keys of the table constructor whose content begins at `start`, and its end."""
    names: set[str] = set()
    depth, place = 1, start
    while place < len(code) and depth > 0:
        if depth == 1 and (key := _KEY.match(code, place)):
            names.add(key[1] or key[2])
            place = key.end()
            continue
        # A word at once: letter by letter, each would be looked through again.
        if passed := _COMMENT_OR_STRING.match(code, place) or _WORD.match(code, place):
            place = passed.end()
            continue
        depth += (code[place] in _OPEN) - (code[place] in _CLOSE)
        place += 1
    return names, place
