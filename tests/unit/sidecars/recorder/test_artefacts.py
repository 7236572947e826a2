"""The files that a run leaves."""

import json
import math

from encbench.sidecars.recorder.artefacts import series_csv, termination_message
from encbench.sidecars.recorder.observation import SecondRow
from encbench.sidecars.recorder.process import Usage
from encbench.tools.progress import Sample
from encbench.wire.files import SERIES_COLUMNS

SAMPLE = Sample(3, 10.5, 210.0, 1.86, 2.0)
USAGE = Usage(3.0, 1.25, 4096, 8192, None)


def test_series() -> None:
    rows = [
        SecondRow(1000.1234, SAMPLE, False, USAGE),
        SecondRow(1001.0, SAMPLE, True, USAGE),
        SecondRow(1002.0, SAMPLE, False, None),
        SecondRow(1003.0, SAMPLE, False, USAGE._replace(resident_bytes=None)),
    ]
    assert series_csv(rows).splitlines() == [
        "time,tps,qps,latency_p95_ms,errors,cpu_seconds,resident_bytes",
        "1000.123,10.50,210.00,1.86,2.00,1.25,4096",
        "1001.000,10.50,210.00,,2.00,1.25,4096",
        "1002.000,10.50,210.00,1.86,2.00,,",
        "1003.000,10.50,210.00,1.86,2.00,1.25,",
    ]


def test_what_a_tool_does_not_tell_is_empty() -> None:
    sample = Sample(3, 10.5, math.nan, math.nan, 2.0)
    (_, line) = series_csv([SecondRow(1000.0, sample, False, USAGE)]).splitlines()
    assert line == "1000.000,10.50,,,2.00,1.25,4096"


def test_a_run_that_reported_nothing_has_a_header_only() -> None:
    assert series_csv([]) == ",".join(SERIES_COLUMNS) + "\n"


def test_termination_message_is_small_and_whole() -> None:
    message = json.loads(termination_message("p", {"output.log": "sha256:0"}, None))
    assert message == {"prefix": "p", "digests": {"output.log": "sha256:0"}}
    long = termination_message("p" * 900, {"summary.json": "sha256:" + "0" * 64}, "e" * 9000)
    assert len(long) <= 4096
    assert json.loads(long)["error"] == "e" * 1024
