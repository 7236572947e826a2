"""Text and tables in GitHub's Markdown."""

from collections.abc import Container, Iterable, Sequence


def escaped(words: str) -> str:
    """The words on one line, with all markup escaped."""
    for mark in ("\\", "|", "*", "_", "<", "`"):
        words = words.replace(mark, f"\\{mark}")
    return words.replace("](", "]\\(").replace("\n", " ")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Container[int]) -> str:
    """A table; columns with these numbers are right-aligned."""
    rule = ["---:" if n in numeric else "---" for n in range(len(heads))]
    lines = (map(escaped, heads), rule, *(map(escaped, row) for row in rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
