"""`tpcc run` on real servers: are its counts the database's own, whatever happens meanwhile?"""

import itertools
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from encbench.tools.gathering import VARIABLE
from tests.contract.tpcc.program import TYPES, WEIGHTS, Done, Program, ended
from tests.support import mariadb, postgres
from tests.support.subset import first_of
from tests.support.tpcc import loaded

pytestmark = pytest.mark.usefixtures("precedence")

ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "postgresql": postgres.running,
}
SHORT = {"terminals": 4, "warmupSeconds": 1, "runSeconds": 3}


@pytest.fixture(scope="module", params=first_of(ENGINES))
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """A server with two warehouses."""
    with ENGINES[request.param]({}, dataset=loaded(2)) as server:
        yield Program(server, tmp_path_factory.mktemp(request.param), 2)


@pytest.fixture
def counted(program: Program) -> Iterator[Callable[..., None]]:
    """Compares what clients counted with what the tables have got since the test began."""
    queries = {
        "orders": "SELECT COUNT(*) FROM @bmsql_oorder",
        "payments": "SELECT COUNT(*) FROM @bmsql_history",
        "delivered": "SELECT COUNT(*) FROM @bmsql_oorder WHERE o_carrier_id IS NOT NULL",
        "paid": "SELECT SUM(c_payment_cnt) FROM @bmsql_customer",
        "ordered": "SELECT SUM(s_order_cnt) FROM @bmsql_stock",
        "lines": "SELECT COUNT(*) FROM @bmsql_order_line",
    }
    before = {name: int(program.one(query)) for name, query in queries.items()}

    def compare(*clients: Done) -> None:
        grown = {name: int(program.one(query)) - before[name] for name, query in queries.items()}
        committed = {
            kind: sum(client.types[kind]["session"]["committed"] for client in clients)
            for kind in TYPES
        }
        assert grown["orders"] == committed["newOrder"]
        assert grown["payments"] == grown["paid"] == committed["payment"]
        assert grown["ordered"] == grown["lines"]
        delivered = sum(client.result["session"]["deliveredOrders"] for client in clients)
        skipped = sum(client.result["session"]["skippedDistricts"] for client in clients)
        assert grown["delivered"] == delivered
        assert delivered + skipped == 10 * committed["delivery"]
        check = program.run("check")
        assert check.code == 0, check.output

    yield compare


def test_what_is_measured(program: Program, counted: Callable[..., None]) -> None:
    done = program.run("run", terminals=4, warmupSeconds=2, runSeconds=6)
    assert done.code == 0, done.said
    counted(done)
    result = done.result
    assert result["complete"]
    assert result["errors"] == 0
    assert result["window"]["seconds"] == pytest.approx(6, abs=0.5)
    ended_well = {kind: one["committed"] + one["rolledBack"] for kind, one in done.types.items()}
    whole = sum(ended_well.values())
    assert result["transactions"] == whole
    assert int(done.measured("Transaction Count")) == whole
    assert float(done.measured("Measured tpmTOTAL")) == pytest.approx(10 * whole, rel=0.01)
    assert float(done.measured("Measured tpmC")) == pytest.approx(
        10 * ended_well["newOrder"], rel=0.01
    )
    for kind, weight in WEIGHTS.items():
        share = weight / 100
        deviation = (whole * share * (1 - share)) ** 0.5
        assert abs(ended_well[kind] - whole * share) < 5 * deviation + 1
    new_orders = done.types["newOrder"]
    expected = (new_orders["committed"] + new_orders["rolledBack"]) / 100
    assert abs(new_orders["rolledBack"] - expected) < 5 * expected**0.5 + 1
    assert all(done.types[kind]["rolledBack"] == 0 for kind in TYPES[1:])


@pytest.mark.full
def test_plain_statements_do_the_same(program: Program, counted: Callable[..., None]) -> None:
    done = program.run("run", plainStatements="true", **SHORT)
    assert done.code == 0, done.said
    assert done.result["errors"] == 0
    assert all(one["committed"] > 0 for one in done.types.values())
    counted(done)


