"""How `tests/venv.sh` gets Debian's venv, on a machine that plays Debian 12 without it."""

import os
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
PYTHON = """#!/bin/sh
case $* in
--version) echo Python 3.11.2 ;;
*) [ -e "$PLACE/installed" ] && mkdir -p "$3/bin" && ln -s /bin/true "$3/bin/pip" &&
    ln -s /bin/true "$3/bin/uv" ;;
esac
"""
APT = """#!/bin/sh
flock --nonblock "$ENCBENCH_CACHE/apt.lock" true && echo free >>"$PLACE/lock"
echo "$*" >>"$PLACE/asked"
case $* in *install*) touch "$PLACE/installed" ;; esac
"""


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Where the programs have left what they saw."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"python3": PYTHON, "apt-get": APT}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ENCBENCH_CACHE": str(tmp_path / "cache"),
        "PLACE": str(tmp_path),
    }
    done = subprocess.run(
        [REPO / "tests" / "venv.sh"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (Path(done.stdout.strip()) / "ok").exists()
    return tmp_path


def test_no_other_process_installs_meanwhile(ran: Path) -> None:
    """`tests.cluster.packages` holds the same lock."""
    assert not (ran / "lock").exists()


def test_it_waits_for_processes_that_do_not_know_that_lock(ran: Path) -> None:
    asked = (ran / "asked").read_text().splitlines()
    assert [line.split()[2] for line in asked] == ["update", "install"]
    assert all("DPkg::Lock::Timeout=300" in line for line in asked)
