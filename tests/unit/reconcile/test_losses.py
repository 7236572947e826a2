"""A set of testbeds that is lost with a node: the campaign goes on with another, and says so."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import MAX_LOST_SETS
from encbench.api.conditions import find, is_false, is_true
from encbench.api.kinds import CAMPAIGN, POD, TESTBED
from encbench.core.artefact import decode
from encbench.core.records import MEASURED, CampaignEnd, IndexRecord
from encbench.reconcile import objects
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.effects.effect import Announce
from encbench.reconcile.objects import Testbed, Trial
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.seen import ago
from tests.unit.reconcile.test_campaign_decide import a_campaign, deleted, made, saw, the_testbeds
from tests.unit.reconcile.test_hindrances import lost
from tests.unit.reconcile.world import SPACE, World, parts, study

EVICTED = 300.0
"""Seconds after which Kubernetes deletes the pods of a node that does not answer."""
MESSAGE = "the database pod is not ready: node n1 of pod p does not answer"


def one_failed(
    of: objects.Campaign, reason: str = "PodNotReady", *, was_ready: bool = True
) -> dict[str, Testbed]:
    """The cell's testbeds, the first of which has failed."""
    beds = the_testbeds(of)
    name = min(beds)
    status = beds[name].status
    ready, *rest = status.conditions
    failed = ready.model_copy(
        update={"type": "Failed", "status": "True", "reason": reason, "message": MESSAGE}
    )
    own = {"conditions": [failed, ready, *rest], "ready_time": ago(9) if was_ready else None}
    return {**beds, name: replace(beds[name], status=status.model_copy(update=own))}


def test_its_open_block_is_replaced_and_the_set_goes() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    beds = one_failed(one)
    first = decide(one, saw(one, "Succeeded", testbeds=beds))
    (gone,) = first.status.lost_sets
    assert (gone.generation, gone.workload, gone.concurrency, gone.block) == (1, "oltp", 8, 1)
    assert gone.message == f"testbed {min(beds)} was lost: {MESSAGE}"
    (told,) = [effect for effect in first.effects if isinstance(effect, Announce)]
    assert (told.reason, told.warning) == ("SetLost", True)
    assert told.note.endswith("are built anew; another block replaces block 1")
    assert sorted(deleted(first)) == sorted(beds)
    assert first.status.step.endswith("to build them anew")
    assert first.status.progress.planned == 1 + 2 * len(beds)

    again = replace(one, status=first.status)
    second = decide(again, saw(one, "Succeeded", testbeds=beds))
    assert second.status.lost_sets == first.status.lost_sets
    assert not [effect for effect in second.effects if isinstance(effect, Announce)]
    built = decide(again, saw(one, "Succeeded", testbeds={}))
    assert made(built) == ["Testbed"] * len(beds)
    names = [e.body["metadata"]["name"] for e in built.effects if hasattr(e, "body")]
    assert all("g2-" in name for name in names), names


@pytest.mark.parametrize("reason", ["PodEnded", "NotStarted", "Unschedulable", "NodeLost"])
def test_a_set_that_its_node_does_not_take_again_is_built_anew(reason: str) -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    assert decide(one, saw(one, testbeds=one_failed(one, reason))).status.lost_sets
    never = one_failed(one, reason, was_ready=False)
    assert not decide(one, saw(one, testbeds=never)).status.lost_sets, "it would be so again"


@pytest.mark.parametrize("reason", ["LoadDisrupted", "PodNotReady"])
def test_a_set_that_lost_a_pod_before_it_was_loaded_is_built_anew(reason: str) -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    beds = one_failed(one, reason, was_ready=False)
    (gone,) = decide(one, saw(one, testbeds=beds)).status.lost_sets
    assert (gone.generation, gone.block) == (1, None)


def test_between_blocks_no_block_is_replaced() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    beds = one_failed(one)
    whole = ["Succeeded"] * len(beds)
    (gone,) = decide(one, saw(one, *whole, testbeds=beds)).status.lost_sets
    assert (gone.workload, gone.concurrency, gone.block) == (None, None, None)


def test_what_still_runs_is_let_end_first() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    beds = one_failed(one)
    decision = decide(one, saw(one, None, testbeds=beds))
    assert decision.status.lost_sets
    assert not deleted(decision)
    assert not made(decision)


@pytest.mark.parametrize(
    ("spec", "failed"),
    [
        ({"maxReplacements": 0}, {}),
        ({"maxReplacements": 1}, {"was_ready": False, "reason": "Unschedulable"}),
        ({"maxReplacements": 1}, {"reason": "LoadFailed"}),
        ({"maxReplacements": 1}, {"reason": "ResetTimeout"}),
    ],
)
def test_what_would_fail_again_gives_the_cell_up(
    spec: dict[str, Any], failed: dict[str, Any]
) -> None:
    one = a_campaign(blocks={"min": 2, **spec})
    decision = decide(one, saw(one, "Succeeded", testbeds=one_failed(one, **failed)))
    assert decision.status.lost_sets == []
    assert decision.status.progress.planned == 1
    assert not made(decision)


