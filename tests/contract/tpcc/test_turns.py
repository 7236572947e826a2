"""Our own client under the turnstile: do its counts per slot agree with the server's own?"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from encbench.core.figure_names import NEW_ORDERS
from encbench.tools.measurement import in_slices
from encbench.tools.tpcc.jobs import CLIENT
from encbench.tools.tpcc.parser import parse
from encbench.wire.slices import OwnSlots
from tests.support import mariadb, turns
from tests.support.tpcc import Bench, loaded
from tests.support.turns import Turns
from tests.support.workloads import tpcc_spec

TERMINALS = 3
# A JVM needs longer than sysbench to start, and to compile what it runs.
SLOTS = OwnSlots(warmup=6.0, period=1.7, slice=1.5, settle=0.3, slots=7, own=[1, 3, 4, 6])
# A Delivery has a commit for each district.
MIX = {"newOrder": 45, "payment": 43, "orderStatus": 6, "delivery": 0, "stockLevel": 6}
SPEC = tpcc_spec({"warehouses": 1, "mix": MIX}, {"warmup": "5s", "duration": "13s"})

_STATUS = "(SELECT variable_value FROM information_schema.global_status WHERE variable_name = '{}')"
COUNTS = (
    f"SELECT {_STATUS.format('COM_COMMIT')}, {_STATUS.format('COM_ROLLBACK')}, "  # noqa: S608
    "(SELECT SUM(d_next_o_id) FROM sbtest.bmsql_district)"
)


class Reading(NamedTuple):
    """The server's own counts."""

    commits: int
    rollbacks: int
    orders: int


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A plaintext MariaDB with one warehouse."""
    with mariadb.running({}, dataset=loaded(1)) as server:
        yield Bench(server, tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def run(
    precedence_of_all: None, bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> Turns[Reading]:
    """One run by the operator's command line."""

    def read() -> Reading:
        (row,) = bench.server.admin(COUNTS)
        return Reading(*(int(count) for count in row))

    (own,) = bench.arguments(SPEC, TERMINALS)
    return turns.take(
        ["sh", "-c", CLIENT, "client.sh", "own", "run", *own.split()],
        tmp_path_factory.mktemp("run"),
        *(SLOTS, TERMINALS, bench.run_environment(SPEC)),
        read,
    )


def _events(run: Turns[Reading], name: str) -> list[dict[str, Any]]:
    mark = "encbench-tpcc "
    lines = [line for line in run.output.splitlines() if line.startswith(mark)]
    found = [json.loads(line.removeprefix(mark)) for line in lines]
    return [event for event in found if event["event"] == name]


def test_the_client_ends_as_it_would_alone(run: Turns[Reading]) -> None:
    assert run.code == 0, run.output[-2000:]
    (result,) = _events(run, "result")
    assert result["complete"]
    assert (result["errors"], result["reconnects"]) == (0, 0)
    # What the client counted of its whole run includes every slice.
    assert result["transactions"] >= run.slices.transactions


def test_slots_are_kept(run: Turns[Reading]) -> None:
    turns.kept(run, SLOTS)


def test_every_transaction_is_counted_in_its_slot(run: Turns[Reading]) -> None:
    assert _events(run, "result")[0]["retries"] == 0, "each would be one rollback more"
    ends = [one.commits + one.rollbacks for one in run.readings]
    turns.counted(run, ends, SLOTS, TERMINALS)


def test_new_orders_are_counted(run: Turns[Reading]) -> None:
    """The server has them for whole slots, which are longer than what counts."""
    for row in run.slices.rows:
        before, after = run.readings[row.slot : row.slot + 2]
        given = after.orders - before.orders + after.rollbacks - before.rollbacks
        assert 0 < row.new_orders <= given + TERMINALS
    whole = run.slices.transactions
    share = MIX["newOrder"] / 100
    assert abs(run.slices.new_orders - whole * share) < 5 * (whole * share * (1 - share)) ** 0.5
    found = in_slices(parse(run.output), run.slices).extra
    assert found[NEW_ORDERS] == pytest.approx(run.slices.new_orders / run.slices.seconds)


def test_latency_is_of_transactions_without_a_stop(run: Turns[Reading]) -> None:
    turns.measured(run, SLOTS, TERMINALS)


def test_a_stop_is_one_long_second(run: Turns[Reading]) -> None:
    seconds = _events(run, "second")
    numbers = [event["second"] for event in seconds]
    assert numbers == sorted(set(numbers))
    assert any(event["seconds"] > SLOTS["period"] for event in seconds)
    # A stop swallows a whole second, or makes the next one short: it depends on when it began.
    assert sum(event["seconds"] for event in seconds) == pytest.approx(numbers[-1], abs=1)


def test_cpu_is_that_of_the_counted_part(run: Turns[Reading]) -> None:
    for row in run.slices.rows:
        assert 0 < row.client_cpu_seconds < 2 * row.seconds


def test_the_tables_are_consistent_after_it(bench: Bench, run: Turns[Reading]) -> None:
    assert run.code == 0
    done = bench.check()
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
