"""The encrypting driver with its test programs, compiled from images/tpcc/encjdbc.

It is the jar that the image has; beside it lie the drivers that it goes around and the programs
that hold it against them. What people use in its place, ShardingSphere, is had only where a
benchmark asks.
"""

import functools
import shutil
from pathlib import Path

from tests.support import java
from tests.support.tpcc import SOURCES

PROFILES: dict[str, list[str]] = {"driver": [], "shardingsphere": ["-P", "shardingsphere"]}
GOALS = ["-DskipTests", "package", "dependency:copy-dependencies"]


@functools.cache
def home(kind: str = "driver") -> Path:
    """A folder with `classes` and `lib`; `kind` is one of PROFILES."""
    make = functools.partial(_compile, PROFILES[kind])
    return java.built(kind, SOURCES, java.sources(SOURCES), make)


def class_path(kind: str = "driver") -> str:
    """What Java needs to run the test programs."""
    return f"{home(kind)}/classes:{home(kind)}/lib/*"


def _compile(profile: list[str], copy: Path, made: Path) -> None:
    places = [f"-DoutputDirectory={made}/lib", "-DincludeScope=test"]
    java.maven(copy, "-pl", "encjdbc", "--also-make", *profile, *GOALS, *places)
    target = copy / "encjdbc/target"
    shutil.copytree(target / "test-classes", made / "classes")
    for jar in target.glob("encjdbc-*.jar"):
        shutil.copy2(jar, made / "lib")
