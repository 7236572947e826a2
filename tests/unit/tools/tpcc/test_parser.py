"""Complete outputs as measurements: our own client's and both BenchmarkSQL's."""

import json
import math
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encbench.core.figure_names import CELLS, DELIVERED, NEW_ORDERS, RETRIES, ROUND_TRIPS, SKIPPED
from encbench.core.tls import PLAIN
from encbench.tools.measurement import ParseError, merge
from encbench.tools.tpcc.parser import parse

DATA = Path(__file__).parents[3] / "data" / "tpcc"
TYPES = ("newOrder", "payment", "orderStatus", "delivery", "stockLevel")


def golden(name: str) -> str:
    return (DATA / name).read_text()


def line(**event: Any) -> str:
    return f"encbench-tpcc {json.dumps(event)}"


def own(
    histograms: dict[str, list[list[float]]] | None = None, seconds: float = 10.0, **result: Any
) -> str:
    """An output of our own client; `result` changes its last line."""
    buckets = histograms or {"newOrder": [[2000, 40], [8000, 5]], "payment": [[1000, 55]]}
    count = sum(int(n) for some in buckets.values() for _, n in some)
    last = {
        "schema": "encbench.io/tpcc/v1",
        "complete": True,
        "reason": None,
        "window": {"start": 100.0, "end": 100.0 + seconds, "seconds": seconds},
        "tpmC": 45 * 60 / seconds,
        "tpmTotal": count * 60 / seconds,
        "transactions": count,
        "newOrders": 45,
        "retries": 3,
        "errors": 1,
        "latencyMs": {"average": 1.75, "min": 0.9, "max": 8.1, "p95": 8.0},
        "traffic": {"statements": 3900, "roundTrips": 1940, "cells": 8580},
        "session": {"errors": 9, "reconnects": 8},
        **result,
    }
    lines = [
        "11:20:38,030 [main] INFO   jTPCC : Term-00, terminals=8",
        "encbench-session tls=none cipher=none",
        line(event="started", terminals=8),
        line(event="second", second=1, seconds=1.0, transactions=7, errors=0, p95Ms=2.0),
        line(event="window", unix=100.0),
        line(event="second", second=2, seconds=1.0, transactions=9, errors=0, p95Ms=2.0),
        line(event="windowEnd", unix=110.0),
        line(event="second", second=3, seconds=1.0, transactions=1, errors=0, p95Ms=2.0),
        *(
            line(
                event="type",
                type=kind,
                committed=sum(n for _, n in buckets.get(kind, [])),
                rolledBack=0,
                errors=1 if kind == "payment" else 0,
                histogramUs=buckets.get(kind, []),
            )
            for kind in TYPES
        ),
        line(event="result", **last),
    ]
    return "\n".join([*lines, ""])


def test_our_own_client() -> None:
    found = parse(own())
    assert (found.transactions, found.seconds, found.tps) == (100, 10.0, 10.0)
    rates = {NEW_ORDERS: 4.5, RETRIES: 0.3, ROUND_TRIPS: 194.0, CELLS: 858.0}
    assert found.extra == pytest.approx(rates)
    assert found.latency_average_ms == 1.75
    assert found.histogram == ((1.0, 55), (2.0, 40), (8.0, 5))
    assert found.latency_p95_ms == pytest.approx(2.0, rel=0.01)
    assert found.qps is None
    assert found.errors == 1
    assert found.reconnects == 8, "a session lost in the warm-up has another in its place"
    assert found.sessions == (PLAIN,)


def test_each_kind_of_transaction() -> None:
    kinds = {kind.name: kind for kind in parse(own()).kinds}
    assert list(kinds) == list(TYPES)
    assert kinds["newOrder"].transactions == 45
    assert kinds["newOrder"].latency_p95_ms == pytest.approx(8.0, rel=0.01)
    assert kinds["newOrder"].latency_average_ms == pytest.approx((2.0 * 40 + 8.0 * 5) / 45)
    assert kinds["payment"].errors == 1
    assert kinds["delivery"].transactions == 0
    assert kinds["delivery"].latency_average_ms is None


