"""The output of a TPC-C client as a measurement: encbench's own, or BenchmarkSQL's 5 or 6.

TPS is tpmTOTAL / 60, over all five transactions; New-Orders per second, tpmC / 60, are separate.
(The published PolarDB-X study says that it divides "tpmC" by 60; its TPS can only be the total.)
The lines show which client wrote the output, so a parser needs only the text.

Our own client (docs/tpcc.md) writes one JSON object a line, `result` the last. It reads its
counters and its clock at the same moment, both at the start and at the end of the window, so its
figures need no correction. All replicas use the same histogram buckets.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from encbench.core.figure_names import CELLS, DELIVERED, NEW_ORDERS, RETRIES, ROUND_TRIPS, SKIPPED
from encbench.core.statistics.histogram import percentile
from encbench.tools.measurement import PERCENTILE, Measurement, ParseError, TransactionKind, summed
from encbench.tools.session import columns, sessions
from encbench.tools.tpcc import benchmarksql
from encbench.tools.tpcc.progress import LONGEST, OWN
from encbench.wire.foreign import parsed

_MICROSECONDS = 1000.0
_MOST_TYPES = 5


def parse(output: str) -> Measurement:
    """The measured window in the complete output of one client; ParseError for anything else."""
    lines = [line.rstrip() for line in output.replace("\b", "\n").split("\n")]
    if any(line.startswith(OWN) for line in lines):
        return _own(lines)
    if any(benchmarksql.is_6(line) for line in lines):
        return benchmarksql.parse_6(lines)
    if any(benchmarksql.is_5(line) for line in lines):
        return benchmarksql.parse_5(lines)
    found = "its last line may say why" if any(lines) else "it is empty"
    raise ParseError(f"output.log is no TPC-C client's: {found}")


def _own(lines: Sequence[str]) -> Measurement:
    """The measured window; ParseError says what is wrong with the output."""
    result: Mapping[str, Any] | None = None
    types: list[Mapping[str, Any]] = []
    for event in (_event(line) for line in lines if line.startswith(OWN)):
        # No other is kept: all of an output together would not fit.
        if event.get("event") == "result":
            result = event
        elif event.get("event") == "type" and len(types) <= _MOST_TYPES:
            types.append(event)
    if len(types) > _MOST_TYPES:
        raise ParseError("output.log has more kinds of transactions than there are")
    if result is None:
        raise ParseError("the client's output ends before its result: output.log may say why")
    if not result.get("complete"):
        raise ParseError("the run was not complete: the result in output.log says why")
    try:
        return _measurement(result, types, lines)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ParseError("the client's result in output.log is malformed") from error


def _event(line: str) -> dict[str, Any]:
    try:
        event = parsed(line[len(OWN) : LONGEST])
    except ValueError as error:
        raise ParseError("output.log has a damaged line of the client") from error
    return event if isinstance(event, dict) else {}


def _measurement(
    result: Mapping[str, Any], types: Sequence[Mapping[str, Any]], lines: Sequence[str]
) -> Measurement:
    kinds = tuple(_kind(event) for event in types)
    histogram = summed(kind.histogram for kind in kinds)
    counted, transactions = sum(n for _, n in histogram), int(result["transactions"])
    if counted != transactions:
        raise ParseError(f"the histograms hold {counted} of {transactions} transactions")
    latency, seconds = result["latencyMs"] or {}, float(result["window"]["seconds"])
    traffic = result["traffic"]  # between client and server
    return Measurement(
        seconds=seconds,
        transactions=transactions,
        tps=float(result["tpmTotal"]) / 60,
        latency_average_ms=latency.get("average"),
        latency_p95_ms=percentile(histogram, PERCENTILE) if histogram else None,
        errors=int(result["errors"]),
        # A session that was lost in the warm-up has another in its place in the window.
        reconnects=int(result["session"]["reconnects"]),
        histogram=histogram,
        extra={
            NEW_ORDERS: float(result["tpmC"]) / 60,
            RETRIES: int(result["retries"]) / seconds,
            ROUND_TRIPS: int(traffic["roundTrips"]) / seconds,
            CELLS: int(traffic["cells"]) / seconds,
            **_districts(result, seconds),
        },
        kinds=kinds,
        sessions=sessions("\n".join(lines)),
        columns=columns("\n".join(lines)),
    )


def _districts(result: Mapping[str, Any], seconds: float) -> dict[str, float]:
    """Those in which a Delivery found an order, and none; earlier clients do not count them."""
    keys = {DELIVERED: "deliveredOrders", SKIPPED: "skippedDistricts"}
    return {name: int(result[key]) / seconds for name, key in keys.items() if key in result}


def _kind(event: Mapping[str, Any]) -> TransactionKind:
    return TransactionKind(
        name=str(event["type"]),
        transactions=int(event["committed"]) + int(event["rolledBack"]),
        errors=int(event["errors"]),
        histogram=tuple(
            (float(middle) / _MICROSECONDS, int(count)) for middle, count in event["histogramUs"]
        ),
    )
