"""Commands with a log and a bound: what becomes of one that takes too long."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.command import run_logged
from tests.cluster.console import ClusterError

FINISHES = "while [ ! -e asked ]; do sleep 0.1; done; sleep 0.5; touch finished"
"""Goes on for a while after it was asked to stop."""


@pytest.fixture
def deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A child is deaf to what asks it to stop, as dpkg is in a maintainer's script.

    It is from its first moment on, where a shell that ignores the signal by itself may begin to do
    so too late. A file tells it that it was asked.
    """

    def ask(process: "subprocess.Popen[bytes]", number: int) -> None:
        os.kill(process.pid, number)
        (tmp_path / "asked").touch()

    monkeypatch.setattr(subprocess.Popen, "send_signal", ask)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("deaf")
def test_the_package_manager_has_ended_when_its_time_is_said_to_be_over(tmp_path: Path) -> None:
    """Else services would start: what keeps them from that is removed next."""
    log = tmp_path / "packages.log"
    with pytest.raises(ClusterError, match="sh took longer than 0 s"):
        run_logged(["sh", "-c", FINISHES], log, timeout=0.5, cwd=tmp_path, contained=False)
    assert (tmp_path / "finished").exists()
    assert log.read_text().startswith("$ sh -c while")
