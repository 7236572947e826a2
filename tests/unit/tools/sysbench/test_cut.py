"""Runs whose server was stopped under them: command line, time limit, and what can be read."""

import pytest

from encbench.api.workload import Recovery
from encbench.core.connection import Connection
from encbench.tools.measurement import ParseError
from encbench.tools.sysbench import command
from encbench.tools.sysbench.parser import parse, parse_cut
from tests.support.workloads import workload_spec

HEAD = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Number of threads: 4
Report checkpoint(s) at 2 seconds
encbench-session tls=none cipher=none
Threads started!
"""
FATAL = "FATAL: mysql_stmt_execute() returned error 2013 (Lost connection to MySQL server)\n"


def line(second: int, tps: float, errors: float = 0.0) -> str:
    return (
        f"[ {second}s ] thds: 4 tps: {tps:.2f} qps: {tps * 6:.2f} (r/w/o: 0.00/0.00/0.00) "
        f"lat (ms,95%): 9.00 err/s: {errors:.2f} reconn/s: 0.00\n"
    )


def test_the_windows_seconds_are_counted_and_no_others() -> None:
    tps = {1: 5.0, 2: 7.0, 3: 100.0, 4: 110.0, 5: 120.0, 6: 0.0}
    output = HEAD + "".join(line(n, value, n == 4) for n, value in tps.items()) + FATAL
    found = parse_cut(output, 2, 3)
    assert found.seconds == 3
    assert found.tps == pytest.approx(110.0)
    assert found.qps == pytest.approx(660.0)
    assert found.transactions == 330
    assert found.errors == 1
    assert [one.second for one in found.series] == [3, 4, 5]
    assert found.latency_p95_ms is None
    assert found.histogram == ()
    assert [one.tls for one in found.sessions] == ["none"]


def test_a_line_that_is_missing_shortens_the_window() -> None:
    found = parse_cut(HEAD + line(3, 10.0) + line(5, 20.0) + FATAL, 2, 3)
    assert (found.seconds, found.tps) == (2, 15.0)


def test_the_ordinary_reader_refuses_such_a_run() -> None:
    with pytest.raises(ParseError, match=r"ended with an error: line [67] of"):
        parse(HEAD + line(3, 10.0) + FATAL)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("", "output.log is empty"),
        ("Segmentation fault\n", "line 1 of output.log"),
        (HEAD + FATAL, "ended with an error: line [67] of"),
        (HEAD + line(1, 9.0) + FATAL, "ended with an error: line [67] of"),
    ],
)
def test_a_run_without_a_second_of_the_window_has_no_figure(output: str, why: str) -> None:
    with pytest.raises(ParseError, match=why):
        parse_cut(output, 2, 3)


def test_the_load_would_run_on_past_the_stop() -> None:
    connection = Connection("mysql", "db", 3306, "sbtest")
    usual = workload_spec({"script": "oltp_write_only"}, {"warmup": "10s", "duration": "60s"})
    assert "--time=70" in command.run_command(usual, connection)
    crash = usual.model_copy(update={"recovery": Recovery(stop="Crash")})
    assert "--time=130" in command.run_command(crash, connection)
    assert "--report-checkpoints=10" in command.run_command(crash, connection)
