"""What tools print: the logs of sysbench, of our TPC-C client and of BenchmarkSQL 5 and 6."""

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from encbench.report.analysis.bucket import parse_series
from encbench.sidecars.recorder.follow import reader
from encbench.sidecars.recorder.moment import Moment
from encbench.sidecars.recorder.observation import Observation
from encbench.tools.measurement import Measurement, ParseError
from encbench.tools.sysbench import parser as sysbench
from encbench.tools.sysbench import script
from encbench.tools.tpcc import parser as tpcc
from encbench.tools.tpcc.progress import own_event
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import texts
from tests.fuzz.measurements import sound

DATA = Path(__file__).parents[1] / "data"
LOGS = {
    tool: [path.read_text() for path in sorted((DATA / tool).glob("*.log"))]
    for tool in ("sysbench", "tpcc")
}
OWN = [log for log in LOGS["tpcc"] if "encbench-tpcc " in log]
FIVE, SIX = ([log for log in LOGS["tpcc"] if word in log] for word in ("Term-00, ", "Scheduler, "))
READ_WRITE = (DATA / "sysbench" / "read_write.log").read_text()
CUT = [log for log in LOGS["sysbench"] if "FATAL: " in log]


def parsing(parse: Callable[[str], Measurement]) -> Callable[[str], None]:
    def check(output: str) -> None:
        with suppress(ParseError):
            sound(parse(output))

    return check


def test_sysbench(budget: Budget) -> None:
    budget.spend(
        parsing(sysbench.parse),
        texts(LOGS["sysbench"]),
        [
            READ_WRITE.replace("] Checkpoint report:", "x ] Checkpoint report:"),
            READ_WRITE.replace("total time:", "another time:"),
            READ_WRITE.replace("transactions:   ", "transactions:   " + "9" * 400),
        ],
    )


def test_sysbench_that_was_cut_off(budget: Budget) -> None:
    def parse(log: str) -> Measurement:
        return sysbench.parse_cut(log, 0.0, 5.0)

    whole = (DATA / "sysbench" / "connection_lost.log").read_text()
    assert parse(whole).transactions > 0, "the fuzzer reaches the figures"
    budget.spend(parsing(parse), texts(CUT))


@pytest.mark.parametrize(
    ("logs", "found"),
    [
        pytest.param(OWN, ['encbench-tpcc {"event":' + "[" * 5000], id="own"),
        pytest.param(FIVE, [FIVE[0].replace("tpmTOTAL", "tpmTOTAL = 9E999")], id="benchmarksql5"),
        pytest.param(SIX, [SIX[0] + "encbench-histogram NEW_ORDER,1.0,²\n"], id="benchmarksql6"),
    ],
)
def test_tpcc(budget: Budget, logs: list[str], found: list[str]) -> None:
    budget.spend(parsing(tpcc.parse), texts(logs), found)


@pytest.mark.parametrize("tool", LOGS)
def test_series(budget: Budget, tool: str) -> None:
    """Line by line as the recorder reads them, and the series that it writes as the report does."""

    def check(output: str) -> None:
        own, seen, samples = reader(tool), Observation(has_warmup=True), 0
        for second, line in enumerate(output.replace("\b", "\n").split("\n")):
            when = Moment(1.7e9 + second, float(second))
            if (mark := own.mark(line)) is not None:
                stamp = own.when(line)
                assert stamp is None or math.isfinite(stamp)
                seen.see_mark(mark, when)
            elif (sample := own.progress(line)) is not None:
                seen.see_sample(sample, when, None)
                samples += 1
        rows = [*parse_series(seen.series(), "series.csv")]
        assert len(rows) == samples
        assert not any(math.isinf(value) for row in rows for value in row)

    intervals = [f"main, reportIntervalSecs={n}\n" + SIX[0] for n in ("nan", "inf", "9" * 400)]
    seconds = 'encbench-tpcc {"event":"second","second":1,"transactions":1,"seconds":%s}'
    odd = [seconds % n for n in ("1e-320", "0", "1e400", "9" * 320)]
    budget.spend(check, texts(LOGS[tool]), [*intervals, *odd])


def test_events_of_our_client_are_objects(budget: Budget) -> None:
    lines = [line for log in OWN for line in log.splitlines() if line.startswith("encbench-tpcc")]
    budget.spend(lambda line: own_event(line).items(), texts(lines))


SCRIPTS = [
    'require("oltp_common")\nsysbench.cmdline.options.tables = {"Tables", 1}\n'
    "function prepare() end\nfunction event() con:query([==[SELECT 1]==]) end\n",
    "-- x\nsysbench.cmdline.options = { tables = {'n', 1}, ['table-size'] = {f(1), 2}, --[[y]]\n"
    "skip = nil }\nsysbench.cmdline.commands = { prepare = {function() end} }\n"
    "local function event() end\nthread_run = function(id) end\n",
]
HOSTILE = [
    *("[[" * 100_000, "--[[\n" * 40_000, "--[=[" * 40_000, "require" + " " * 200_000),
    *("sysbench.cmdline.options = {" * 8000, "sysbench.cmdline.options={" + "a" * 200_000),
    *("function a() " * 15_000, '"' * 200_001, "a=function" * 20_000, "\\" * 200_000),
]
"""Texts on which a reader that looks at anything twice takes hours."""


def test_scripts(budget: Budget) -> None:
    budget.spend(script.read, texts(SCRIPTS), HOSTILE)
