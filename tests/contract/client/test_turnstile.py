"""sysbench under the turnstile, against a real MariaDB whose own counters say what ran when."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from encbench.core.slices import Slices, of_clients
from encbench.sidecars.recorder import barrier
from encbench.tools.sysbench import command
from encbench.wire.files import COUNTERS, SLICES, TIMETABLE
from encbench.wire.slices import OwnSlots, SlicesFile
from tests.cluster import binaries, cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.contract.client.sysbench import Bench

COUNTING = Path(command.__file__).with_name("counters.lua")
THREADS = 3
SLOTS = OwnSlots(warmup=1.5, period=1.1, slice=1.0, settle=0.3, slots=6, own=[1, 3, 4])


@pytest.fixture(scope="session")
def turnstile() -> Path:
    """The program."""
    layout, console = Layout.from_environment(), Console()
    with cache.exclusive(layout, console):
        return binaries.ensure(layout, console, "turnstile") / "turnstile"


@pytest.fixture(scope="module")
def run(turnstile: Path, bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One run, with the server's counter of commits while the tool was stopped between slots."""
    folder = tmp_path_factory.mktemp("run")
    script = folder / "session.lua"
    session = Path(command.__file__).with_name(command.SESSION_SCRIPT)
    script.write_text(session.read_text() + COUNTING.read_text())
    words = bench.words("oltp_read_write", warmup="0s", duration="9s")
    words = [str(script) if word == str(session) else word for word in words]
    start = time.time() + 0.2
    barrier.write_timetable(folder, start, SLOTS)
    own = ["--timetable", TIMETABLE, "--summary", SLICES, "--counters", COUNTERS]
    with subprocess.Popen(
        [
            str(turnstile),
            "run",
            *own,
            "--threads",
            str(THREADS),
            "--",
            *words,
            f"--threads={THREADS}",
        ],
        cwd=folder,
        stdout=(folder / "output.log").open("w"),
        env={**os.environ, "ENCBENCH_COUNTERS": str(folder / COUNTERS)},
    ) as tool:
        commits = {}
        for slot in range(SLOTS["slots"] + 1):
            # In the middle of the guard before the slot.
            moment = start + SLOTS["warmup"] + slot * SLOTS["period"] - 0.05
            time.sleep(max(0.0, moment - time.time()))
            commits[slot] = bench.counter("Com_commit")
        code = tool.wait(30)
    file: SlicesFile = json.loads((folder / SLICES).read_text())
    return {
        "code": code,
        "file": file,
        "slices": of_clients([file], [0.0], 2),
        "commits": commits,
        "start": start,
        "output": (folder / "output.log").read_text(),
    }


def test_the_tool_ends_as_it_would_alone(run: dict[str, Any]) -> None:
    assert run["code"] == 0
    assert "encbench-session tls=none" in run["output"]
    assert "transactions:" in run["output"]


def test_slots_are_kept(run: dict[str, Any]) -> None:
    slices: Slices = run["slices"]
    assert [row.slot for row in slices.rows] == SLOTS["own"]
    for row in slices.rows:
        begin = run["start"] + SLOTS["warmup"] + row.slot * SLOTS["period"]
        assert begin <= row.begin < begin + 0.1
        assert row.counted == pytest.approx(begin + SLOTS["settle"], abs=0.1)
        assert row.end == pytest.approx(begin + SLOTS["slice"], abs=0.1)


def test_every_transaction_is_counted_in_its_slot(run: dict[str, Any]) -> None:
    """A transaction that the server has committed may not have been counted yet: one a thread."""
    commits, slices = run["commits"], run["slices"]
    for slot in set(range(SLOTS["slots"])) - set(SLOTS["own"]):
        assert commits[slot + 1] == commits[slot]
    for row in slices.rows:
        of_server = commits[row.slot + 1] - commits[row.slot]
        assert abs(of_server - row.all_transactions) <= THREADS
        assert 0 < row.transactions < row.all_transactions


def test_latency_is_of_transactions_without_a_stop(run: dict[str, Any]) -> None:
    slices: Slices = run["slices"]
    measured = sum(count for _, _, count in slices.latency)
    # Counting begins and ends while threads are at work: one transaction of each is on either side.
    assert abs(measured + slices.spanned - slices.transactions) <= 2 * THREADS * len(slices.rows)
    assert measured > 0.9 * slices.transactions
    # Were stops included, the longest would last for a slot.
    assert max(high for _, high, _ in slices.latency) < 1000 * SLOTS["slice"]
    middle = sum((low + high) / 2 * count for low, high, count in slices.latency) / measured
    assert middle == pytest.approx(1000 * THREADS * slices.seconds / slices.transactions, rel=0.1)


def test_cpu_is_that_of_the_counted_part(run: dict[str, Any]) -> None:
    for row in run["slices"].rows:
        assert 0 < row.client_cpu_seconds < row.seconds
