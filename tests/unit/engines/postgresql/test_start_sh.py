"""The script that starts the server, under the shells that images have; the server is played."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.shells import SHELLS

SCRIPT = Path(__file__).parents[4] / "operator/encbench/engines/postgresql/start.sh"
SERVER = f"""#!{sys.executable} -IS
import os, signal, sys, time
state = os.environ["STATE"]
def say(name, text):
    with open(f"{{state}}/{{name}}", "w") as file:
        file.write(text + "\\n")
def fast(*_):
    say("shutdown", "fast")
    while not os.path.exists(f"{{state}}/may-end"):
        time.sleep(0.01)
    sys.exit(0)
def smart(*_):
    say("shutdown", "smart")
    sys.exit(9)
signal.signal(signal.SIGINT, fast)
signal.signal(signal.SIGTERM, smart)
say("arguments", " ".join(sys.argv[1:]))
say("up", "")
while True:
    signal.pause()
"""
"""Not a shell's script: the shell that starts it has it ignore INT, as the real server does not."""
FAILING = "#!/bin/sh\nexit 7\n"
CRASHED = "volume/crashed.pid"

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(params=SHELLS)
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Starts the script with a server of our own in place of the real one."""
    made: list[subprocess.Popen[bytes]] = []
    (tmp_path / "bin").mkdir()
    (tmp_path / "volume" / "data").mkdir(parents=True)

    def run(server: str = SERVER) -> "subprocess.Popen[bytes]":
        program = tmp_path / "bin" / "postgres"
        program.write_text(server)
        program.chmod(0o755)
        made.append(
            subprocess.Popen(
                [*request.param, str(SCRIPT), str(tmp_path / "volume"), "/etc/postgresql.conf"],
                env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "STATE": str(tmp_path)},
            )
        )
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()


def wait_for(path: Path) -> str:
    deadline = time.monotonic() + 10
    while not path.exists() or not path.read_text().endswith("\n"):
        assert time.monotonic() < deadline, path
        time.sleep(0.01)
    return path.read_text().strip()


def test_a_request_to_end_is_a_fast_shutdown_that_is_waited_for(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / CRASHED).touch()
    process = start()
    wait_for(tmp_path / "up")
    assert not (tmp_path / CRASHED).exists(), "it was an earlier server's"
    assert wait_for(tmp_path / "arguments") == (
        f"-D {tmp_path}/volume/data --config-file=/etc/postgresql.conf"
    )
    process.send_signal(signal.SIGTERM)
    assert wait_for(tmp_path / "shutdown") == "fast"
    time.sleep(0.3)
    assert process.poll() is None
    (tmp_path / "may-end").touch()
    assert process.wait(10) == 0
    assert not (tmp_path / CRASHED).exists()


def test_the_server_s_own_failure_is_the_container_s(start: Start, tmp_path: Path) -> None:
    assert start(FAILING).wait(10) == 7
    assert (tmp_path / CRASHED).exists()


def test_a_volume_whose_mount_is_gone_stays_empty(start: Start, tmp_path: Path) -> None:
    """A FUSE file system that died is mounted anew on an empty folder only."""
    (tmp_path / "volume" / "data").rmdir()
    assert start(FAILING).wait(10) == 7
    assert not list((tmp_path / "volume").iterdir())


def test_a_crash_during_the_shutdown_leaves_a_pid_file(start: Start, tmp_path: Path) -> None:
    """The server's own is gone then, and a copy of the data must be refused all the same."""
    (tmp_path / "may-end").touch()
    process = start(SERVER.replace("sys.exit(0)", "sys.exit(1)"))
    wait_for(tmp_path / "up")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 1
    assert (tmp_path / CRASHED).exists()


LOCKS = ("data/postmaster.pid", ".s.PGSQL.5432.lock")
"""Of its data and of its socket."""


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("left", ["2147480000", "not a number", ""])
def test_what_a_dead_server_left_behind_goes(
    start: Start, tmp_path: Path, left: str, lock: str
) -> None:
    file = tmp_path / "volume" / lock
    file.write_text(f"{left}\n/data\n")
    start(FAILING).wait(10)
    assert not file.exists()


def test_the_number_may_be_another_process_s_by_now(start: Start, tmp_path: Path) -> None:
    lock = tmp_path / "volume" / "data" / "postmaster.pid"
    lock.write_text("self\n")
    start(FAILING).wait(10)
    assert not lock.exists()


def test_a_server_that_runs_keeps_what_is_its_own(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "postgres"
    program.symlink_to("/bin/sleep")
    other = subprocess.Popen([str(program), "30"])
    locks = [tmp_path / "volume" / lock for lock in LOCKS]
    for lock in locks:
        lock.write_text(f"{other.pid}\n")
    try:
        _wait_for_its_name(other.pid)
        start(FAILING).wait(10)
        assert all(lock.exists() for lock in locks)
    finally:
        other.kill()
        other.wait()


def _wait_for_its_name(pid: int) -> None:
    """Popen returns when the program has begun to replace Python, and its name comes after that."""
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/comm").read_text() != "postgres\n":
        assert time.monotonic() < deadline
        time.sleep(0.01)
