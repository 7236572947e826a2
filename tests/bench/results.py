"""Results of long benchmarks, a line of JSON each, so that they can be collected over many runs."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row")


def read(file: Path | None) -> list[Any]:
    """What earlier runs have kept; nothing without a file. One that does not exist is refused."""
    if file is None:
        return []
    if not file.is_file():
        raise SystemExit(f"there is no file {file}: name one that an earlier run has kept")
    return list(map(json.loads, file.read_text(encoding="utf-8").splitlines()))


def written(file: Path) -> list[Any]:
    """What the file holds to which results are added; nothing before there is one."""
    return read(file if file.is_file() else None)


def distinct(rows: Iterable[Row], key: Callable[[Row], tuple[object, ...]]) -> list[Row]:
    """The same rows; SystemExit if two have one key: which of them counts is not ours to choose."""
    found: dict[tuple[object, ...], Row] = {}
    for row in rows:
        if found.setdefault(key(row), row) is not row:
            shown = ", ".join(map(str, key(row)))
            raise SystemExit(f"there are two results of {shown}: number them anew, or drop one")
    return list(found.values())


def add(file: Path, row: dict[str, Any]) -> None:
    """Append one result; its folder is made."""
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")
