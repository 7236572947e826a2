"""Point queries of several arms in turns of a fraction of a second.

Every arm has a sysbench of its own that stays connected and is stopped (SIGSTOP) while others have
the machine. So what else runs there meets the arms that are compared within the same second, and a
turn needs no warmup and no connection of its own. The rate is the wall clock's, from
transactions that the client's threads count. Beside it stands the CPU time of a transaction, the
client's and that of its backends.
"""

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.bench.clock import cpu_seconds

SCRIPT = Path(__file__).with_suffix(".lua")
REFILL = 0.05
"""Seconds at the start of a turn that do not count, because the one before has left its own data in
the caches."""
LINE = 64
"""Bytes between two threads' counts."""


class Turn(NamedTuple):
    """What an arm did in one."""

    per_second: float
    client_us: float
    """CPU time of a transaction."""
    server_us: float


@dataclass(frozen=True)
class Client:
    """A sysbench, stopped."""

    process: "subprocess.Popen[bytes]"
    counts: Path
    said: Path
    backends: Sequence[Path]
    """Their folders in `/proc`."""

    def turn(self, seconds: float) -> Turn:
        """Let it run for so long."""
        self.process.send_signal(signal.SIGCONT)
        time.sleep(REFILL)
        before, began = self._spent(), time.monotonic()
        time.sleep(seconds)
        after, ended = self._spent(), time.monotonic()
        self.process.send_signal(signal.SIGSTOP)
        if self.process.poll() is not None:
            raise SystemExit(f"sysbench ended:\n{self.said.read_text()}")
        done, client, server = (new - old for old, new in zip(before, after, strict=True))
        return Turn(done / (ended - began), client / done * 1e6, server / done * 1e6)

    def _spent(self) -> tuple[int, float, float]:
        """Transactions, and seconds of CPU of the client and of its backends, so far."""
        server = sum(int((one / "schedstat").read_text().split()[0]) for one in self.backends)
        return sum(_done(self.counts)), cpu_seconds(self.process.pid), server / 1e9


@contextmanager
def client(
    command: Sequence[str], script: Path, threads: int, backends: Callable[[str], list[Path]]
) -> Iterator[Client]:
    """A sysbench that has begun to work and then been stopped.

    In the command, SCRIPT stands for what counts the transactions of `script`. `backends` finds the
    folders in `/proc` of those with an application's name.
    """
    with tempfile.TemporaryDirectory(prefix="encbench-points-") as folder:
        counts, said = Path(folder, "counts"), Path(folder, "said")
        counts.write_bytes(bytes(LINE * threads))
        environment = {
            "PATH": "/usr/bin:/bin",
            "PGSSLMODE": "disable",
            "PGAPPNAME": Path(folder).name,
            "SCRIPT": str(script),
            "COUNTS": str(counts),
        }
        words = [str(SCRIPT) if word == "SCRIPT" else word for word in command]
        with said.open("wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, env=environment)
        try:
            deadline = time.monotonic() + 30
            while not (done := _done(counts)) or 0 in done:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"sysbench did not begin:\n{said.read_text()}")
                time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            yield Client(process, counts, said, backends(Path(folder).name))
        finally:
            process.kill()
            process.wait()


def _done(counts: Path) -> list[int]:
    """Transactions of each thread so far."""
    raw = counts.read_bytes()
    return [int.from_bytes(raw[at : at + 8], "little") for at in range(0, len(raw), LINE)]
