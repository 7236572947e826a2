"""The wrapper by itself, under the shells that tool images have. Its barrier is played here."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.kube import wait_for
from tests.support.shells import SHELLS

SCRIPT = Path(__file__).parents[3] / "operator/encbench/tools/run.sh"


class Wrapper:
    """One run of the script."""

    def __init__(self, folder: Path, shell: list[str], command: str, seconds: int, **env: str):
        words = [*shell, str(SCRIPT), str(seconds), "sh", "-c", command, "tool"]
        self.folder = folder
        self.process = subprocess.Popen(
            words,
            env={**os.environ, "ENCBENCH_RUN_DIR": str(folder), **env},
            stderr=subprocess.PIPE,
            text=True,
        )

    def text(self, name: str) -> str:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            path = self.folder / name
            if path.is_file() and (text := path.read_text()).endswith("\n"):
                return text
            time.sleep(0.01)
        raise AssertionError(f"{name} did not come")

    def release(self) -> None:
        self.text("ready")
        with (self.folder / "start").open("w") as start:
            start.write("1700000000.5\ngo\n")

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


Run = Callable[..., Wrapper]


@pytest.fixture(params=SHELLS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    def start(command: str, seconds: int = 10, **env: str) -> Wrapper:
        return Wrapper(tmp_path, request.param, command, seconds, **env)

    return start


def test_nothing_runs_before_the_release(run: Run) -> None:
    wrapper = run("echo ran")
    assert int(wrapper.text("ready")) == wrapper.process.pid
    time.sleep(0.2)
    assert not (wrapper.folder / "began").exists()
    wrapper.release()
    assert wrapper.end() == (0, "")
    assert wrapper.text("output.log") == "ran\n"


def test_waiting_for_go_after_the_time_is_known(run: Run) -> None:
    wrapper = run("echo ran")
    wrapper.text("ready")
    with (wrapper.folder / "start").open("w", buffering=1) as start:
        start.write("1700000000.5\n")
        time.sleep(0.2)
        assert not (wrapper.folder / "began").exists()
        start.write("go\n")
    assert wrapper.end()[0] == 0


def test_the_tool_knows_when_it_was_to_start(run: Run) -> None:
    wrapper = run("echo $ENCBENCH_START_AT")
    wrapper.release()
    wrapper.end()
    assert wrapper.text("output.log") == "1700000000.5\n"


def test_stamps_are_the_uptime_and_the_tool_s_cpu(run: Run) -> None:
    wrapper = run("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    wrapper.release()
    wrapper.end()
    uptime, ticks = (float(word) for word in wrapper.text("began").split())
    code, *rest = wrapper.text("ended").split()
    uptime_2, ticks_2 = (float(word) for word in rest)
    assert code == "0"
    uptime_now = float(Path("/proc/uptime").read_text().split()[0])
    assert uptime_now - 20 < uptime <= uptime_2 <= uptime_now
    used = (ticks_2 - ticks) / os.sysconf("SC_CLK_TCK")
    assert 0.05 < used <= uptime_2 - uptime + 0.05


def test_the_replica_s_own_arguments_come_last(run: Run) -> None:
    own = {"JOB_COMPLETION_INDEX": "1", "ENCBENCH_REPLICA_0": "a", "ENCBENCH_REPLICA_1": "b c"}
    wrapper = run('echo "$#: $*"', **own)
    wrapper.release()
    wrapper.end()
    assert wrapper.text("output.log") == "2: b c\n"


def test_a_failure_s_code_and_the_end_of_the_output_are_handed_on(run: Run) -> None:
    wrapper = run("for i in $(seq 30); do echo line $i; done; echo FATAL >&2; exit 3")
    wrapper.release()
    code, said = wrapper.end()
    assert code == 3
    assert wrapper.text("ended").startswith("3 ")
    assert said.splitlines()[-1] == "FATAL"
    assert len(said.splitlines()) == 20


def test_a_tool_that_does_not_end_is_ended(run: Run) -> None:
    wrapper = run("exec sleep 30", seconds=1)
    wrapper.release()
    code, _ = wrapper.end()
    assert code in (124, 143)
    assert wrapper.text("ended").startswith(f"{code} ")


def test_a_signal_ends_the_tool_and_its_code_is_stamped(run: Run) -> None:
    wrapper = run("trap 'exit 7' TERM; touch $ENCBENCH_RUN_DIR/up; while :; do sleep 0.05; done")
    wrapper.release()
    wait_for("the tool's trap", (wrapper.folder / "up").exists, 60, every=0.01)
    wrapper.process.send_signal(signal.SIGTERM)
    code, _ = wrapper.end()
    # coreutils' timeout hands the tool's own code on, but 124 if it counts the signal as its own.
    assert code in (7, 124)
    assert wrapper.text("ended").startswith(f"{code} ")


@pytest.mark.parametrize("wait", [0.0, 0.002, 0.005, 0.01, 0.02])
def test_a_signal_about_the_start_ends_the_tool_too(run: Run, wait: float) -> None:
    """It comes before the trap, between trap and tool, or while the tool starts."""
    wrapper = run("sleep 9 & wait")
    wrapper.release()
    time.sleep(wait)
    since = time.monotonic()
    wrapper.process.send_signal(signal.SIGTERM)
    code, _ = wrapper.end()
    assert code in (-signal.SIGTERM, 124, 143)
    assert time.monotonic() - since < 6


def test_a_recorder_that_dies_before_the_release_ends_the_wait(run: Run) -> None:
    wrapper = run("echo ran")
    wrapper.text("ready")
    with (wrapper.folder / "start").open("w"):
        pass
    code, said = wrapper.end()
    assert code == 70
    assert "before it released" in said
    assert not (wrapper.folder / "output.log").exists()


@pytest.mark.parametrize("file", ["ready", "began"])
def test_on_a_full_disk_no_tool_starts_and_it_says_so(run: Run, tmp_path: Path, file: str) -> None:
    (tmp_path / file).symlink_to("/dev/full")
    wrapper = run("echo ran")
    if file == "began":
        wrapper.release()
    code, said = wrapper.end()
    assert code == 70
    assert f"encbench: cannot write {tmp_path / file}, so the tool was not started" in said
    assert not (tmp_path / "output.log").exists()
