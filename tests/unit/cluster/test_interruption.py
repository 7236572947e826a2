"""What becomes of commands with a log when the process that waits for them is interrupted."""

import signal
import subprocess
from pathlib import Path
from typing import ClassVar

import pytest

from tests.cluster import command
from tests.support.kube import wait_for


class Interrupted(subprocess.Popen[bytes]):
    """A command; who first waits for it is interrupted once it has left the file `begun`."""

    seen: ClassVar[list["Interrupted"]]
    begun: ClassVar[Path]

    def wait(self, timeout: float | None = None) -> int:
        if self in self.seen:
            return super().wait(timeout)
        self.seen.append(self)
        wait_for("the command", self.begun.exists, 60, every=0.01)
        raise KeyboardInterrupt


def interrupted(
    script: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *, contained: bool
) -> int:
    """What became of a shell that was interrupted, once it has ended."""
    Interrupted.seen, Interrupted.begun = [], folder / "begun"
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    monkeypatch.setattr(command, "_CONTAINED", ())
    argv, log = ["sh", "-c", script], folder / "output.log"
    # Children of a run in the background would ignore it, as the run itself does.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            command.run_logged(argv, log, timeout=60, cwd=folder, contained=contained)
    finally:
        signal.signal(signal.SIGINT, before)
    (process,) = Interrupted.seen
    assert contained or process.returncode is not None, "it has ended by now"
    return process.wait()


def test_an_interruption_waits_for_the_package_manager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what keeps services from starting would be removed under it."""
    script = "trap '' INT; touch begun; sleep 0.5; touch finished"
    assert interrupted(script, tmp_path, monkeypatch, contained=False) == 0
    assert (tmp_path / "finished").exists()


@pytest.mark.parametrize(("contained", "how"), [(False, signal.SIGINT), (True, signal.SIGKILL)])
def test_an_interruption_ends_what_would_run_for_long(
    contained: bool, how: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "touch begun; exec sleep 30"
    assert interrupted(script, tmp_path, monkeypatch, contained=contained) == -how
