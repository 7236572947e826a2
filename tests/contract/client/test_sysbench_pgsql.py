"""The real tool against a real PostgreSQL: do the figures say what happened?"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from encbench.tools.sysbench import builtin
from encbench.tools.sysbench.parser import parse
from tests.contract.client.harness import uploads
from tests.contract.client.sysbench import ROWS, SHORT, TABLES, Bench
from tests.support.busy import nearest
from tests.support.local_client import local_client
from tests.support.postgres import Postgres, running
from tests.support.receiver import Receiver
from tests.support.testbeds import PLAINTEXT

pytestmark = pytest.mark.usefixtures("precedence")

SCRIPTS = sorted(set(builtin.SCRIPTS) - {"oltp_common"})
EDGE = 0.03
"""As in `test_sysbench`."""


@pytest.fixture(scope="module")
def pgsql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A PostgreSQL with a loaded dataset."""
    with running(PLAINTEXT) as server:
        one = Bench(server, tmp_path_factory.mktemp("client"))
        assert one.load() == (0, ""), "the dataset could not be loaded"
        yield one


def server(bench: Bench) -> Postgres:
    assert isinstance(bench.server, Postgres)
    return bench.server


def commits(bench: Bench) -> int:
    """Transactions of the benchmark's user, as the server counts them, once its sessions ended."""
    here = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'encbench'"
    deadline = time.monotonic() + 30
    while server(bench).admin(here) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    counted = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'sbtest'"
    return int(server(bench).admin(counted)[0][0])


def test_window_and_rates_agree_with_the_server(
    pgsql: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    assert nearest(lambda number: off_by(pgsql, tmp_path / f"{number}", receiver), EDGE) <= EDGE


def off_by(pgsql: Bench, folder: Path, receiver: Receiver) -> float:
    """By how many seconds recorder and tool differ about the window, or by which share of TPS."""
    command = pgsql.tool(warmup="2s", duration="4s")
    with local_client(folder / "pod", command, warmup=2, own="--threads=2") as one:
        one.wait_for("waiting")
        before = commits(pgsql)
        asked = time.monotonic()
        one.release(uploads(receiver))
        one.wait_for("uploaded")
        committed = commits(pgsql) - before
    found = parse(one.output)
    in_warmup = int(one.output.split("transactions:")[1].split()[0])
    counted = found.transactions + in_warmup
    # The test's own looks at the server are transactions too: one or two a twentieth of a second.
    assert counted <= committed <= counted + 60 * (time.monotonic() - asked) + 20
    histogram = sum(count for _, count in found.histogram)
    assert histogram == pytest.approx(found.transactions, rel=0.02)
    seconds = float(one.summary()["window"]["seconds"])
    rate = found.transactions / seconds
    return max(abs(seconds - found.seconds), abs(found.tps / rate - 1))


def test_rows_inserted_are_the_transactions_counted(
    pgsql: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    count = "SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)"
    before = int(server(pgsql).admin(count)[0][0])
    with local_client(tmp_path / "pod", pgsql.tool("oltp_insert"), own="--threads=3") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("uploaded")
    inserted = int(server(pgsql).admin(count)[0][0]) - before
    reports = [line.split() for line in one.output.splitlines() if "transactions:" in line]
    assert sum(int(words[1]) for words in reports) == inserted > 0
    assert pgsql.load() == (0, "")


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_of_sysbench_runs_and_is_read(pgsql: Bench, script: str) -> None:
    one_table = {"tables": 1} if script.startswith("select_random_") else {}
    code, output = pgsql.run(script, **SHORT, **one_table)
    assert code == 0, output
    found = parse(output)
    assert found.transactions > 0
    assert found.qps is not None
    assert found.qps >= found.tps
    assert found.reconnects == 0


def test_what_the_loser_of_a_deadlock_sees_is_counted_and_tried_again(
    pgsql: Bench, tmp_path: Path
) -> None:
    script = tmp_path / "deadlock.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() con = sysbench.sql.driver():connect() end\n"
        "function event()\n"
        "  local first = sysbench.tid % 2 + 1\n"
        '  con:query("BEGIN")\n'
        '  con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. first)\n'
        '  con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. 3 - first)\n'
        '  con:query("COMMIT")\n'
        "end\n"
    )
    server(pgsql).admin("ALTER SYSTEM SET deadlock_timeout = '10ms'", "SELECT pg_reload_conf()")
    try:
        code, output = pgsql.run(str(script), **{**SHORT, "duration": "3s"})
    finally:
        server(pgsql).admin("ALTER SYSTEM RESET deadlock_timeout", "SELECT pg_reload_conf()")
    assert code == 0, output
    found = parse(output)
    assert found.errors > 0
    assert found.transactions > 0


def test_a_lost_connection_is_a_failure(pgsql: Bench, tmp_path: Path, receiver: Receiver) -> None:
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'encbench'"
    with local_client(tmp_path / "pod", pgsql.tool(duration="8s"), own="--threads=2") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for_report()
        assert server(pgsql).admin(kill)
        state = one.wait_for("uploaded")
    assert one.summary()["window"] is None
    # sysbench 1.0.20 itself fails over an error that has no SQLSTATE.
    assert state["exitCode"] == 139
    assert "Segmentation fault" in one.said()


def test_no_more_clients_than_there_is_room_for(pgsql: Bench) -> None:
    """`max_connections` of the testbed is 8, with 16 to spare."""
    code, output = pgsql.finish([*pgsql.words(**SHORT), "--threads=8"])
    assert code == 0, output
    code, output = pgsql.finish([*pgsql.words(**SHORT), "--threads=30"])
    assert code != 0
    assert "remaining connection slots are reserved" in output


def test_loading_again_begins_from_nothing(pgsql: Bench) -> None:
    server(pgsql).admin("DELETE FROM sbtest1 WHERE id > 10")
    assert pgsql.load() == (0, "")
    assert server(pgsql).admin("SELECT count(*) FROM sbtest1") == [(ROWS,)]
    tables = server(pgsql).admin("SELECT relname FROM pg_class WHERE relname ~ '^sbtest[0-9]+$'")
    assert len(tables) == TABLES


def test_nothing_is_left_to_autovacuum(pgsql: Bench) -> None:
    """Which would begin in a window, and after each reset, because the copy has the same state."""
    assert pgsql.load() == (0, "")
    state = "SELECT vacuum_count, analyze_count, n_ins_since_vacuum FROM pg_stat_user_tables"
    assert server(pgsql).admin(f"{state} WHERE relname ~ '^sbtest'") == [(1, 1, 0)] * TABLES


def test_a_load_that_fails_in_one_thread_is_a_failure(pgsql: Bench) -> None:
    """The tool itself returns 0 here."""
    pgsql.load()
    server(pgsql).admin("ALTER TABLE sbtest2 RENAME TO kept", "CREATE VIEW sbtest2 AS SELECT 1")
    try:
        code, said = pgsql.load()
    finally:
        server(pgsql).admin("DROP VIEW sbtest2", "DROP TABLE IF EXISTS kept")
        assert pgsql.load() == (0, "")
    assert code != 0
    assert "FATAL" in said
