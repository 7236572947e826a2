"""The caveat about servers that restarted between two trials."""

from collections.abc import Callable

import pytest

from encbench.report.analysis.caveats import Facts, restarts
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

Started = Callable[[TrialView], float | None]
"""When the server of a trial started."""


def named(started: Started) -> str:
    """What the caveat says of a calm study whose servers started then; empty if there is none."""
    found = report_of(Study(concurrency=(16,)))
    trials = [one.model_copy(update={"server_started": started(one)}) for one in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    return " ".join(caveat.text for caveat in restarts.emptied_caches(facts))


def once(trial: TrialView) -> float:
    """One arm's server restarts before block 3, and goes on."""
    return 900.0 if trial.home == "tde" and trial.block >= 3 else 100.0


def test_a_trial_after_a_restart_of_its_server_alone_is_named() -> None:
    text = named(once)
    assert text.startswith("In 1 of ")
    assert "-b3-" in text


CALM: dict[str, Started] = {
    "never": lambda _: 100.0,
    "at no known time": lambda _: None,
    "as its clock moves": lambda trial: 100.0 + 0.01 * trial.block,
    "each block, by plan": lambda trial: 100.0 * trial.block,
    "before its first trial": lambda trial: 900.0 if trial.home == "tde" else 100.0,
    "not known before": lambda trial: None if trial.block < 3 else once(trial),
}


@pytest.mark.parametrize("started", CALM.values(), ids=CALM)
def test_other_starts_are_no_matter(started: Started) -> None:
    assert named(started) == ""