def test_replicas_add_up() -> None:
    slow = own({"newOrder": [[9000, 100]]}, tpmC=600.0)
    both = merge([parse(own()), parse(slow)])
    assert (both.transactions, both.tps, both.errors) == (200, 20.0, 2)
    assert both.extra[NEW_ORDERS] == pytest.approx(14.5)
    assert both.latency_p95_ms == pytest.approx(9.0, rel=0.01)
    kinds = {kind.name: kind for kind in both.kinds}
    assert kinds["newOrder"].transactions == 145
    assert kinds["newOrder"].histogram == ((2.0, 40), (8.0, 5), (9.0, 100))
    assert both.qps is None


def test_districts_of_deliveries_are_counted() -> None:
    full = parse(own(deliveredOrders=90, skippedDistricts=10))
    half = parse(own(deliveredOrders=50, skippedDistricts=50))
    assert (full.extra[DELIVERED], full.extra[SKIPPED]) == (9.0, 1.0)
    both = merge([full, half])
    assert (both.extra[DELIVERED], both.extra[SKIPPED]) == (14.0, 6.0)
    real = parse(golden("encbench.log"))
    assert real.extra[DELIVERED] == pytest.approx(130 / 9.985968)
    assert real.extra[SKIPPED] == 0


def test_an_earlier_client_did_not_count_them() -> None:
    assert not {DELIVERED, SKIPPED} & parse(own()).extra.keys()
    counted = parse(own(deliveredOrders=90, skippedDistricts=10))
    assert not {DELIVERED, SKIPPED} & merge([counted, parse(own())]).extra.keys()


def test_events_of_more_than_a_client_writes_are_refused() -> None:
    with pytest.raises(ParseError, match="damaged line"):
        parse(own() + line(event="note", more=[{}] * 2**16) + "\n")
    with pytest.raises(ParseError, match="more kinds of transactions"):
        parse(line(event="type", type="newOrder") + "\n" + own())


def test_nothing_measured_is_no_latency() -> None:
    text = own({"payment": []}, transactions=0, tpmTotal=0.0, tpmC=0.0, latencyMs=None)
    found = parse(text)
    assert (found.transactions, found.tps) == (0, 0.0)
    assert found.latency_average_ms is None
    assert found.latency_p95_ms is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("exec: tpcc: not found\n", "its last line may say why"),
        (own().rpartition("encbench-tpcc")[0], "ends before its result"),
        (own(complete=False, reason="the database was lost"), "was not complete"),
        (own(transactions=101), "hold 100 of 101 transactions"),
        (own(window=None), "is malformed"),
        (own() + "encbench-tpcc {broken\n", "damaged"),
    ],
)
def test_what_is_no_complete_output_is_refused(text: str, why: str) -> None:
    with pytest.raises(ParseError, match=why):
        parse(text)


@pytest.mark.parametrize(
    ("name", "tps", "new_orders", "transactions", "seconds"),
    [
        ("benchmarksql5.log", 4934.49 / 60, 2223.36 / 60, 9873, 120.06),
        ("benchmarksql5_separators.log", 4787644.56 / 60, 2154739.34 / 60, 4792511, 60.06),
        ("benchmarksql5_exponent.log", 1.658154209e7 / 60, 7462406.22 / 60, 16598399, 60.06),
    ],
)
def test_benchmarksql_5(
    name: str, tps: float, new_orders: float, transactions: int, seconds: float
) -> None:
    found = parse(golden(name))
    assert found.tps == pytest.approx(tps, rel=1e-9)
    assert found.extra == {NEW_ORDERS: pytest.approx(new_orders, rel=1e-9)}
    assert found.transactions == transactions
    assert found.seconds == pytest.approx(seconds, abs=0.01)
    assert found.tps == pytest.approx(found.transactions / found.seconds, rel=2e-4)
    assert found.errors == 0


def test_benchmarksql_5_gives_no_latency_and_no_queries() -> None:
    found = parse(golden("benchmarksql5.log"))
    assert (found.latency_average_ms, found.latency_p95_ms) == (None, None)
    assert (found.qps, found.reconnects) == (None, None)
    assert found.histogram == ()
    assert found.sessions == ()
    both = merge([found, found])
    assert both.tps == 2 * found.tps
    assert (both.latency_average_ms, both.latency_p95_ms, both.qps) == (None, None, None)


