"""What a CPU limit held up below its mean."""

from collections.abc import Callable
from dataclasses import replace

from encbench.report.analysis.caveats import Facts, throttling
from encbench.report.document import Provenance
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.unit.report.analysis.caveats.studies import BUSY, CALM, text_of


def test_what_a_cpu_limit_held_up_is_said_by_arm() -> None:
    """Whose mean is at the limit the report says already, unless a rate was offered."""
    title = "Its CPU limit held the server up"
    said = text_of(replace(CALM, held_up={"plain": 0.02, "tde": 0.234}), title)
    assert "of 100 ms as a rule: 23 % in arm tde (" in said
    assert "arm plain" not in said
    offered = replace(BUSY, rate=50, held_up={"plain": 0.3, "tde": 0.5})
    assert "30 % in arm plain (" in text_of(offered, title)


def test_what_a_cpu_limit_held_up_is_the_mean_over_an_arm_s_trials_in_a_condition() -> None:
    found = report_of(replace(CALM, concurrency=(4, 16), blocks=2))

    def said(percent: Callable[[TrialView], float]) -> list[str]:
        trials = [
            trial.model_copy(update={"held_up_percent": {"database": percent(trial)}})
            for trial in found.trials
        ]
        facts = Facts(found.spec, found.resolved, found.groups, trials, (), Provenance(), ())
        return [caveat.text for caveat in throttling.held_up(facts)]

    assert not said(lambda trial: 19.0 * (trial.block == 1))
    (text,) = said(lambda trial: 12.0 * (trial.arm == "tde" and trial.concurrency == 16))
    assert ": 12 % in arm tde (oltp-read-write at 16 threads on small). Its" in text
