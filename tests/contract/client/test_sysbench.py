"""The whole client with the real tool and a real database: do the figures say what happened?"""

import math
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from encbench.tools.gathering import VARIABLE
from encbench.tools.measurement import merge
from encbench.tools.sysbench import builtin
from encbench.tools.sysbench.parser import parse
from tests.contract.client.harness import uploads
from tests.contract.client.sysbench import ROWS, TABLES, Bench
from tests.support.busy import nearest
from tests.support.kube import wait_for
from tests.support.local_client import LocalClient, local_client
from tests.support.receiver import Receiver

pytestmark = pytest.mark.usefixtures("precedence")

TOGETHER = 0.05
"""Seconds between the first begin and the last that a report lets pass without a word."""
EDGE = 0.03
"""Seconds: how far the recorder's window and the tool's own may differ on a busy machine."""


@pytest.mark.parametrize("warmup", [0, 2])
def test_window_and_rates_agree_with_the_server(
    bench: Bench, tmp_path: Path, receiver: Receiver, warmup: int
) -> None:
    def off(number: int) -> float:
        return off_by(bench, tmp_path / f"{number}", receiver, warmup)

    assert nearest(off, EDGE) <= EDGE


def off_by(bench: Bench, folder: Path, receiver: Receiver, warmup: int) -> float:
    """By how many seconds recorder and tool differ about the window, or by which share of TPS.

    The tool says how long it has run and then reports, which a busy machine may delay.
    """
    command = bench.tool(warmup=f"{warmup}s", duration="4s")
    with local_client(folder / "pod", command, warmup=warmup, own="--threads=2") as one:
        one.wait_for("waiting")
        before = bench.counter("Com_commit")
        one.release(uploads(receiver))
        one.wait_for("uploaded")
        committed = bench.counter("Com_commit") - before
    found = parse(one.output)
    in_warmup = _transactions(one.output)[0] if warmup else 0
    assert found.transactions + in_warmup == committed
    seconds = float(one.summary()["window"]["seconds"])
    assert 0 < one.summary()["cpuSeconds"] < 2 * seconds
    histogram = sum(count for _, count in found.histogram)
    assert histogram == pytest.approx(found.transactions, rel=0.02)
    rate = found.transactions / seconds
    return max(abs(seconds - found.seconds), abs(found.tps / rate - 1))