@pytest.mark.full
def test_benchmarksql_s_statements_do_the_same(
    program: Program, counted: Callable[..., None]
) -> None:
    """With twenty terminals, ten of which are at one warehouse, deliveries meet each other."""
    weights = {"newOrderWeight": 45, "paymentWeight": 43, "deliveryWeight": 12}
    done = program.run(
        "run", statements="benchmarksql", **{**SHORT, "terminals": 20, "runSeconds": 8}, **weights
    )
    assert done.code == 0, done.said
    assert done.result["errors"] == 0, done.result["errorCounts"]
    assert done.types["delivery"]["committed"] > 0
    assert done.result["session"]["skippedDistricts"] == 0
    counted(done)


def test_lines_are_in_the_documented_order(program: Program) -> None:
    done = program.run("run", **SHORT)
    names = [event["event"] for event in done.events]
    # An edge is told before the second that ends with it.
    inside = ["started", "window", "second", "windowEnd", "second", "type", "result"]
    assert [name for name, _ in itertools.groupby(names)] == inside
    # Where the machine takes a second's time away, one second is left out.
    assert 2 < names.count("second") <= 4
    assert names.count("type") == 5


def test_histograms_are_the_transactions(program: Program) -> None:
    done = program.run("run", **SHORT)
    merged: dict[int, int] = {}
    for one in done.types.values():
        buckets = one["histogramUs"]
        assert sum(count for _, count in buckets) == one["committed"] + one["rolledBack"]
        assert [middle for middle, _ in buckets] == sorted({middle for middle, _ in buckets})
        for middle, count in buckets:
            merged[middle] = merged.get(middle, 0) + count
    assert sum(merged.values()) == done.result["transactions"]
    wanted = 0.95 * done.result["transactions"]
    cumulated = itertools.accumulate(
        sorted(merged.items()), lambda seen, one: (one[0], seen[1] + one[1])
    )
    p95 = next(middle for middle, seen in cumulated if seen >= wanted)
    assert p95 / 1000 == pytest.approx(done.result["latencyMs"]["p95"], rel=0.01)


@pytest.mark.full
def test_replicas_share_warehouses_and_districts_and_begin_together(
    program: Program, counted: Callable[..., None]
) -> None:
    parts = [(8, 0), (12, 8)]
    start, gather = time.time(), 8.0
    waiting = {"ENCBENCH_START_AT": f"{start}", VARIABLE: f"{gather:g}"}
    processes = []
    for number, (terminals, offset) in enumerate(parts):
        folder = program.folder / f"replica-{number}"
        folder.mkdir(exist_ok=True)
        replica = Program(program.server, folder, program.warehouses, waiting)
        processes.append(
            replica.start(
                "run",
                terminals=terminals,
                terminalOffset=offset,
                terminalsTotal=20,
                terminalWarehouseFixed="true",
                runSeconds=3,
            )
        )
    replicas = [ended(process) for process in processes]
    assert [done.code for done in replicas] == [0, 0], [done.said for done in replicas]
    begins = [done.result["window"]["start"] for done in replicas]
    assert min(begins) >= start + gather - 0.01
    assert max(begins) - min(begins) <= 0.5
    counted(*replicas)


def test_a_number_of_transactions_is_exact(program: Program, counted: Callable[..., None]) -> None:
    done = program.run("run", terminals=3, runTxnsPerTerminal=40)
    assert done.code == 0, done.said
    assert done.result["transactions"] == 120
    counted(done)


def test_the_same_seed_asks_for_the_same(program: Program) -> None:
    first, second, other = (
        program.run("run", terminals=1, runTxnsPerTerminal=60, seed=seed) for seed in (5, 5, 6)
    )

    def asked(done: Done) -> list[tuple[int, int]]:
        return [(done.types[kind]["committed"], done.types[kind]["rolledBack"]) for kind in TYPES]

    assert asked(first) == asked(second) != asked(other)


