"""Pages that a trial changed and that its server wrote after the window."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.report.analysis.caveats import Facts, backlog
from encbench.report.document import Caveat, Report
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import TLS

TITLE = "Changed pages were written after the window"
SMALL = Study(concurrency=(16,), blocks=2, disk=(0.0, 10.0))
"""Each window writes between 200 and 300 MiB."""
ALL = {"plain": 600.0, "tde": 600.0}
"""Of warm-up and window, which has two thirds of the time."""


def caveats(study: Study) -> list[Caveat]:
    return [caveat for caveat in report_of(study).caveats if caveat.title == TITLE]


def test_a_backlog_larger_than_half_of_what_was_written_is_serious() -> None:
    (found,) = caveats(replace(SMALL, unwritten=ALL))
    assert found.weight == "serious"
    assert "Pages that a trial changed were written, and encrypted, after its window" in found.text
    assert "tde 400 MiB beside 2" in found.text
    assert "plain" not in found.text, "it encrypts nothing, whenever it writes"
    assert "(oltp-read-write at 16 threads on small)" in found.text


@pytest.mark.parametrize(
    "study",
    [
        replace(SMALL, unwritten={}),
        replace(SMALL, unwritten={"plain": 600.0, "tde": 150.0}),
        replace(SMALL, unwritten=ALL, disk=None),
        replace(SMALL, unwritten=ALL, modes={"tde": TLS}),
        replace(SMALL, unwritten={"tde": 23.9}, disk=(0.0, 0.0)),
    ],
    ids=["not counted", "small", "nothing to compare with", "not at rest", "its own changes"],
)
def test_no_caveat(study: Study) -> None:
    assert not caveats(study)


def test_less_than_a_server_changes_for_itself_is_none() -> None:
    (found,) = caveats(replace(SMALL, unwritten={"tde": 24.0}, disk=(0.0, 0.0)))
    assert "tde 16 MiB beside 0 MiB" in found.text


def with_left(found: Report, left: Callable[[TrialView], dict[str, Any]]) -> str:
    """What is said where each trial has 100 TPS of 10.24 KiB, and what `left` says of it."""
    figures = {"tps": 100.0, "disk_write_kib_per_transaction": 10.24}
    trials = [trial.model_copy(update={**figures, **left(trial)}) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    (caveat,) = backlog.unwritten(facts)
    return caveat.text


def test_in_turns_a_trial_s_own_slices_count() -> None:
    """Ten of 2.5 s after a warm-up of 30 s."""
    found = report_of(replace(SMALL, rounds=10))
    said = with_left(found, lambda _: {"unwritten_mib": 44.0})
    assert "tde 20 MiB beside 25 MiB" in said


@pytest.mark.parametrize(("few", "many"), [(150.0, 90.0), (90.0, 150.0)])
def test_the_worst_condition_of_an_arm_is_named(few: float, many: float) -> None:
    found = report_of(replace(SMALL, concurrency=(4, 16)))
    left = {4: few, 16: many}
    said = with_left(found, lambda trial: {"unwritten_mib": left[trial.concurrency]})
    worst = max(left, key=lambda threads: left[threads])
    assert f": tde 100 MiB beside 60 MiB (oltp-read-write at {worst} threads on small). " in said


def test_the_average_is_of_the_trials_that_count_and_know_it() -> None:
    changes: dict[int, dict[str, Any]] = {
        1: {"unwritten_mib": 90.0},
        2: {"unwritten_mib": None},
        3: {"unwritten_mib": 9000.0, "counted": False},
    }
    found = report_of(replace(SMALL, blocks=3))
    assert "tde 60 MiB beside 60 MiB" in with_left(found, lambda trial: changes[trial.block])
