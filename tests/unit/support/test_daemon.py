"""Programs that end with the run of tests that started them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from encbench.engines.innodb.settings import InnodbLayout
from tests.support import confidential, fuse, local_client
from tests.support.chart import REPO
from tests.support.mariadb import MariaDB
from tests.support.places import places
from tests.support.testbeds import PLAINTEXT, spec_of_testbed

SLEEPS = "trap 'touch asked; exit' TERM; echo $$; while :; do sleep 0.05; done"
RUN = f"""
import os, signal, subprocess, sys
from tests.support.daemon import ending_with_us
started = subprocess.Popen(
    ending_with_us("sh", "-c", {SLEEPS!r}, by=sys.argv[1]),
    stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL,
)
sys.stdout.buffer.write(started.stdout.readline())
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("by", ["KILL", "TERM"])
def test_a_killed_run_leaves_no_program(by: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, by],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{REPO}/operator:{REPO}"},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    program = Path("/proc", done.stdout.strip())
    deadline = time.monotonic() + 10
    while _lives(program) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _lives(program)
    assert (tmp_path / "asked").exists() is (by == "TERM")


def _lives(program: Path) -> bool:
    """Whether the program runs; a zombie does not."""
    try:
        return (program / "stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def _mariadb(folder: Path) -> None:
    layout = InnodbLayout(server="mariadb", keys=str(folder), **places(folder))
    MariaDB(layout, spec_of_testbed(PLAINTEXT), {}, folder).start()


def _mount(folder: Path) -> None:
    fuse.Mount("none", folder, folder, folder).start()


def _client(folder: Path) -> None:
    local_client._start(["true"], {}, folder / "log")


def _proxy(folder: Path) -> None:
    with confidential.running(folder, 3306, binary=Path("/bin/true")):
        pass


class StartedError(Exception):
    """Instead of a process."""


@pytest.mark.parametrize("start", [_mariadb, _mount, _client, _proxy])
def test_what_tests_start_ends_with_them(
    start: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def popen(argv: list[str], **_: Any) -> None:
        assert "--pdeathsig" in argv
        raise StartedError

    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(fuse, "programs", lambda: tmp_path)
    with pytest.raises(StartedError):
        start(tmp_path)
