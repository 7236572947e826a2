"""The encrypting driver with its test programs, compiled from images/tpcc/encjdbc.

It is the jar that the image has; beside it lie the drivers that it goes around and the programs
that hold it against them. What people use in its place, ShardingSphere, is had only where a
benchmark asks.
"""

import fcntl
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.support import java
from tests.support.tpcc import CACHE, SOURCES, files, key

PROFILES: dict[str, list[str]] = {"driver": [], "shardingsphere": ["-P", "shardingsphere"]}
GOALS = ["-DskipTests", "package", "dependency:copy-dependencies"]


@cache
def home(kind: str = "driver") -> Path:
    """A folder with `classes` and `lib`; `kind` is one of PROFILES."""
    java.install()
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = CACHE / f"{kind}-{key(SOURCES / 'encjdbc', SOURCES / 'pom.xml')}"
        if not place.exists():
            _compile(place, PROFILES[kind])
    return place


def class_path(kind: str = "driver") -> str:
    """What Java needs to run the test programs."""
    return f"{home(kind)}/classes:{home(kind)}/lib/*"


def _compile(place: Path, profile: list[str]) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        copy, made = Path(folder) / "tpcc", Path(folder) / "home"
        for path in files(SOURCES):
            (copy / path.relative_to(SOURCES)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy / path.relative_to(SOURCES))
        command = ["mvn", "--quiet", "--batch-mode", "-pl", "encjdbc", "--also-make"]
        places = [f"-DoutputDirectory={made}/lib", "-DincludeScope=test"]
        subprocess.run([*command, *profile, *GOALS, *places], cwd=copy, check=True)
        target = copy / "encjdbc/target"
        shutil.copytree(target / "test-classes", made / "classes")
        for jar in target.glob("encjdbc-*.jar"):
            shutil.copy2(jar, made / "lib")
        made.rename(place)
