"""Java and Maven on this machine, for our Java parts and their tests."""

import shutil

from tests.support import debian


def install() -> None:
    """Have the compiler and Maven."""
    if shutil.which("javac") is None or shutil.which("mvn") is None:
        debian.install("openjdk-17-jdk-headless", "maven")
