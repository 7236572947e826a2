"""Every file and name that docs/architecture.md sends its reader to is there."""

import re
from pathlib import Path

REPO = Path(__file__).resolve().parents[3]
PACKAGE = REPO / "operator" / "encbench"
PAGE = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
WHERE = PAGE[PAGE.index("## Where to change what") : PAGE.index("## Rules of the house")]
PATH = re.compile(r"`([\w.<>-]+(?:/[\w.<>-]+)+|[a-z]\w+\.py)`")
NAME_IN = re.compile(r"`(\w+)` in\s+`([\w/.]+\.py)`")


def found(path: str) -> bool:
    """In the package or in the repository; `<engine>` stands for any."""
    return any([*root.glob(path.replace("<engine>", "*"))] for root in (PACKAGE, REPO))


def test_every_path_is_there() -> None:
    paths = PATH.findall(WHERE)
    assert len(paths) > 60
    assert [path for path in paths if not found(path)] == []


def test_every_name_is_in_the_file_that_is_named_with_it() -> None:
    pairs = NAME_IN.findall(WHERE)
    assert ("_PROBES", "sidecars/agent/probe.py") in pairs
    for name, path in pairs:
        assert re.search(rf"\b{name}\b", (PACKAGE / path).read_text(encoding="utf-8")), path
