"""The script of the init container that makes a data directory, run by a test."""

import subprocess
from pathlib import Path


def initialise(
    home: Path, shell: list[str], script: Path, *places: Path
) -> "subprocess.CompletedProcess[str]":
    """The container's command, which finds the programs of `home`/bin first."""
    return subprocess.run(
        [*shell, str(script), *map(str, places)],
        env={"PATH": f"{home}/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
