"""The script that makes the data directory, under each shell, with programs that only write down.

The real ones are in tests/contract/database.
"""

import subprocess
from pathlib import Path

import pytest

from encbench.engines.engine import scripts
from encbench.engines.mariadb import engine
from tests.support.shells import SHELLS
from tests.unit.engines.initialising import initialise
from tests.unit.engines.mounts import mounted

SCRIPT = Path(engine.__file__).with_name("initialise.sh")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with programs, configuration and volume."""
    for folder in ("bin", "volume", "config"):
        (tmp_path / folder).mkdir()
    (tmp_path / "config/server.cnf").write_text("[mariadbd]\n")
    (tmp_path / "config/shared.sh").write_text(scripts("mariadb")["shared.sh"])
    programs = {
        "mariadbd": "",
        "mariadb-install-db": f'mkdir "{tmp_path}/volume/data"\n',
        "sync": f'echo "$*" >>"{tmp_path}/synced"\n',
    }
    for name, text in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{text}")
        program.chmod(0o755)
    return tmp_path


def run(home: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    """The init container's command."""
    places = (home / "volume", home / "config/server.cnf")
    return initialise(home, shell, SCRIPT, *places)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", ["ext4", "fuse.gocryptfs"])
def test_only_the_volume_is_synced_unless_it_is_by_fuse(
    home: Path, shell: list[str], kind: str
) -> None:
    mounted(home, kind)
    done = run(home, shell)
    assert done.returncode == 0, done.stderr
    assert (home / "synced").read_text() == ("\n" if "fuse" in kind else f"-f {home}/volume\n")
    assert (home / "volume/initialised").exists()
