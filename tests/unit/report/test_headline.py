"""The sentences: what a person reads first, and must not misread."""

import pytest

from encbench.api.overheadreport import Interval
from encbench.report.headline import cpu_clause
from encbench.report.model import build
from tests.data.report.synthetic import Study, write


def sentences(study: Study) -> list[str]:
    index, bucket = write(study)
    return [headline.text for headline in build(index, bucket.__getitem__).headlines]


def test_overhead() -> None:
    (text,) = sentences(Study(concurrency=(4,), blocks=6))
    assert text == (
        "tde costs 8.2 % [7.3, 9.1] of TPS and 12 % more CPU per transaction, oltp-read-write at "
        "4 threads on small; 6 blocks, noise floor ±1.4 %, encryption proven on disk."
    )


def test_equivalent() -> None:
    (text,) = sentences(Study(concurrency=(4,), loss={"tde": 0.003}))
    assert text.startswith("tde makes no difference beyond the margin of ±3 %: it costs ")


def test_cannot_tell_for_noise() -> None:
    (text,) = sentences(Study(concurrency=(16,), noise=0.04, blocks=3))
    assert text.startswith("cannot tell what tde costs: the noise floor of ±")
    assert "is wider than the margin of 3 %; the measured loss is " in text
    assert text.count("noise floor") == 1


def test_cannot_tell_from_one_block() -> None:
    (text,) = sentences(Study(concurrency=(4,), blocks=1))
    assert text.startswith("cannot tell what tde costs: one block gives no interval; ")
    assert "1 block, no noise floor" in text


def test_no_data_says_why() -> None:
    (text,) = sentences(Study(always={"tde": ("Invalid", "ProofFailed")}))
    assert text.startswith(
        "no data for tde: every trial was Invalid (ProofFailed 6); the proof of "
    )
    assert text.endswith("failed: the marker was found in ib_logfile0.")


def test_no_data_where_another_arm_failed() -> None:
    study = Study(concurrency=(4,), always={"plain-control": ("Failed", "StartDeadline")})
    (text,) = sentences(study)
    assert text.startswith("no data for tde: no block is complete: 3 of ")
    assert "(StartDeadline 3)" in text


def test_one_sentence_per_treatment_and_the_range_over_conditions() -> None:
    first, second = sentences(
        Study(loss={"ctr": 0.08, "cbc": 0.15}, concurrency=(1, 4, 16), blocks=6)
    )
    assert first.startswith("ctr costs ")
    assert second.startswith("cbc costs ")
    assert "oltp-read-write at 16 threads on small" in first
    assert "Over all 3 conditions the loss ranges from " in first
    assert first.endswith("(3 Overhead).")


def test_the_condition_is_chosen_by_the_plan_even_when_another_is_worse() -> None:
    index, bucket = write(Study(instances=("small", "large"), concurrency=(4, 16), blocks=3))
    headline = build(index, bucket.__getitem__).headlines[0]
    assert (headline.instance, headline.concurrency) == ("small", 16)


def test_a_campaign_of_the_baseline_alone() -> None:
    (text,) = sentences(Study(loss={}))
    assert text.startswith("no mode to compare: plain against itself shows a noise floor of up to ")


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (None, ""),
        (Interval(estimate=0.113, low=0.1, high=0.12), " and 11 % more CPU per transaction"),
        (Interval(estimate=0.031, low=0.01, high=0.05), " and 3.1 % more CPU per transaction"),
        (Interval(estimate=-0.05, low=-0.07, high=-0.03), " and 5.0 % less CPU per transaction"),
        (
            Interval(estimate=0.01, low=-0.02, high=0.04),
            ", CPU per transaction without a clear change ([−2.0, 4.0] %)",
        ),
        (Interval(estimate=0.2), " and 20 % more CPU per transaction"),
    ],
)
def test_cpu_clause(interval: Interval | None, expected: str) -> None:
    assert cpu_clause(interval) == expected
