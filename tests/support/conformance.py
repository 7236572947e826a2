"""The libraries above JDBC with the programs that drive them, compiled for the conformance tests.

Every jar that Maven fetches for it is compared with `jars.sha256`, as the images do it.
"""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.support import encjdbc, java
from tests.support.chart import REPO
from tests.support.tpcc import CACHE

MODULE = Path("tests/contract/conformance/java")
PARENT = Path("images/tpcc/pom.xml")
GOALS = ["package", "dependency:copy-dependencies"]


@cache
def home() -> Path:
    """A folder with the programs and all that they need, the encrypting driver aside."""
    java.install()
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = CACHE / f"conformance-{_key()}"
        if not place.exists():
            _compile(place)
    return place


def class_path() -> str:
    """What Java needs to run the programs, our driver included."""
    (driver,) = (encjdbc.home() / "lib").glob("encjdbc-[0-9]*.jar")
    return f"{home()}/*:{driver}"


def _sources() -> list[Path]:
    files = (path for path in (REPO / MODULE).rglob("*") if path.is_file())
    return [REPO / PARENT, *sorted(path for path in files if "target" not in path.parts)]


def _key() -> str:
    whole = hashlib.sha256()
    for path in _sources():
        whole.update(f"{path.relative_to(REPO)}\n".encode() + path.read_bytes())
    return whole.hexdigest()[:16]


def _compile(place: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        for path in _sources():
            copy = Path(folder) / path.relative_to(REPO)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        made = Path(folder) / "home"
        command = ["mvn", "--quiet", "--batch-mode", *GOALS, f"-DoutputDirectory={made}"]
        subprocess.run(command, cwd=Path(folder) / MODULE, check=True)
        check_digests(made)
        (jar,) = (Path(folder) / MODULE / "target").glob("conformance-*.jar")
        shutil.copy2(jar, made)
        made.rename(place)


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