def test_a_cell_that_lost_as_many_sets_as_it_may_is_given_up() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 2})
    seen = saw(one, "Succeeded", testbeds=one_failed(one))
    (gone,) = decide(one, seen).status.lost_sets
    before = [gone.model_copy(update={"generation": number}) for number in (-1, 0)]
    status = one.status.model_copy(update={"lost_sets": before})
    assert decide(replace(one, status=status), seen).status.lost_sets == before


def test_a_campaign_that_lost_as_many_sets_as_its_status_takes_says_so() -> None:
    for own, named in ((2, True), (1, False)):
        one = a_campaign(blocks={"min": 2, "maxReplacements": own})
        seen = saw(one, "Succeeded", testbeds=one_failed(one), verdict="Overhead")
        first = replace(seen, verdict=None)
        (gone,) = decide(one, first).status.lost_sets
        others = [gone.model_copy(update={"cell": "other"})] * (MAX_LOST_SETS - 1)
        mine = gone.model_copy(update={"generation": 0})
        status = one.status.model_copy(update={"lost_sets": [*others, mine]})
        ended = decide(replace(one, status=status), seen).status
        failed = find(ended.conditions, "Failed")
        assert failed is not None and failed.reason == "TestbedFailed"
        assert ("; a campaign may lose 32 sets of testbeds" in failed.message) == named


async def test_a_campaign_goes_on_after_its_database_s_node_is_lost() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks={"min": 2, "maxReplacements": 1}))
    await world.run(world.running(2))
    unlucky = max(world.trials(), key=lambda one: one.spec.order)
    pod = f"{unlucky.spec.testbed_ref.name}-0"
    lost(world, pod)
    await world.run(world.ended, limit=20_000)
    await world.settle()

    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    (gone,) = status.lost_sets
    assert gone.generation == 1
    assert pod.removesuffix("-0") in gone.message
    assert [e.reason for e in world.cluster.events if e.kind == CAMPAIGN].count("SetLost") == 1
    counted = [t for t in world.trials() if t.status.outcome == "Succeeded"]
    sets: dict[int, set[int]] = {}
    for trial in counted:
        sets.setdefault(trial.spec.block, set()).add(number_of_set(trial))
    whole = [block for block in sets if len(in_block(counted, block)) == 3]
    assert [sets[block] for block in sorted(whole)] == [{2}, {2}]
    assert {row.blocks for row in report(world).status.rows} == {2}
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    index = decode(IndexRecord, world.store.objects[artefacts.index.key], artefacts.index.key)
    assert {bed.generation for bed in index.testbeds} == {1, 2}
    assert index.lost_sets == (gone,)
    assert index.end == CampaignEnd(reason=MEASURED, message="every planned block is valid")
    assert {t.spec.testbed_ref.name for t in world.trials()} <= {t.name for t in index.testbeds}
    assert not [body for body in world.cluster.all(POD, SPACE) if pod == body["metadata"]["name"]]
    assert_sound(world)
    assert not leftovers(world)


async def test_a_lost_database_that_kubernetes_evicts_is_as_lost() -> None:
    """Its pod is deleted long before the testbed's deadline; its containers stay ready."""
    world = World()
    world.cluster.grace_seconds = 30
    world.apply(*parts(), study("tde", blocks={"min": 2, "maxReplacements": 1}))
    await world.run(world.running(2))
    unlucky = max(world.trials(), key=lambda one: one.spec.order).spec.testbed_ref.name
    lost(world, f"{unlucky}-0")
    world.timeline.after(EVICTED, lambda: world.cluster.remove(POD, SPACE, f"{unlucky}-0"))
    await world.settle(EVICTED + 60)
    bed = objects.testbed(world.cluster.one(TESTBED, SPACE, unlucky))
    assert is_false(bed.status.conditions, "Ready")
    await world.run(world.ended, limit=20_000)

    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    (gone,) = status.lost_sets
    assert gone.message.startswith(f"testbed {unlucky} was lost: ")
    outcomes = [trial.status.reason for trial in world.trials()]
    assert "ProofTimeout" not in outcomes
    assert world.cluster.one(POD, SPACE, f"{unlucky}-0"), "a lost node forgets nothing"


@pytest.mark.parametrize("reset", ["none", "trial"])
async def test_a_database_that_cannot_stop_on_a_lost_node_costs_its_set(reset: str) -> None:
    world = World()
    world.cluster.grace_seconds = 30
    blocks = {"min": 2, "maxReplacements": 1}
    world.apply(*parts(), study("tde", blocks=blocks, residency="OnDemand", reset=reset))
    await world.run(world.running(2))
    unlucky = max(world.trials(), key=lambda one: one.created).spec.testbed_ref.name
    lost(world, f"{unlucky}-0")
    world.timeline.after(EVICTED, lambda: world.cluster.remove(POD, SPACE, f"{unlucky}-0"))
    await world.run(world.ended, limit=40_000)

    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    (gone,) = status.lost_sets
    assert gone.message.startswith(f"testbed {unlucky} was lost: node ")
    assert "NodeLost" in [event.reason for event in world.cluster.events if event.kind == CAMPAIGN]
    assert world.cluster.one(POD, SPACE, f"{unlucky}-0"), "a lost node forgets nothing"


def in_block(trials: list[Trial], block: int) -> list[Trial]:
    return [trial for trial in trials if trial.spec.block == block]


def number_of_set(trial: Trial) -> int:
    return 2 if "g2-" in trial.spec.testbed_ref.name else 1
