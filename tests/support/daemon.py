"""Starting a real server for a test on loopback, and ending exactly that one."""

import itertools
import os
import random
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

READY_SECONDS = 60
PORTS = 1_500
"""How many a worker has."""
MINIO_CONSOLE = 13_333
"""MinIO keeps it for its console, a switched off one too, and refuses to serve on it."""


def _own_ports() -> Iterator[int]:
    """Ports of this worker of pytest-xdist, round and round.

    They lie below NodePorts and below those that the kernel gives to outgoing connections, for a
    server may take seconds until it binds its own. The beginning is random for the sake of another
    run on this machine.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 12_000 + PORTS * (worker % 12)
    ports = [port for port in range(first, first + PORTS) if port != MINIO_CONSOLE]
    begin = random.randrange(len(ports))
    return itertools.cycle([*ports[begin:], *ports[:begin]])


_own = _own_ports()


def free_port() -> int:
    """A port of the loopback address that nobody listens on now, and a new one each time."""
    for port in itertools.islice(_own, PORTS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port of this worker's is free")


def ending_with_us(*command: str, by: str = "KILL") -> list[str]:
    """The command, whose process gets a signal when this one ends, however that ends.

    So a killed run leaves no server. For the kernel it is the thread that started it which ends.
    """
    setpriv = shutil.which("setpriv")
    return [*((setpriv, "--pdeathsig", by) if setpriv else ()), *command]


@contextmanager
def running(
    argv: Sequence[str],
    *,
    ready: str,
    log: Path,
    env: Mapping[str, str] | None = None,
    trust: ssl.SSLContext | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """The program, once `ready` (a URL) answers 200; it is killed at the exit.

    `trust` is for a server whose certificate is by a CA of ours.

    It dies with this process too, however that ends, and has nothing to save: some would take
    seconds to say goodbye. RuntimeError with the log's end when it does not become ready.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            ending_with_us(*argv),
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(process, ready, log, trust)
        yield process
    finally:
        process.kill()
        process.wait()


def _wait(
    process: subprocess.Popen[bytes], ready: str, log: Path, trust: ssl.SSLContext | None
) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(ready, timeout=2, context=trust) as answer:  # noqa: S310 - loopback
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        if process.poll() is not None:
            break
        time.sleep(0.05)
    said = log.read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{process.args!r} did not become ready:\n{said}")
