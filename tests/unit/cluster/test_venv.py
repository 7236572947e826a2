"""How `tests/venv.sh` makes the environment, on a machine that plays Debian 12 without its venv."""

import os
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
PYTHON = """#!/bin/sh
case $* in
--version) echo Python 3.11.2 ;;
*) [ -e "$PLACE/installed" ] && echo "$3" >>"$PLACE/made" && mkdir -p "$3/bin" && sleep 0.3 &&
    ln -s /bin/true "$3/bin/pip" && ln -s /bin/true "$3/bin/uv" ;;
esac
"""
APT = """#!/bin/sh
flock --nonblock "$ENCBENCH_CACHE/apt.lock" true && echo free >>"$PLACE/lock"
echo "$*" >>"$PLACE/asked"
case $* in *update*) [ ! -s "$PLACE/complaints" ] || {
    head -1 "$PLACE/complaints" >&2
    sed -i 1d "$PLACE/complaints"
    exit 100
} ;; esac
case $* in *install*) touch "$PLACE/installed" ;; esac
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a machine with these programs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"python3": PYTHON, "apt-get": APT}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ENCBENCH_CACHE": str(tmp_path / "cache"),
        "PLACE": str(tmp_path),
    }


def begun(environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [REPO / "tests" / "venv.sh"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(run: subprocess.Popen[str]) -> Path:
    """The environment that it made."""
    said, complaints = run.communicate(timeout=60)
    assert run.returncode == 0, complaints
    venv = Path(said.strip())
    assert (venv / "ok").exists()
    return venv


@pytest.fixture
def ran(environment: dict[str, str], tmp_path: Path) -> Path:
    """Where the programs have left what they saw."""
    ended(begun(environment))
    return tmp_path


def test_no_other_process_installs_meanwhile(ran: Path) -> None:
    """`tests.cluster.packages` holds the same lock."""
    assert not (ran / "lock").exists()


def test_it_waits_for_processes_that_do_not_know_that_lock(ran: Path) -> None:
    asked = (ran / "asked").read_text().splitlines()
    assert [line.split()[2] for line in asked] == ["update", "install"]
    assert all("DPkg::Lock::Timeout=300" in line for line in asked)


LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
NO_NETWORK = "E: Failed to fetch http://deb.example.com/debian/dists/bookworm/InRelease"


def test_it_waits_for_who_updates_the_lists(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "complaints").write_text(f"{LOCKED}\n")
    ended(begun(environment))
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[2] for line in asked] == ["update", "update", "install"]


def test_lists_that_cannot_be_had_end_it(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "complaints").write_text(f"{NO_NETWORK}\n")
    run = begun(environment)
    said, complaints = run.communicate(timeout=60)
    assert (run.returncode, said) == (100, "")
    assert NO_NETWORK in complaints
    assert len((tmp_path / "asked").read_text().splitlines()) == 1


def test_of_two_runs_at_once_one_makes_it_and_the_other_waits(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "installed").touch()
    runs = [begun(environment), begun(environment)]
    one, other = map(ended, runs)
    assert one == other
    assert (tmp_path / "made").read_text().split() == [str(one)]
    assert (one / "bin" / "uv").exists()
