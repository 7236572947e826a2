"""An engine's golden files: one case is there in full, every other as its difference from that one.

The difference is a unified diff, so that a reader sees at a glance what a mode changes; the tests
compare whole texts.
"""

import re
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path

FULL = "plaintext"
"""The case that is there in full."""


def expected(folder: Path, name: str) -> str:
    """The whole text of a case."""
    full = (folder / f"{FULL}.yaml").read_text(encoding="utf-8")
    if name == FULL:
        return full
    return patched(full, (folder / f"{name}.diff").read_text(encoding="utf-8"))


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the files of all cases, and remove every other."""
    folder.mkdir(exist_ok=True)
    made = {f"{FULL}.yaml": texts[FULL]}
    for name, text in texts.items():
        if name != FULL:
            made[f"{name}.diff"] = difference(texts[FULL], text, name)
    for path in folder.iterdir():
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def difference(full: str, text: str, name: str) -> str:
    """What `patched` needs to make that text."""
    lines = full.splitlines(keepends=True), text.splitlines(keepends=True)
    return "".join(unified_diff(*lines, FULL, name, n=1))


def patched(full: str, diff: str) -> str:
    """The full text with a difference applied; AssertionError if it is that of another text."""
    lines, made, at = full.splitlines(keepends=True), list[str](), 0
    for line in diff.splitlines(keepends=True)[2:]:
        if (place := re.match(r"@@ -(\d+)", line)) is not None:
            start = int(place[1]) - 1
            made += lines[at:start]
            at = start
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            assert lines[at] == line[1:], f"a difference from another {FULL}.yaml: renew it"
            made += [lines[at]] if line.startswith(" ") else []
            at += 1
    return "".join(made + lines[at:])