def test_benchmarksql_5_s_errors_are_its_lines_of_that_level() -> None:
    text = golden("benchmarksql5.log")
    wrong = "20:01:00,000 [Thread-3] ERROR  jTPCCTData : ERROR: deadlock detected\n"
    assert parse(wrong + text).errors == 1


@pytest.mark.parametrize("without", ["Measured tpmTOTAL", "Measured tpmC", "Transaction Count"])
def test_benchmarksql_5_without_its_report(without: str) -> None:
    lines = [one for one in golden("benchmarksql5.log").splitlines() if without not in one]
    with pytest.raises(ParseError, match="before its final report"):
        parse("\n".join(lines))


def test_why_benchmarksql_5_ended_is_told() -> None:
    head = golden("benchmarksql5.log").partition("Term-00, Running")[0]
    wrong = "20:00:17,000 [main] ERROR  jTPCC : Term-00, Invalid number of terminals!\n"
    with pytest.raises(ParseError, match=r"ended with an error: line [0-9]+ of"):
        parse(head + wrong)


def test_benchmarksql_6() -> None:
    found = parse(golden("benchmarksql6.log"))
    assert (found.transactions, found.seconds) == (148460, 120.0)
    assert found.tps == pytest.approx(148460 / 120)
    assert found.extra == {NEW_ORDERS: pytest.approx(66653 / 120)}
    assert found.errors == 1
    assert found.latency_average_ms == pytest.approx(5.577, abs=0.001)
    assert found.latency_p95_ms is None
    kinds = {kind.name: (kind.transactions, kind.errors) for kind in found.kinds}
    assert kinds == {
        "newOrder": (66653, 0),
        "payment": (63957, 1),
        "orderStatus": (5952, 0),
        "delivery": (5954, 0),
        "stockLevel": (5944, 0),
    }


def with_errors(text: str, row: str, errors: str) -> str:
    """The table with so many errors in that row, whose count includes them."""
    return re.sub(rf"(result, \| {row} .*?)[0-9]+ \|$", rf"\g<1>{errors} |", text, flags=re.M)


def test_benchmarksql_6_counts_errors_among_its_transactions() -> None:
    text = golden("benchmarksql6.log")
    for row, errors in {"NEW_ORDER": "6,653", "STOCK_LEVEL": "44", "DELIVERY_BG": "7"}.items():
        text = with_errors(text, row, errors)
    found = parse(text)
    assert found.errors == 6653 + 1 + 44 + 7
    assert found.transactions == 148461 - 6653 - 1 - 44
    assert found.tps == pytest.approx(found.transactions / 120)
    assert found.extra == {NEW_ORDERS: pytest.approx(60000 / 120)}
    kinds = {kind.name: (kind.transactions, kind.errors) for kind in found.kinds}
    assert kinds["newOrder"] == (60000, 6653)
    assert kinds["stockLevel"] == (5900, 44)
    assert kinds["delivery"] == (5954, 0), "it was queued"


def test_benchmarksql_6_with_nothing_but_errors() -> None:
    text = golden("benchmarksql6.log")
    counts = {"NEW_ORDER": "66,653", "PAYMENT": "63,958", "ORDER_STATUS": "5,952"}
    for row, errors in {**counts, "STOCK_LEVEL": "5,944", "DELIVERY": "5,954"}.items():
        text = with_errors(text, row, errors)
    assert (parse(text).transactions, parse(text).tps) == (0, 0.0)
    with pytest.raises(ParseError, match="no run can have"):
        parse(with_errors(text, "DELIVERY", "5,955"))


WIDTH = math.log(600_000) / 1000


def histogram(latencies: dict[str, dict[int, int]]) -> str:
    """Lines as `client.sh` makes them of histogram.csv: counts by latency in ms."""
    lines = []
    for name, counts in latencies.items():
        for ms, count in counts.items():
            bucket = round(math.log(ms) / WIDTH)
            edge = math.exp((bucket + 1) * WIDTH) / 1000
            lines.append(f"encbench-histogram {name},{edge!r},{count}")
    return "\n".join([*lines, ""])


