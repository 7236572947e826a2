"""Locks between runs, which the kernel frees when their holder dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from .console import ClusterError, Console

MACHINE: Final = Path("/run")
"""What a run locks that changes the machine's cluster. Caches and state directories may be several.
A directory that is always there, because a file of our own would be a trace."""


@contextmanager
def machine(console: Console, timeout: float = 1800) -> Iterator[None]:
    """Hold the lock of the machine's cluster."""
    handle = os.open(MACHINE, os.O_RDONLY | os.O_DIRECTORY)
    try:
        take(handle, "the cluster's lock", console, timeout)
        yield
    finally:
        os.close(handle)


def take(handle: int, name: str, console: Console, timeout: float) -> None:
    """Lock an open file, after whoever holds it. To close it is to give the lock back."""
    deadline = time.monotonic() + timeout
    waiting = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not waiting:
                console.say(f"another run holds {name}; waiting for it")
            waiting = True
            if time.monotonic() > deadline:
                raise ClusterError(f"another run has held {name} for {timeout:.0f} s") from None
            time.sleep(0.5)
