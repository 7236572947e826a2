"""The output of real runs (tests/data/sysbench), and of runs that did not end well."""

import time
from pathlib import Path

import pytest

from encbench.core.tls import TlsSession
from encbench.tools.measurement import Measurement, ParseError
from encbench.tools.sysbench import parser
from encbench.tools.sysbench.parser import parse, parse_cut, why_it_failed
from encbench.wire.foreign import LONGEST

DATA = Path(__file__).parents[3] / "data/sysbench"


def output(name: str) -> str:
    return (DATA / f"{name}.log").read_text()


def queries(found: Measurement) -> int:
    assert found.qps is not None
    return round(found.qps * found.seconds)


def test_only_what_came_after_the_checkpoint_counts() -> None:
    found = parse(output("read_write"))
    assert (found.transactions, found.errors, found.reconnects) == (2962, 1, 0)
    assert found.seconds == pytest.approx(5.0096 - 2.0001)
    assert found.tps == pytest.approx(2962 / 3.0095)
    assert found.qps == pytest.approx(59225 / 3.0095)
    assert found.latency_average_ms == pytest.approx(6005.03 / 2960)


def test_the_percentile_lies_in_the_bucket_that_sysbench_prints() -> None:
    found = parse(output("read_write"))
    assert found.latency_p95_ms == pytest.approx(5.28, rel=0.009 + 0.001)
    assert found.latency_p95_ms not in dict(found.histogram)
    assert sum(count for _, count in found.histogram) == 2960


def test_without_warm_up_the_whole_run_counts() -> None:
    found = parse(output("no_warmup"))
    assert (found.transactions, found.seconds) == (44460, 3.0026)


TOLD = "\nencbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256\n"


def telling(log: str, line: str = TOLD) -> str:
    """The output as it is when the session tells, which it does before the threads start."""
    return log.replace("Threads started!\n", f"{line}Threads started!\n", 1)


def test_what_the_session_told() -> None:
    assert parse(output("read_write")).sessions == ()
    found = parse(telling(output("read_write")))
    assert found.sessions == (TlsSession(tls="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256"),)


def test_its_question_is_no_query_of_the_workload() -> None:
    for name, asked in (("read_write", 0), ("no_warmup", 1)):
        without, with_it = parse(output(name)), parse(telling(output(name)))
        assert queries(with_it) == queries(without) - asked
        assert with_it.transactions == without.transactions


def test_a_fixed_rate() -> None:
    found = parse(output("rate"))
    assert found.transactions == 157
    assert found.tps == pytest.approx(157 / (4.0623 - 1.0012))


def test_a_periodic_line_within_the_checkpoint_report() -> None:
    found = parse(output("interleaved"))
    assert (found.transactions, queries(found)) == (58, 1160)
    assert found.seconds == pytest.approx(2.0050 - 1.0002)


def test_ignored_errors_are_counted() -> None:
    found = parse(output("deadlocks"))
    assert (found.transactions, found.errors) == (1652, 580)


def test_a_script_of_the_users_own() -> None:
    found = parse(output("custom"))
    assert (found.transactions, queries(found)) == (12, 24)
    assert found.tps == pytest.approx(12 / 2.2056)


UNFINISHED = (
    *("Threads started!", "[ 2s ] Checkpoint report:", "[ 3s ] thds", "SQL statistics:"),
    *("General statistics:", "    total time:", "    events (avg", "Latency histogram"),
)


def test_lines_that_the_script_left_unfinished_hide_nothing() -> None:
    whole = output("read_write")
    dotted = whole
    for line in UNFINISHED:
        assert f"\n{line}" in whole
        dotted = dotted.replace(f"\n{line}", f"\n...{line}")
    assert parse(dotted) == parse(whole)
    assert parse_cut(dotted, 2, 3) == parse_cut(whole, 2, 3)