def test_benchmarksql_6_s_histogram_gives_the_percentile() -> None:
    counts = {
        "NEW_ORDER": {7: 60000, 40: 6653},
        "PAYMENT": {5: 63958},
        "ORDER_STATUS": {3: 5952},
        "DELIVERY": {1: 5954},
        "STOCK_LEVEL": {4: 5944},
        "DELIVERY_BG": {19: 5952},
    }
    found = parse(golden("benchmarksql6.log") + histogram(counts))
    assert sum(count for _, count in found.histogram) == found.transactions + 1, "with the error"
    assert found.latency_p95_ms == pytest.approx(7.487, abs=0.001), "7 ms are 6.5 to 7.5"
    assert found.latency_average_ms == pytest.approx(
        (7 * 60000 + 40 * 6653 + 5 * 63958 + 3 * 5952 + 5954 + 4 * 5944) / 148461, rel=1e-4
    )
    both = merge([found, found])
    assert both.latency_p95_ms == found.latency_p95_ms
    kinds = {kind.name: kind for kind in found.kinds}
    assert kinds["newOrder"].latency_p95_ms == pytest.approx(40, rel=0.007)


@pytest.mark.parametrize("exact", [9.5, 9.75, 10.1, 40.0])
def test_whole_milliseconds_hide_no_part_of_one(exact: float) -> None:
    """A clock that counts milliseconds sees a latency as one of the two around it, by chance."""
    random = np.random.default_rng(1)
    latencies = np.exp(random.normal(0, 0.3, 66_653))
    latencies *= exact / float(np.percentile(latencies, 95))
    begin = random.uniform(0, 1, latencies.size)
    seen, counts = np.unique(np.floor(begin + latencies), return_counts=True)
    whole = {int(ms): int(count) for ms, count in zip(seen, counts, strict=True)}
    others = {"PAYMENT": 63958, "ORDER_STATUS": 5952, "DELIVERY": 5954, "STOCK_LEVEL": 5944}
    rest = {name: {5: count} for name, count in others.items()}
    found = parse(golden("benchmarksql6.log") + histogram({"NEW_ORDER": whole, **rest}))
    kinds = {kind.name: kind for kind in found.kinds}
    assert kinds["newOrder"].latency_p95_ms == pytest.approx(exact, abs=0.15)


def test_a_histogram_of_another_run_is_not_used() -> None:
    found = parse(golden("benchmarksql6.log") + histogram({"NEW_ORDER": {7: 5}}))
    assert found.histogram == ()
    assert found.latency_p95_ms is None


def test_a_table_that_does_not_fit_its_sum_is_refused() -> None:
    text = golden("benchmarksql6.log").replace("66,653", "66,953")
    with pytest.raises(ParseError, match="148761 transactions"):
        parse(text)


def test_benchmarksql_6_without_its_table() -> None:
    text = golden("benchmarksql6.log").partition("result,")[0]
    with pytest.raises(ParseError, match=r"before its final report, after [0-9]+ lines"):
        parse(text)
    wrong = "2024-05-14 10:15:03,000 ERROR - main, Unable to read load configuration\n"
    with pytest.raises(ParseError, match=r"ended with an error: line [0-9]+ of"):
        parse(text.partition("Scheduler")[0] + wrong)


@pytest.mark.parametrize(
    "repeated",
    ["result, |", "result, Overall TPM: 1,", "rampup", "1", ",", " ", "E1", "|", "ERROR"],
)
@pytest.mark.parametrize("begin", ["Scheduler, ", "Term-00, Measured tpmTOTAL = 1", "", "x"])
def test_no_line_takes_long(begin: str, repeated: str) -> None:
    """A client's image writes what it likes. Squared, a line of a mebibyte takes minutes."""
    before = time.process_time()
    with pytest.raises(ParseError):
        parse(f"{begin}{repeated * (2**20 // len(repeated))}x\nTerm-00, \n - main, ")
    assert time.process_time() - before < 5


def test_a_row_of_the_table_with_more_cells_is_none() -> None:
    text = golden("benchmarksql6.log").replace("             0 |\n", "             0 | 1 |\n")
    with pytest.raises(ParseError, match="before its final report"):
        parse(text)