def test_rows_inserted_are_the_transactions_counted(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    count = "SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)"
    before = int(bench.server.admin(count)[0][0])
    with local_client(tmp_path / "pod", bench.tool("oltp_insert"), own="--threads=3") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("uploaded")
    inserted = int(bench.server.admin(count)[0][0]) - before
    assert sum(_transactions(one.output)) == inserted
    assert parse(one.output).transactions == _transactions(one.output)[1]
    assert bench.load() == (0, "")


def release(clients: Sequence[LocalClient], receiver: Receiver, start_at: float) -> None:
    """Let all of them start at that time, each with places of its own for its files."""
    for index, client in enumerate(clients):
        urls = {file: receiver.url(f"{index}/{file}") for file in uploads(receiver)}
        client.release(urls, start_at)


def test_replicas_start_together(bench: Bench, tmp_path: Path, receiver: Receiver) -> None:
    def late(number: int) -> float:
        return replicas(bench, tmp_path / f"{number}", receiver)

    assert nearest(late, 0.1) <= 0.1


def replicas(bench: Bench, folder: Path, receiver: Receiver) -> float:
    """By how many seconds the later of two began late, or their windows lie apart."""
    own = ["--threads=2 --rand-seed=1", "--threads=1 --rand-seed=2"]
    with (
        local_client(folder / "a", bench.tool(), own=own[0]) as one,
        local_client(folder / "b", bench.tool(), own=own[1]) as two,
    ):
        for client in (one, two):
            client.wait_for("waiting")
        start_at = time.time() + 1
        release((one, two), receiver, start_at)
        for client in (one, two):
            client.wait_for("uploaded")
    summaries = [client.summary() for client in (one, two)]
    began = [float(summary["began"]["unix"]) for summary in summaries]
    assert min(began) > start_at - 0.1
    starts = [float(summary["window"]["start"]) for summary in summaries]
    assert "Number of threads: 2" in one.output
    assert "Number of threads: 1" in two.output
    parts = [parse(client.output) for client in (one, two)]
    both = merge(parts)
    assert both.tps == pytest.approx(parts[0].tps + parts[1].tps)
    assert both.transactions == parts[0].transactions + parts[1].transactions
    return max(max(began) - start_at, abs(starts[0] - starts[1]))


CROWD, GATHER = 8, 6.0


def test_a_crowd_connects_early_and_begins_at_once(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    """More clients than cores."""

    def apart(number: int) -> float:
        return crowd(bench, tmp_path / f"{number}", receiver)

    assert nearest(apart, TOGETHER) <= TOGETHER


def crowd(bench: Bench, folder: Path, receiver: Receiver) -> float:
    """Seconds between the first begin and the last.

    Before the common moment all are connected and do nothing. Infinite where they were connected
    too late for that to be seen, as on a busy machine.
    """
    sessions = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'encbench'"

    def connected() -> bool:
        return bench.server.admin(sessions) == [(CROWD,)]

    with ExitStack() as stack:
        clients = [
            stack.enter_context(
                local_client(
                    folder / f"{index}",
                    bench.tool(),
                    own=f"--threads=1 --rand-seed={index + 1}",
                    more={VARIABLE: f"{GATHER:g}"},
                )
            )
            for index in range(CROWD)
        ]
        for client in clients:
            client.wait_for("waiting")
        before, start_at = bench.counter("Com_commit"), time.time() + 1.0
        release(clients, receiver, start_at)
        wait_for("all connections", connected, 20, every=0.1)
        commits = bench.counter("Com_commit")
        was_early = time.time() < start_at + GATHER - EDGE
        assert commits == before or not was_early
        for client in clients:
            client.wait_for("uploaded")
    begins = [float(client.summary()["loadBegan"]["unix"]) for client in clients]
    assert min(begins) >= start_at + GATHER - EDGE
    return max(begins) - min(begins) if was_early else math.inf


def test_a_lost_connection_is_a_failure_with_a_reason(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    with local_client(tmp_path / "pod", bench.tool(duration="8s"), own="--threads=2") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for_report()
        rows = bench.server.admin(
            "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'encbench'"
        )
        bench.server.admin(f"KILL {rows[0][0]}")
        state = one.wait_for("uploaded")
    assert (state["exitCode"], one.summary()["window"]) == (1, None)
    assert "Lost connection" in one.said()
    assert "client-0/output.log" in receiver.objects


def test_a_script_of_the_user_s_own(bench: Bench, tmp_path: Path, receiver: Receiver) -> None:
    script = tmp_path / "ping.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() con = sysbench.sql.driver():connect() end\n"
        'function event() con:query("SELECT 1") end\n'
    )
    with local_client(tmp_path / "pod", bench.tool(str(script)), own="--threads=1") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        state = one.wait_for("uploaded")
    assert state["exitCode"] == 0
    found = parse(one.output)
    assert found.qps == found.tps > 0


def test_the_end_of_a_thread_is_not_in_the_window(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    script = tmp_path / "slow.lua"
    script.write_text(
        'local ffi = require("ffi")\n'
        'ffi.cdef("int usleep(unsigned microseconds);")\n'
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() con = sysbench.sql.driver():connect() end\n"
        'function event() con:query("SELECT 1") end\n'
        "function thread_done() ffi.C.usleep(900000) con:disconnect() end\n"
    )

    def off(number: int) -> float:
        """By how many seconds the windows of recorder and tool differ, or the end is in them."""
        command = bench.tool(str(script), warmup="1s", duration="2s")
        with local_client(tmp_path / f"{number}", command, own="--threads=2") as one:
            one.wait_for("waiting")
            one.release(uploads(receiver))
            one.wait_for("uploaded")
        assert one.output.count("\nencbench-over ") == 2
        found, seconds = parse(one.output), float(one.summary()["window"]["seconds"])
        assert found.lasted is not None
        assert found.lasted >= 3.0
        return max(found.seconds - 2.5, abs(seconds - found.seconds))

    assert nearest(off, EDGE) <= EDGE


def test_a_thread_whose_event_returns_a_value_has_left(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "leaves.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() con = sysbench.sql.driver():connect() end\n"
        'function event(thread) con:query("SELECT SLEEP(0.1)") return thread == 1 end\n'
    )
    code, output = bench.run(str(script), warmup="1s", duration="1s")
    found = parse(output)
    assert (code, output.count("\nencbench-over ")) == (0, 2)
    assert found.lasted is not None
    assert found.lasted < 1 < found.seconds + 0.1


def test_a_driver_in_event_makes_no_function(bench: Bench, tmp_path: Path) -> None:
    """LuaJIT does not compile what makes one, and oltp_insert asks for the driver's name."""
    script = tmp_path / "driver.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() driver = sysbench.sql.driver() con = driver:connect() end\n"
        "function event()\n"
        '   assert(driver.name == driver.name and driver:name() == "mysql")\n'
        '   con:query("SELECT 1")\n'
        "end\n"
    )
    code, output = bench.run(str(script), warmup="0s", duration="1s")
    assert (code, parse(output).transactions > 0) == (0, True)


def test_no_password_is_visible(bench: Bench, tmp_path: Path, receiver: Receiver) -> None:
    with local_client(tmp_path / "pod", bench.tool(), own="--threads=1") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for_report()
        listed = subprocess.run(
            ["ps", "axww", "-o", "args"], capture_output=True, text=True, check=True
        )
        one.wait_for("uploaded")
    password = bench.server.credentials["password"]
    assert password not in listed.stdout
    assert password not in one.output + one.said()


def test_loading_again_begins_from_nothing(bench: Bench) -> None:
    bench.server.admin("DELETE FROM sbtest1 WHERE id > 10")
    assert bench.load() == (0, "")
    assert bench.server.admin("SELECT COUNT(*) FROM sbtest1") == [(ROWS,)]
    tables = bench.server.admin("SHOW TABLES LIKE 'sbtest%'")
    assert len(tables) == TABLES


def test_a_load_that_fails_in_one_thread_is_a_failure(bench: Bench) -> None:
    """The tool itself returns 0 here."""
    bench.load()
    bench.server.admin("RENAME TABLE sbtest2 TO kept", "CREATE VIEW sbtest2 AS SELECT 1 AS id")
    try:
        code, said = bench.load()
    finally:
        bench.server.admin("DROP VIEW sbtest2", "DROP TABLE kept")
        assert bench.load() == (0, "")
    assert code != 0
    assert "FATAL" in said


@pytest.mark.parametrize("script", sorted(builtin.SCRIPTS))
def test_our_list_of_options_is_sysbench_s(script: str, bench: Bench) -> None:
    kinds = {"N": "number", "[=on|off]": "flag", "STRING": "text"}
    done = subprocess.run(["sysbench", script, "help"], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("  --"):
            option = line.split()[0].removeprefix("--")
            name, _, form = option.replace("[=", "=[=").partition("=")
            found[name] = kinds[form]
    assert found == builtin.SCRIPTS[script]


def _transactions(output: str) -> list[int]:
    """Of each full report, the checkpoint's and the final one's."""
    lines = [line.split() for line in output.splitlines() if "transactions:" in line]
    return [int(words[1]) for words in lines]
