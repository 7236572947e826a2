"""The libraries above JDBC with the programs that drive them, compiled for the conformance tests.

Every jar that Maven fetches for it is compared with `jars.sha256`, as the images do it.
"""

import hashlib
import shutil
from functools import cache
from pathlib import Path

from tests.support import encjdbc, java
from tests.support.chart import REPO

MODULE = Path("tests/contract/conformance/java")
PARENT = Path("images/tpcc/pom.xml")
GOALS = ["package", "dependency:copy-dependencies"]


@cache
def home() -> Path:
    """A folder with the programs and all that they need, the encrypting driver aside."""
    files = [REPO / PARENT, *java.sources(REPO / MODULE)]
    return java.built("conformance", REPO, files, _compile)


def class_path() -> str:
    """What Java needs to run the programs, our driver included."""
    (driver,) = (encjdbc.home() / "lib").glob("encjdbc-[0-9]*.jar")
    return f"{home()}/*:{driver}"


def _compile(copy: Path, made: Path) -> None:
    java.maven(copy / MODULE, *GOALS, f"-DoutputDirectory={made}")
    check_digests(made)
    (jar,) = (copy / MODULE / "target").glob("conformance-*.jar")
    shutil.copy2(jar, made)


def check_digests(folder: Path) -> None:
    """RuntimeError where a jar is another than the one that is pinned, or is not pinned."""
    lines = (REPO / MODULE / "jars.sha256").read_text(encoding="utf-8").splitlines()
    pinned = {name: digest for digest, name in (line.split() for line in lines)}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")
    }
    wrong = sorted({name for name, _ in pinned.items() ^ found.items()})
    if wrong:
        raise RuntimeError(f"{MODULE}/jars.sha256 does not have: {', '.join(wrong)}")
