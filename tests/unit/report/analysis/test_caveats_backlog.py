"""Pages that a trial changed and that its server wrote after the window."""

from dataclasses import replace

import pytest

from encbench.report.analysis.caveats import Facts, backlog
from encbench.report.document import Caveat
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
        replace(SMALL, unwritten={"tde": 23.0}, disk=(0.0, 0.0)),
    ],
    ids=["not counted", "small", "nothing to compare with", "not at rest", "its own changes"],
)
def test_no_caveat(study: Study) -> None:
    assert not caveats(study)


def test_in_turns_a_trial_s_own_slices_count() -> None:
    """Ten of 2.5 s after a warm-up of 30 s."""
    found = report_of(replace(SMALL, rounds=10))
    figures = {"tps": 102.4, "disk_write_kib_per_transaction": 10.0, "unwritten_mib": 44.0}
    trials = [trial.model_copy(update=figures) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    (caveat,) = backlog.unwritten(facts)
    assert "tde 20 MiB beside 25 MiB" in caveat.text
