"""Starting a real server for a test on loopback, and ending exactly that one."""

import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(
    argv: Sequence[str], *, ready: str, log: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The program, once `ready` (a URL) answers 200; it is ended at the exit.

    It dies with this process too, however that ends. RuntimeError with the log's end when it does
    not become ready.
    """
    contained = ["setpriv", "--pdeathsig", "KILL", *argv] if shutil.which("setpriv") else list(argv)
    with log.open("ab") as output:
        process = subprocess.Popen(
            contained,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(process, ready, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], ready: str, log: Path, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(ready, timeout=2) as answer:  # noqa: S310 - loopback
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        if process.poll() is not None:
            break
        time.sleep(0.05)
    said = log.read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{process.args!r} did not become ready:\n{said}")
