"""Text for a terminal: paragraphs, items and tables in lines of at most WIDTH."""

import re
import textwrap
from collections.abc import Container, Iterable, Sequence

WIDTH = 100
ELLIPSIS = "…"
_TIE = "\u00a0"


def paragraph(words: str, indent: str = "") -> str:
    """The sentences in lines of at most WIDTH, indented."""
    return _filled(words, indent, indent)


def item(mark: str, words: str) -> str:
    """The words behind a mark, with a hanging indent; names with a hyphen stay whole."""
    return _filled(words, mark, " " * len(mark), break_on_hyphens=False)


def _filled(words: str, first: str, rest: str, *, break_on_hyphens: bool = True) -> str:
    return textwrap.fill(
        unbroken(words),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=break_on_hyphens,
    ).replace(_TIE, " ")


def aligned(heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Container[int]) -> str:
    """A table under headings in capitals; columns with these numbers are right-aligned."""
    lines = [[head.upper() for head in heads], *rows]
    widths = [max(len(line[n]) for line in lines) for n in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if n in numeric else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def within(line: str, width: int, end: str = ELLIPSIS) -> str:
    """The line, or as many of its words as fit into the width with that at the end."""
    if len(line) <= width:
        return line
    room = max(0, width - len(end))
    kept, space, _ = line[:room].rpartition(" ")
    # A word that is longer than all of it has to be cut.
    return f"{kept.rstrip()} {end}" if space and kept.strip() else f"{line[:room]}{end}"


def unbroken(sentence: str) -> str:
    """The sentence with ties before percent signs and inside brackets, where no line may break."""
    sentence = sentence.replace(" %", f"{_TIE}%")
    return re.sub(r"\[[^][]*\]", lambda found: found[0].replace(" ", _TIE), sentence)
