"""Pages that a trial changed and that its server wrote after the window."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats import Facts, backlog
from encbench.report.document import Caveat, Report
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, PASS_THROUGH, TLS

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


VOLUME = replace(SMALL, disk=(0.0, 10.0), modes={"tde": ENCRYPTED_CLASS})
"""Windows of 60 s after warm-ups of 30 s."""


def before_checkpoint(
    study: Study, timeout: str | None, engine: str = "postgresql", lacking: float = 0.0
) -> Iterator[Caveat]:
    """Of that study on an engine whose servers have that `checkpoint_timeout`.

    Each window is observed to be shorter by `lacking`.
    """
    found = report_of(study)
    resolved = found.resolved.model_copy(
        update={
            "instances": {
                name: one.model_copy(update={"engine": engine})
                for name, one in found.resolved.instances.items()
            }
        }
    )
    settings = {} if timeout is None else {"checkpoint_timeout": timeout}
    record = ProvenanceRecord(
        testbed="bed", server=ServerFacts(version="15", settings=settings), machine=MachineFacts()
    )
    sources = [ProvenanceSource("key", "digest", record, {trial.uid for trial in found.trials})]
    trials = [shorter(trial, lacking) for trial in found.trials]
    return backlog.before_checkpoint(
        Facts(found.spec, resolved, found.groups, trials, (), found.provenance, sources)
    )


def shorter(trial: TrialView, lacking: float) -> TrialView:
    """The same with a window that ended that many seconds earlier."""
    assert trial.window is not None
    window = trial.window.model_copy(update={"end": trial.window.end - lacking})
    return trial.model_copy(update={"window": window})


@pytest.mark.parametrize("mode", [ENCRYPTED_CLASS, GOCRYPTFS])
def test_a_volume_under_postgresql_encrypts_pages_at_a_checkpoint(mode: dict[str, Any]) -> None:
    (caveat,) = before_checkpoint(replace(VOLUME, modes={"tde": mode}), "5min")
    assert caveat.weight == "serious"
    assert "and window: tde 90 s with checkpoint_timeout at 300 s. So" in caveat.text


@pytest.mark.parametrize(
    ("timeout", "lacking", "said"),
    [("90s", 0.0, False), ("90s", 0.02, False), ("90s", 1.5, True), ("92s", 0.0, True)],
)
def test_a_checkpoint_is_due_so_long_after_the_load_began(
    timeout: str, lacking: float, said: bool
) -> None:
    """The warm-up counts, and an observed end need not be the planned one."""
    assert bool([*before_checkpoint(VOLUME, timeout, lacking=lacking)]) is said


@pytest.mark.parametrize(
    ("study", "timeout", "engine"),
    [
        (VOLUME, "1min", "postgresql"),
        (VOLUME, None, "postgresql"),
        (VOLUME, "5min", "mariadb"),
        (replace(VOLUME, disk=(9.0, 0.0)), "5min", "postgresql"),
        (replace(VOLUME, modes={"tde": PASS_THROUGH}), "5min", "postgresql"),
        (replace(VOLUME, modes={"tde": TLS}), "5min", "postgresql"),
    ],
    ids=["long enough", "not known", "InnoDB", "it only reads", "no cipher", "no volume"],
)
def test_no_caveat_about_checkpoints(study: Study, timeout: str | None, engine: str) -> None:
    assert not [*before_checkpoint(study, timeout, engine)]


@pytest.mark.parametrize(
    ("workload", "said"), [("oltp-write-only", True), ("oltp-read-only", False)]
)
def test_where_it_is_unknown_what_was_written_the_script_says_it(workload: str, said: bool) -> None:
    unknown = replace(VOLUME, disk=None, workloads=(workload,))
    assert bool([*before_checkpoint(unknown, "5min")]) is said