@pytest.mark.full
def test_a_limit_is_kept(program: Program) -> None:
    done = program.run("run", terminals=4, runSeconds=5, limitTxnsPerMin=240)
    # A busy machine does fewer, never more.
    assert 5 < done.result["transactions"] <= 22


def test_one_weight_is_the_only_type(program: Program) -> None:
    done = program.run("run", terminals=1, runTxnsPerTerminal=20, paymentWeight=100)
    assert {kind: one["committed"] for kind, one in done.types.items() if one["committed"]} == {
        "payment": 20
    }


@pytest.mark.full
def test_deadlocks_are_tried_again(program: Program, counted: Callable[..., None]) -> None:
    """At the strictest level transactions that meet are refused again and again."""
    with _serializable(program):
        done = program.run("run", terminals=20, runSeconds=4)
    assert done.named("started")[0]["isolation"] == "SERIALIZABLE"
    assert done.result["retries"] > 0
    assert done.result["complete"]
    counted(done)


@contextmanager
def _serializable(program: Program) -> Iterator[None]:
    if program.server.engine == "postgresql":
        on = "ALTER ROLE encbench SET default_transaction_isolation = 'serializable'"
        off = "ALTER ROLE encbench RESET default_transaction_isolation"
    else:
        on = "SET GLOBAL transaction_isolation = 'SERIALIZABLE'"
        off = "SET GLOBAL transaction_isolation = 'REPEATABLE-READ'"
        on, off = (each.replace("transaction_isolation", "tx_isolation") for each in (on, off))
    program.admin(on)
    try:
        yield
    finally:
        program.admin(off)


@pytest.mark.full
def test_errors_are_counted_and_shown_once(program: Program) -> None:
    renamed = "ALTER TABLE @bmsql_item RENAME TO {}"
    schema = "" if program.server.engine == "postgresql" else "@"
    program.admin(renamed.format(f"{schema}bmsql_away"))
    try:
        done = program.run("run", terminals=2, runSeconds=3, newOrderWeight=20, paymentWeight=80)
    finally:
        back = f"ALTER TABLE {schema}bmsql_away RENAME TO {schema}bmsql_item"
        program.admin(back)
    assert done.code == 0, done.said
    failed = done.types["newOrder"]
    assert failed["committed"] == 0 < failed["errors"]
    assert done.types["payment"]["errors"] == 0
    assert done.result["errors"] == failed["errors"]
    whole = done.result["session"]["errors"]
    assert failed["errors"] <= whole == sum(done.result["errorCounts"].values())
    assert done.output.count("bmsql_item") == 2


@pytest.mark.full
def test_a_run_that_only_fails_is_ended(program: Program) -> None:
    schema = "" if program.server.engine == "postgresql" else "@"
    program.admin(f"ALTER TABLE @bmsql_item RENAME TO {schema}bmsql_away")
    try:
        done = program.run("run", terminals=2, runSeconds=60, newOrderWeight=100)
    finally:
        program.admin(f"ALTER TABLE {schema}bmsql_away RENAME TO {schema}bmsql_item")
    assert done.code == 1
    assert "100 transactions in a row failed" in done.said
    assert done.result["reason"] in done.said


def _begun(process: "subprocess.Popen[str]") -> str:
    """Its output up to the beginning of the window, and a second more."""
    assert process.stdout is not None
    seen = ""
    for line in process.stdout:
        seen += line
        if '"event":"window"' in line:
            break
    time.sleep(1)
    return seen


def test_a_signal_ends_it_with_a_report(program: Program, counted: Callable[..., None]) -> None:
    process = program.start("run", terminals=4, runSeconds=60)
    seen = _begun(process)
    sent = time.monotonic()
    process.send_signal(signal.SIGTERM)
    done = ended(process)
    assert time.monotonic() - sent < 30
    assert done.code == 128 + signal.SIGTERM
    assert (done.result["complete"], done.result["reason"]) == (False, "a signal has ended the run")
    measured(done, seen)
    counted(Done(done.code, seen + done.output, done.said))


