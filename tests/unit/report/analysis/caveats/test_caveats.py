"""Each caveat appears when its fact holds, and not otherwise."""

from dataclasses import replace

import pytest

from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.unit.report.analysis.caveats.studies import BUSY, CALM, IN_TURNS, titles


def test_a_calm_study_has_only_the_notes_on_its_dataset_and_its_testbeds() -> None:
    assert titles(CALM) == {"The dataset fits into memory", "Each mode ran on one testbed"}


@pytest.mark.parametrize(
    ("study", "title"),
    [
        (Study(concurrency=(16,), colocated=True), "Client and database shared a node"),
        (Study(concurrency=(16,), noise=0.05), "The noise floor is wider than the margin"),
        (Study(concurrency=(16,), blocks=3), "Few blocks"),
        (Study(concurrency=(16,), blocks=16, per_testbed=4), "Few sets of testbeds"),
        (Study(concurrency=(16,), blocks=8, rounds=8, per_testbed=2), "Few sets of testbeds"),
        (Study(concurrency=(16,), client_cpu=0.9), "The client was near its limit"),
        (Study(concurrency=(1,)), "The server was never saturated"),
        (Study(concurrency=(16,), seconds=20), "Short windows"),
        (Study(concurrency=(16,), flags=("fpu",)), "No AES instructions"),
        (Study(concurrency=(4, 16)), "Several comparisons"),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Fewer valid blocks than planned",
        ),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Many trials did not succeed",
        ),
        (
            Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})),
            "Server CPU withheld",
        ),
        (replace(CALM, foreign=0.11), "Something else used the nodes"),
        (replace(CALM, stolen=0.021), "The hypervisor took CPU"),
        (replace(CALM, foreign=None), "Load from outside was not measured"),
        (replace(CALM, idle=0.021), "Idle databases were not quite idle"),
        (replace(CALM, throttled=3.1), "The client was near its limit"),
        (replace(IN_TURNS, throttled=1.6), "The client was near its limit"),
        (replace(CALM, rate=50, throttled=0.7), "Latency leaves out the client's own stalls"),
        (BUSY, "The server was at its CPU limit"),
        (replace(CALM, held_up={"tde": 0.11}), "Its CPU limit held the server up"),
        (replace(CALM, rate=50), "A fixed rate was offered"),
        (replace(CALM, rate=500), "An arm fell behind the offered rate"),
        (replace(CALM, precision=0.001, wanted=40), "Intervals are wider than asked for"),
    ],
)
def test_caveat(study: Study, title: str) -> None:
    assert title in titles(study)


@pytest.mark.parametrize(
    ("study", "title"),
    [
        (replace(CALM, foreign=0.09), "Something else used the nodes"),
        (replace(CALM, stolen=0.019), "The hypervisor took CPU"),
        (replace(CALM, idle=0.019), "Idle databases were not quite idle"),
        (replace(CALM, throttled=2.9), "The client was near its limit"),
        (replace(IN_TURNS, throttled=1.4), "The client was near its limit"),
        (replace(CALM, rate=50, throttled=0.5), "Latency leaves out the client's own stalls"),
        (replace(CALM, throttled=2.9), "Latency leaves out the client's own stalls"),
        (replace(BUSY, rate=50), "The server was at its CPU limit"),
        (replace(CALM, held_up={"tde": 0.09}), "Its CPU limit held the server up"),
        (replace(BUSY, held_up={"tde": 0.9}), "Its CPU limit held the server up"),
        (replace(CALM, rate=50), "The server was never saturated"),
        (replace(CALM, per_testbed=1), "Each mode ran on one testbed"),
        (replace(CALM, loss={}), "Each mode ran on one testbed"),
        (replace(CALM, precision=0.02, wanted=8), "Intervals are wider than asked for"),
        (
            replace(CALM, precision=0.02, wanted=10, rate=20, noise=0.012, loss={"tde": 0.6}),
            "Intervals are wider than asked for",
        ),
    ],
)
def test_no_caveat(study: Study, title: str) -> None:
    assert title not in titles(study)


def test_serious_ones_come_first() -> None:
    found = report_of(Study(concurrency=(16,), colocated=True, blocks=3, seconds=20))
    weights = [caveat.weight for caveat in found.caveats]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == "serious"
