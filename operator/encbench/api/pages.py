"""Files that follow from the code: how a program writes them, or checks that it did."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The checkout, where this module runs from one."""


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a table in Markdown, and an empty one."""
    yield from (f"| {' | '.join(cells)} |" for cells in (heads, ("---",) * len(heads), *rows))
    yield ""


def stale(root: Path, pages: Mapping[Path, str]) -> list[Path]:
    """Every page below a checkout that is not what it should be."""
    return [
        path
        for path, text in pages.items()
        if not (root / path).exists() or (root / path).read_text(encoding="utf-8") != text
    ]


def main(module: str, words: str | None, pages: Mapping[Path, str]) -> int:
    """Write the pages, or with --check compare them; the exit status is 1 when one is stale."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=words)
    parser.add_argument("--check", action="store_true", help="write nothing; complain when stale")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to write into")
    arguments = parser.parse_args()
    if arguments.check:
        found = stale(arguments.root, pages)
        for path in found:
            print(f"{path} is stale: run `python -m {module}`", file=sys.stderr)
        return 1 if found else 0
    for path, text in pages.items():
        (arguments.root / path).parent.mkdir(exist_ok=True)
        (arguments.root / path).write_text(text, encoding="utf-8")
    return 0