@pytest.mark.full
def test_a_database_that_comes_back_is_found(program: Program) -> None:
    process = program.start("run", terminals=4, runSeconds=20, deadlineSeconds=18)
    seen = _begun(process)
    program.server.stop(signal.SIGKILL)
    _start(program)
    done = ended(process)
    assert done.code == 0, done.said
    assert done.result["reconnects"] == 4
    assert done.result["errors"] >= 4
    seconds = [event["transactions"] for event in done.named("second")]
    assert seconds[-1] > 0, seen + done.output
    assert program.run("check").code == 0


def test_a_database_that_stays_away_ends_it(program: Program) -> None:
    process = program.start("run", terminals=4, runSeconds=60, deadlineSeconds=3)
    seen = _begun(process)
    killed = time.monotonic()
    program.server.stop(signal.SIGKILL)
    done = ended(process)
    took = time.monotonic() - killed
    _start(program)
    assert done.code == 1
    assert 2 < took < 30
    assert "could not connect again for 3 s" in done.said
    measured(done, seen)
    result = done.result
    assert not result["complete"]
    assert result["errors"] == 4
    assert sum(result["errorCounts"].values()) >= 4
    assert program.run("check").code == 0


@pytest.mark.full
def test_a_database_that_hangs_ends_it(program: Program) -> None:
    process = program.start("run", terminals=4, runSeconds=60, deadlineSeconds=3)
    seen = _begun(process)
    with _stopped(program):
        hangs = time.monotonic()
        done = ended(process)
        took = time.monotonic() - hangs
    assert done.code == 1
    assert took < 30
    assert "no transaction has ended for 3 s" in done.said
    measured(done, seen)


def measured(done: Done, seen: str) -> None:
    """A window that began has an end, and figures of what came between."""
    result = done.result
    (end,) = done.named("windowEnd")
    assert result["window"]["end"] == end["unix"]
    started = Done(0, seen, "").named("window")[0]["unix"]
    assert result["window"]["start"] == started < end["unix"]
    assert result["transactions"] > 0
    assert result["tpmTotal"] == pytest.approx(
        60 * result["transactions"] / result["window"]["seconds"]
    )
    assert int(done.measured("Transaction Count")) == result["transactions"]


def _start(program: Program) -> None:
    """Start the server once the last process of the killed one is gone."""
    deadline = time.monotonic() + 20
    while True:
        try:
            program.server.start()
            return
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@contextmanager
def _stopped(program: Program) -> Iterator[None]:
    """What serves the client stands still, as if the server's machine hung."""
    server = program.server
    if server.engine != "postgresql":
        server.process.send_signal(signal.SIGSTOP)
        yield
        server.process.send_signal(signal.SIGCONT)
        return
    rows = server.admin("SELECT pid FROM pg_stat_activity WHERE usename = 'encbench'")
    sessions = " ".join(str(pid) for (pid,) in rows)
    server.inside("sh", "-c", f"kill -STOP {sessions}")
    yield
    server.inside("sh", "-c", f"kill -CONT {sessions}")


@pytest.mark.full
def test_every_condition_holds_after_a_run(program: Program) -> None:
    """Orders, deliveries, balances and payments agree to the cent (clause 3.3.2)."""
    done = program.run("run", **SHORT, **{f"{kind}Weight": 20 for kind in TYPES})
    assert done.code == 0, done.said
    assert done.types["delivery"]["session"]["committed"] > 0
    checked = program.run("check-all")
    assert checked.code == 0, checked.output


@pytest.mark.full
def test_mariadb_s_snapshots_do_not_refuse_rows(tmp_path_factory: pytest.TempPathFactory) -> None:
    """MariaDB 11.6.2 and later have it on: every change since the first read is error 1020."""
    snapshots = {"innodb_snapshot_isolation": "ON"}
    with mariadb.running({}, overrides=snapshots, dataset=loaded(1)) as server:
        one = Program(server, tmp_path_factory.mktemp("snapshots"), 1)
        done = one.run("run", terminals=8, warmupSeconds=1, runSeconds=4)
    assert done.code == 0, done.said
    assert done.result["errors"] == 0
    assert done.result["retries"] < done.result["transactions"] / 50
