"""Modules that docstrings and comments name are there: a name that is gone leads nowhere."""

import pkgutil
import re
from pathlib import Path

import encbench

PACKAGE = Path(encbench.__file__).parent
ROOMS = {module.name for module in pkgutil.iter_modules([str(PACKAGE)])} | {"encbench"}
NAMED = re.compile(r"`([a-z_]\w*(?:\.\w+)+)`")
NONE = ("report.csv", "report.html", "report.json", "encbench.io")
"""What begins like a module and is none."""


def test_every_module_that_the_code_names_exists() -> None:
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        for name in NAMED.findall(path.read_text(encoding="utf-8"))
        if name.split(".")[0] in ROOMS and name not in NONE
    }
    assert len(found) > 50
    assert [one for one in sorted(found) if not resolves(one[1])] == []


def resolves(name: str) -> bool:
    """Whether it is a module of the package, or something in one."""
    try:
        pkgutil.resolve_name(f"encbench.{name.removeprefix('encbench.')}")
    except (ImportError, AttributeError):
        return False
    return True
