"""Results of long benchmarks, a line of JSON each, so that they can be collected over many runs."""

import json
from pathlib import Path
from typing import Any


def read(file: Path | None) -> list[Any]:
    """What earlier runs have kept; nothing without a file. One that does not exist is refused."""
    if file is None:
        return []
    if not file.is_file():
        raise SystemExit(f"there is no file {file}: name one that an earlier run has kept")
    return list(map(json.loads, file.read_text(encoding="utf-8").splitlines()))


def add(file: Path, row: dict[str, Any]) -> None:
    """Append one result; its folder is made."""
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")
