"""A tool under the turnstile, as in an interleaved block, and what its server says meanwhile."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar

from encbench.core.slices import SliceFacts, Slices, of_clients
from encbench.sidecars.recorder import barrier
from encbench.wire import environment as names
from encbench.wire.files import COUNTERS, SLICES, TIMETABLE
from encbench.wire.slices import OwnSlots
from tests.cluster.binaries import compiled

Reading = TypeVar("Reading")

LATE = 0.1
"""Seconds by which a turn may come too late."""
ATTEMPTS = 3


@dataclass(frozen=True)
class Turns(Generic[Reading]):
    """One run by a timetable."""

    start: float
    code: int
    output: str
    slices: Slices
    readings: list[Reading]
    """Of the server: before each slot while no client runs, and after the last."""
    late: frozenset[int]
    """The readings that ended when their slot had begun, because the machine was busy."""


def take(
    words: Sequence[str],
    folder: Path,
    slots: OwnSlots,
    threads: int,
    environment: Mapping[str, str],
    read: Callable[[], Reading],
) -> Turns[Reading]:
    """Run a tool that counts its events in its slots; anew where a busy machine let it be late."""
    own = ["--timetable", TIMETABLE, "--summary", SLICES, "--counters", COUNTERS]
    # It may be compiled now: each timetable begins after that.
    command = [str(compiled("turnstile") / "turnstile"), "run", *own, "--threads", str(threads)]
    for number in range(ATTEMPTS):
        attempt = folder / f"{number}"
        attempt.mkdir()
        turns = _taken([*command, "--", *words], attempt, slots, environment, read)
        if not _was_late(turns, slots):
            break
    return turns


def _taken(
    command: Sequence[str],
    folder: Path,
    slots: OwnSlots,
    environment: Mapping[str, str],
    read: Callable[[], Reading],
) -> Turns[Reading]:
    start = time.time() + 0.2
    barrier.write_timetable(folder, start, slots)
    output = folder / "output.log"
    with (
        output.open("w") as log,
        subprocess.Popen(
            command,
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment, names.COUNTERS: str(folder / COUNTERS)},
        ) as tool,
    ):
        readings, late = [], set()
        for slot in range(slots["slots"] + 1):
            guard = slots["period"] - slots["slice"]
            begin = start + slots["warmup"] + slot * slots["period"]
            time.sleep(max(0.0, begin - guard / 2 - time.time()))
            readings.append(read())
            if slot < slots["slots"] and time.time() > begin:
                late.add(slot)
        code = tool.wait(60)
    slices = of_clients([json.loads((folder / SLICES).read_text())], [0.0], slots["slots"])
    return Turns(start, code, output.read_text(), slices, readings, frozenset(late))


def _was_late(turns: Turns[Any], slots: OwnSlots) -> bool:
    """Whether a turn was, or so many readings that little is known of the slots."""
    return len(turns.late) > slots["slots"] // 3 or any(
        max(_lateness(turns, row, slots)) >= LATE for row in turns.slices.rows
    )


def _lateness(turns: Turns[Any], row: SliceFacts, slots: OwnSlots) -> tuple[float, float, float]:
    """Seconds by which begin, counting and end of a turn were late."""
    begin = turns.start + slots["warmup"] + row.slot * slots["period"]
    return (
        row.begin - begin,
        row.counted - begin - slots["settle"],
        row.end - begin - slots["slice"],
    )


def kept(turns: Turns[Any], slots: OwnSlots) -> None:
    """Checks that the tool ran in its slots."""
    assert [row.slot for row in turns.slices.rows] == slots["own"]
    for row in turns.slices.rows:
        begin, counted, end = _lateness(turns, row, slots)
        assert 0 <= begin < LATE
        assert abs(counted) < LATE
        assert abs(end) < LATE


def counted(turns: Turns[Any], commits: Sequence[int], slots: OwnSlots, threads: int) -> None:
    """Checks that the tool counted what its server committed, and did nothing in others' slots.

    One transaction a thread may be under way when the tool stops: the server commits it without
    the tool, perhaps a moment after the reading. A late reading has some of the next slot's: the
    two slots beside it are judged as one.
    """
    assert len(turns.late) <= slots["slots"] // 3, turns.late
    assert list(commits) == sorted(commits)
    for first, last in pairwise(n for n in range(slots["slots"] + 1) if n not in turns.late):
        of_tool = sum(row.all_transactions for row in turns.slices.rows if first <= row.slot < last)
        of_server = commits[last] - commits[first]
        assert abs(of_server - of_tool) <= threads, (first, last, of_server, of_tool)
    for row in turns.slices.rows:
        assert 0 < row.transactions < row.all_transactions


def measured(turns: Turns[Any], slots: OwnSlots, threads: int) -> None:
    """Checks that latency is of transactions without a stop.

    Threads are at work whenever counting begins: their transactions are on either side.
    """
    slices = turns.slices
    whole = sum(count for _, _, count in slices.latency)
    assert abs(whole + slices.spanned - slices.transactions) <= 2 * threads * len(slices.rows)
    # Nearly all threads are at work at every stop, the one after the warm-up included.
    stops = len(slices.rows) + 1
    assert 0.5 * threads * stops < slices.spanned <= threads * stops
    assert whole > 0.9 * slices.transactions
    # Were stops included, the longest would last for a slot.
    assert max(high for _, high, _ in slices.latency) < 1000 * slots["slice"]
    middle = sum((low + high) / 2 * count for low, high, count in slices.latency) / whole
    busy = 1000 * threads * slices.seconds / slices.transactions
    assert abs(middle - busy) < 0.1 * busy
