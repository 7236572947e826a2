"""What lies in the bucket, and what Prometheus answers."""

import asyncio
import json
import math
import time
from contextlib import suppress

from hypothesis import strategies as st

from encbench.adapters.prometheus import Prometheus
from encbench.core.artefact import RecordError, decode
from encbench.core.evidence import ClientSummary
from encbench.core.records import MetricsRecord
from encbench.core.slices import Slices, SlicesError, of_clients, read_file
from encbench.ports import Rejected, Unavailable
from encbench.report.analysis.bucket import parse_series
from encbench.tools.measurement import Measurement, ParseError, in_slices
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import documents, texts
from tests.fuzz.measurements import sound

SERIES = ["time,tps,qps,latency_p95_ms,errors\n1.5,10.00,20.00,,0.00\n2.5,11.00,,3.1,\n"]
SUMMARY = {
    "schema": "encbench.io/client-summary/v1",
    "tool": "sysbench",
    "exitCode": 0,
    "began": {"unix": 1.0, "monotonic": 1.0},
    "ended": {"unix": 9.0, "monotonic": 9.0},
    "window": {"start": 2.0, "end": 8.0, "seconds": 6.0},
    "cpuSeconds": 3.5,
    "clockOffset": {"seconds": 0.1, "roundTrip": 0.2},
    "machine": {"kernel": "6.1.0", "cpuModel": "Some CPU"},
    "output": {"bytes": 3, "digest": "sha256:" + "0" * 64},
}
METRICS = {
    "schema": "encbench.io/metrics/v1",
    "window": {"start": 1.0, "end": 2.0},
    "series": {"database_cpu_seconds": [[1.0, 2.0], [1.5, 2.5]]},
    "pods": [{"part": "agent", "testbed": "t", "node": "n", "samples": [[1.0, 2.0]]}],
}
ROW = {"slice": 0, "begin": 1.0, "counted": 1.5, "end": 4.0, "transactions": 7, "newOrders": 0}
SLICES = {
    "schema": "encbench.io/slices/v1",
    "slices": [
        {**ROW, "allTransactions": 9, "cpuSeconds": 0.5},
        {**ROW, "slice": 2, "begin": 7.0, "counted": 7.5, "end": 9.0}
        | {"allTransactions": 9, "cpuSeconds": 0.5},
    ],
    "spanned": 1,
    "latency": [[1.0, 2.0, 5], [2.0, 4.0, 9]],
}
ANSWER = {
    "status": "success",
    "data": {"resultType": "matrix", "result": [{"metric": {"a": "b"}, "values": [[1.0, "2"]]}]},
}


def test_series(budget: Budget) -> None:
    def check(text: str) -> None:
        with suppress(RecordError):
            rows = [*parse_series(text.encode(errors="replace"), "series.csv")]
            json.dumps([v for row in rows for v in row if not math.isnan(v)], allow_nan=False)

    budget.spend(check, texts(SERIES), ["time,tps\n1,inf\n", "time,tps\nnan,1\n"])


def test_records(budget: Budget) -> None:
    def check(content: bytes) -> None:
        for kind in (ClientSummary, MetricsRecord):
            with suppress(RecordError):
                json.dumps(decode(kind, content, "key").to_dict(), allow_nan=False)

    budget.spend(check, documents([SUMMARY, METRICS]), [b"[" * 100_000])


def test_slices(budget: Budget) -> None:
    def check(contents: tuple[bytes, bytes]) -> None:
        with suppress(RecordError, SlicesError, ParseError):
            files = [read_file(content, "slices.json", 1000) for content in contents]
            found = of_clients(files, [0.0, 0.5], 2)
            json.dumps(Slices.model_validate(found.to_dict()).to_dict(), allow_nan=False)
            sound(in_slices(Measurement(seconds=1.0, transactions=0, tps=0.0, errors=0), found))

    one = documents([SLICES])
    whole = json.dumps(SLICES).encode()
    large = whole.replace(b'"cpuSeconds": 0.5', b'"cpuSeconds": 1e308')
    assert large != whole
    pairs = st.one_of(st.tuples(one, one), one.map(lambda content: (content, whole)))
    budget.spend(check, pairs, [(large, large)])


def test_prometheus(budget: Budget) -> None:
    class Answering(Prometheus):
        def __init__(self, content: bytes) -> None:
            super().__init__("http://prometheus")
            self.content = content
            self._known = time.monotonic(), 0.0

        async def _answer(self, query: str, at: float | None) -> tuple[int, bytes]:
            return 200, self.content

    def check(content: bytes) -> None:
        with suppress(Unavailable, Rejected):
            for one in asyncio.run(Answering(content).raw("up", 0.0, 10.0)):
                assert all(isinstance(value, str) for value in one.labels.values())
                json.dumps(one.samples, allow_nan=False)

    budget.spend(check, documents([ANSWER]))