@pytest.mark.parametrize("place", ["Threads started!", "    reconnects:", "Latency histogram"])
def test_what_a_script_calls_its_statistics_is_no_report(place: str) -> None:
    whole = output("read_write")
    assert parse(whole.replace(f"\n{place}", f"\nmy SQL statistics:\n{place}")) == parse(whole)


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("no_sql", "General statistics:", "no SQL statistics"),
        ("connection_lost", "FATAL: ", "ended with an error"),
    ],
)
def test_a_reason_at_the_end_of_an_unfinished_line(name: str, line: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse(output(name).replace(f"\n{line}", f"\n...{line}"))


def test_the_window_ends_with_the_last_transaction() -> None:
    found = parse(output("long_transactions"))
    assert found.seconds == pytest.approx(4.0053)
    assert found.transactions == 2
    assert found.latency_average_ms == pytest.approx(2502.05)


def done(name: str, *moments: float) -> str:
    """The output of a run whose threads say that they were done after so many seconds."""
    lines = "".join(f"\nencbench-over {moment:.6f} 1763731234.000000\n" for moment in moments)
    return output(name).replace("Latency histogram", f"{lines}Latency histogram", 1)


def test_what_threads_do_after_their_last_transaction_is_not_in_the_window() -> None:
    """`total time` ends with the last thread_done(), and so do the rates that sysbench prints."""
    text = done("read_write", 5.002, 5.009512).replace("5.0096s", "6.8096s")
    found = parse(text)
    assert found.seconds == pytest.approx(5.009512 - 2.0001)
    assert found.tps == pytest.approx(2962 / found.seconds)
    assert found.qps == pytest.approx(59225 / found.seconds)
    assert found.lasted == 5.002
    assert parse(done("no_warmup", 2.5)).seconds == 2.5


@pytest.mark.parametrize("moments", [(), (5.003,), (5.003, 5.004, 5.005), (5.009649, 7.0)], ids=len)
def test_without_a_line_of_each_thread_the_window_ends_with_the_total_time(
    moments: tuple[float, ...],
) -> None:
    """As by an earlier session.lua; and the window is never longer."""
    assert parse(done("read_write", *moments)).seconds == parse(output("read_write")).seconds


def test_a_run_that_its_script_ended_in_the_warm_up() -> None:
    """Of two complete reports that sysbench prints there is one, or a window without a length."""
    whole = output("read_write")
    begin, end = whole.index("[ 2s ] Checkpoint report:"), whole.index("[ 3s ] thds:")
    for text in (whole[:begin] + whole[end:], done("read_write", 0.4, 1.9)):
        with pytest.raises(ParseError, match=r"before load\.warmup did: event\(\) must return no"):
            parse(text)
    with pytest.raises(ParseError, match="before its final report"):
        parse(whole[:end])


def test_how_long_the_first_thread_lasted() -> None:
    assert parse(done("read_write", 5.002, 0.431)).lasted == 0.431
    assert parse(output("read_write")).lasted == 5.0096


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_sql", "no SQL statistics"),
        ("refused_login", "ended with an error: line 1[0-9] of output.log"),
        ("connection_lost", "ended with an error: line [0-9]+ of output.log"),
        ("queue_full", "ended with an error: line [0-9]+ of output.log"),
        ("terminated", "ends before its final report"),
    ],
)
def test_a_run_that_did_not_end_well(name: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse(output(name))


def waiting(*numbers: int) -> str:
    """The output of a run at a rate, in whose seconds so many wait."""
    text = output("rate")
    for second, number in enumerate(numbers, 1):
        line = f"[ {second}s ] queue length: "
        assert f"{line}0," in text
        text = text.replace(f"{line}0,", f"{line}{number},")
    return text


@pytest.mark.parametrize(
    ("numbers", "warmup", "expected"),
    [
        ((0, 0, 0, 0), 1, (0, 0)),
        ((293, 120, 0, 0), 1, (293, 0)),
        ((310, 293, 120, 7), 2, (293, 7)),
        ((0, 293, 120, 0), 2, (0, 0)),  # a short stall at the checkpoint
        ((5, 20, 35, 50), 1, (5, 35)),
        ((293, 0, 0, 0), 0, (0, 0)),  # without a warm-up
    ],
)
def test_what_waited_at_the_edges_of_the_window(
    numbers: tuple[int, ...], warmup: int, expected: tuple[int, int]
) -> None:
    text = waiting(*numbers)
    if warmup == 0:
        text = text.replace("Report checkpoint(s) at 1 seconds\n", "")
        first = text.index("[ 1s ] Checkpoint report:")
        text = text[:first] + text[text.index("[ 2s ] thds:") :]
    else:
        text = text.replace("at 1 seconds", f"at {warmup} seconds")
    assert parse(text).queue == expected


def test_without_a_rate_nothing_waits() -> None:
    assert parse(output("read_write")).queue is None


def test_a_rate_that_was_not_kept_up_with_is_why_it_failed() -> None:
    end = output("queue_full")[-2048:]
    assert why_it_failed(end) == (
        "131,071 transactions wait in sysbench, which is all that its queue holds: load.rate is "
        "more than the database serves: offer less"
    )
    assert why_it_failed(output("connection_lost")) == ""


@pytest.mark.parametrize("name", ["read_write", "no_warmup", "interleaved"])
def test_output_that_was_cut_off_anywhere_is_refused(name: str) -> None:
    """Only the last, ornamental lines may be missing."""
    whole = output(name)
    needed = whole.rindex("    events (avg/stddev):")
    for cut in range(0, needed, 97):
        with pytest.raises(ParseError):
            parse(whole[:cut])


def test_output_of_something_else_is_refused() -> None:
    with pytest.raises(ParseError, match=r"not sysbench 1\.0's: line 1 of output\.log"):
        parse("pgbench (15.1)\n")
    with pytest.raises(ParseError, match=r"output\.log is empty"):
        parse("")


def test_a_report_without_a_histogram_is_refused() -> None:
    lines = [line for line in output("read_write").splitlines() if " |" not in line]
    with pytest.raises(ParseError, match="--histogram"):
        parse("\n".join(lines))


def test_several_checkpoints_are_refused() -> None:
    text = output("read_write").replace("at 2 seconds", "at 2, 3 seconds")
    with pytest.raises(ParseError, match="several checkpoints"):
        parse(text)


def test_a_window_without_any_transaction() -> None:
    """The report of a warm-up in which no transaction ended, once more as the final report."""
    whole = output("long_transactions")
    report = whole[whole.index("SQL statistics:") : whole.index("[ 2s ]")]
    before = whole[: whole.index("SQL statistics:")]
    found = parse(before + report + report.replace("1.0001s", "3.0001s"))
    assert (found.transactions, found.tps, found.latency_p95_ms) == (0, 0.0, 0.0)


ROW = f"\nencbench-columns sbtest1 {'5e' * 32}\n"


@pytest.mark.parametrize(("name", "counted"), [("read_write", 1), ("no_warmup", 2)])
def test_the_two_readings_of_a_row_are_no_queries_of_the_load(name: str, counted: int) -> None:
    """A checkpoint resets the counters in between."""
    plain = output(name)
    found = parse(telling(plain, ROW).replace("Latency histogram", f"{ROW}Latency histogram", 1))
    assert found.columns == (("sbtest1", "5e" * 32),) * 2
    assert queries(found) == queries(parse(plain)) - counted


@pytest.mark.parametrize("repeated", [" ", "1", "1.1", "*", "[ 1s ]", "transactions:", "tps: 1 "])
@pytest.mark.parametrize(
    "begin", ["", " 1.1 |", "[ 1s ] thds:", "    transactions: ", "    sum: 1"]
)
def test_no_line_takes_long(begin: str, repeated: str) -> None:
    """A client's image writes what it likes. Squared, a line of a mebibyte takes minutes."""
    before = time.process_time()
    with pytest.raises(ParseError):
        parse(f"sysbench 1.0\nSQL statistics:\n{begin}{repeated * (2**20 // len(repeated))}x")
    assert time.process_time() - before < 5


@pytest.mark.parametrize("other", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_a_newline_ends_a_line(other: str) -> None:
    """Lines are counted by it before the output is parsed, so that they fit into memory."""
    with pytest.raises(ParseError, match="after 2 lines"):
        parse(f"sysbench 1.0\n{'x'.join(other * 1000)}\n")


def test_a_carriage_return_before_the_newline_is_no_part_of_the_line() -> None:
    plain = output("read_write")
    assert parse(plain.replace("\n", "\r\n")) == parse(plain)


def test_a_line_is_not_split_into_millions_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(parser, "progress", seen.append)
    with pytest.raises(ParseError):
        parse(f"sysbench 1.0\nNumber of threads: 1\n[ {'1 ' * 2**20}")
    assert max(map(len, seen)) <= LONGEST
