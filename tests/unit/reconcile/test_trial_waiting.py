"""A trial whose database is being started for it: what it waits for, and for how long."""

from typing import Any

import pytest

from encbench.api.conditions import format_time
from encbench.api.scalars import parse_duration
from encbench.reconcile.effects.effect import AskChecks, Prove
from encbench.reconcile.effects.trial import TrialEffects
from encbench.reconcile.objects import Testbed
from encbench.reconcile.trial.decide import decide
from tests.unit.reconcile.seen import (
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    ago,
    found,
    saw,
    tpcc_testbed,
)
from tests.unit.reconcile.world import World, parts, study

LIMITS = a_trial().spec.step_deadlines
PROOF = parse_duration(LIMITS.proof)
LONGEST = parse_duration(LIMITS.archive) + parse_duration(LIMITS.reset)


def bed(reason: str = "Ready", **run: Any) -> Testbed:
    """A testbed that is reset before each trial."""
    asked = {"start": "run", "reset": "run", "askedTime": ago(3600), **run}
    found = a_testbed({"Ready": ("False" if reason else "True", 60.0)}, run=asked)
    spec = found.spec.model_copy(update={"reset": "trial"})
    return Testbed(**{**vars(found), "spec": spec})


def outcome(
    testbed: Testbed, waited: float, asked: float | None = None
) -> tuple[str | None, str | None, str]:
    """How a trial that began `waited` seconds ago is, and may ask for `asked` seconds."""
    facts = {} if asked is None else {"ProvenBefore": ("Unknown", asked)}
    known = found(problem="no answer", asked={} if asked is None else {"before": ago(asked)})
    seen = saw(a_client(), testbed=testbed, found=known)
    status = decide(a_trial(facts, startTime=ago(waited)), seen).status
    return status.outcome, status.reason, status.message or ""


def test_the_proofs_deadline_is_of_a_database_that_is_there() -> None:
    assert outcome(bed(), PROOF + 60)[0] is None, "it is still being copied"
    there = bed(readyTime=ago(5))
    assert outcome(there, PROOF + 60)[0] is None
    assert outcome(there, PROOF + 60, 5)[0] is None
    assert outcome(there, PROOF + 60, PROOF + 1)[:2] == ("Failed", "ProofTimeout")


def test_another_trials_start_is_not_waited_for_as_if_it_were_ours() -> None:
    other = bed(start="run-before", reset="run-before", readyTime=ago(PROOF + 1))
    assert outcome(other, PROOF + 60)[0] is None


@pytest.mark.parametrize(("late", "ends"), [(-1.0, None), (1.0, "Failed")])
def test_nobody_waits_for_ever(late: float, ends: str | None) -> None:
    found, reason, message = outcome(bed(), LONGEST + late)
    assert found == ends
    if ends:
        assert reason == "StartTimeout"
        assert "testbed bed did not get ready: Ready is False" in message


async def test_when_a_question_had_its_first_slot_is_remembered() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,), bed = world.trials(), tpcc_testbed()
    effects = TrialEffects(world.deps, world.operators[0].nodes)
    first = format_time(world.clock.now())
    silent = a_pod("bed-0", ip="10.9.9.9")
    ask = AskChecks(bed, silent, trial.uid, loaded=False)
    await effects.perform(trial, Prove(bed, silent, "before"))
    world.clock.time += 60
    for effect in (Prove(bed, silent, "before"), Prove(bed, silent, "after")):
        await effects.perform(trial, effect)
    later = format_time(world.clock.now())
    assert effects.found(trial).problem
    assert effects.found(trial).asked == {"before": first, "after": later}
    await effects.perform(trial, ask)
    assert effects.found(trial).asked["checks"] == later


def test_the_proofs_deadline_runs_from_when_it_was_announced() -> None:
    assert outcome(a_testbed(), 3 * PROOF, PROOF - 1)[0] is None
    assert outcome(a_testbed(), 3 * PROOF, PROOF + 1)[:2] == ("Failed", "ProofTimeout")
