"""sysbench under the turnstile, against a real MariaDB whose own counters say what ran when."""

from pathlib import Path

import pytest

from encbench.tools.sysbench import command
from encbench.wire.slices import OwnSlots
from tests.contract.client.sysbench import Bench
from tests.support import turns
from tests.support.turns import Turns

COUNTING = Path(command.__file__).with_name("counters.lua")
THREADS = 3
SLOTS = OwnSlots(warmup=1.5, period=1.2, slice=1.0, settle=0.3, slots=6, own=[1, 3, 4])


@pytest.fixture(scope="module")
def run(
    precedence_of_all: None, bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> Turns[int]:
    """One run, with the server's counter of commits while the tool was stopped between slots."""
    folder = tmp_path_factory.mktemp("run")
    script = folder / "session.lua"
    session = Path(command.__file__).with_name(command.SESSION_SCRIPT)
    script.write_text(session.read_text() + COUNTING.read_text())
    words = bench.words("oltp_read_write", warmup="0s", duration="9s")
    words = [str(script) if word == str(session) else word for word in words]
    return turns.take(
        [*words, f"--threads={THREADS}"],
        *(folder, SLOTS, THREADS, {}),
        lambda: bench.counter("Com_commit"),
    )


def test_the_tool_ends_as_it_would_alone(run: Turns[int]) -> None:
    assert run.code == 0
    assert "encbench-session tls=none" in run.output
    assert "transactions:" in run.output


def test_slots_are_kept(run: Turns[int]) -> None:
    turns.kept(run, SLOTS)


def test_every_transaction_is_counted_in_its_slot(run: Turns[int]) -> None:
    turns.counted(run, run.readings, SLOTS, THREADS)
    assert run.slices.new_orders == 0


def test_latency_is_of_transactions_without_a_stop(run: Turns[int]) -> None:
    turns.measured(run, SLOTS, THREADS)


def test_cpu_is_that_of_the_counted_part(run: Turns[int]) -> None:
    for row in run.slices.rows:
        assert 0 < row.client_cpu_seconds < row.seconds
