"""A stand-in for sysbench: a process of that name that writes its lines and burns CPU as told.

Run as a script: `fake_tool.py WARMUP SECONDS CORES [EXIT_CODE]`. Standard library only.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_SAMPLE = (
    "[ {0}s ] thds: 1 tps: {1:.2f} qps: {1:.2f} (r/w/o: 1.00/0.00/0.00) "
    "lat (ms,95%): 1.50 err/s: 2.00 reconn/s: 0.00"
)


ACCOUNT = "After the warm-up, as the process knows it: "


class Account(NamedTuple):
    """The window by the stand-in's own account."""

    start: float
    """Unix time."""
    seconds: float
    cpu_seconds: float


def account(output: str) -> Account:
    """From the last line of its output."""
    return Account(*map(float, output.rpartition(ACCOUNT)[2].split()))


def command(folder: Path, *arguments: object) -> list[str]:
    """A command line whose process is called sysbench; `folder` holds what that takes."""
    name = folder / "sysbench"
    if not name.exists():
        name.symlink_to(Path(sys.executable).resolve())
    return [str(name), "-S", "-E", __file__, *map(str, arguments)]


def main(arguments: Sequence[str]) -> int:
    """Write what sysbench would, and burn that many cores' worth of CPU time after the warm-up."""
    warmup, seconds, cores = int(arguments[0]), int(arguments[1]), float(arguments[2])
    code = int(arguments[3]) if len(arguments) > 3 else 0
    print("sysbench 1.0.20 (a stand-in)", flush=True)
    print("Threads started!", flush=True)
    start = time.monotonic()
    begun = time.time(), start, time.process_time()
    for second in range(1, warmup + seconds + 1):
        burning = second > warmup
        _spend(start + second, cores if burning else 0.0)
        if second == warmup:
            begun = time.time(), time.monotonic(), time.process_time()
            print(f"[ {second}s ] Checkpoint report:", flush=True)
        print(_SAMPLE.format(second, 100.0 * second), flush=True)
    length, used = time.monotonic() - begun[1], time.process_time() - begun[2]
    print(f"{ACCOUNT}{begun[0]:.3f} {length:.3f} {used:.3f}", flush=True)
    return code


def _spend(until: float, cores: float) -> None:
    """CPU time up to `cores` of each 10 ms, by the CPU clock, until then."""
    used = time.process_time()
    begun = time.monotonic()
    while (now := time.monotonic()) < until:
        if time.process_time() - used >= cores * (now - begun):
            time.sleep(min(0.01, until - now))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
