"""A set of testbeds that is lost with a node: the campaign goes on with another, and says so."""

from copy import deepcopy
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
from encbench.reconcile.campaign.facts import CampaignFound
from encbench.reconcile.effects.campaign import CampaignEffects
from encbench.reconcile.effects.effect import Announce, LookForTestbeds
from encbench.reconcile.objects import Campaign, Testbed, Trial
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.campaigns import (
    ACCEPTED,
    a_campaign,
    deleted,
    made,
    saw,
    the_testbeds,
    the_trials,
)
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.seen import ago
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

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


# -- a testbed that is deleted


def without_one(of: Campaign) -> tuple[str, dict[str, Testbed]]:
    """The name of the testbed on which a trial ran, and all others."""
    (trial,) = the_trials(of, "Succeeded").values()
    gone = trial.spec.testbed_ref.name
    return gone, {name: bed for name, bed in the_testbeds(of).items() if name != gone}


def test_a_testbed_that_was_deleted_after_a_trial_costs_its_set() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    gone, left = without_one(one)
    unsure = decide(one, saw(one, "Succeeded", testbeds=left))
    assert [e for e in unsure.effects if isinstance(e, LookForTestbeds)] == [
        LookForTestbeds((gone,))
    ]
    assert not made(unsure)
    assert unsure.status.lost_sets == [], "what is remembered may be late"

    sure = CampaignFound(gone=frozenset({gone}))
    decision = decide(one, saw(one, "Succeeded", testbeds=left, found=sure))
    (lost_set,) = decision.status.lost_sets
    assert (lost_set.generation, lost_set.block) == (1, 1)
    assert lost_set.message == f"testbed {gone} was lost: it was deleted"
    assert sorted(deleted(decision)) == sorted(left)
    again = replace(one, status=decision.status)
    built = decide(again, saw(one, "Succeeded", testbeds={}, found=sure))
    assert built.status.lost_sets == decision.status.lost_sets
    assert made(built) == ["Testbed"] * (len(left) + 1)
    assert decide(one, saw(one, "Succeeded", found=sure)).status.lost_sets == [], "it is there"


def test_a_deleted_testbed_ends_its_cell_where_the_status_takes_no_more_sets() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    gone, left = without_one(one)
    seen = saw(one, "Succeeded", testbeds=left, found=CampaignFound(gone=frozenset({gone})))
    (lost,) = decide(one, seen).status.lost_sets
    many = [lost.model_copy(update={"cell": "other"})] * MAX_LOST_SETS
    status = one.status.model_copy(update={"lost_sets": many})
    decision = decide(replace(one, status=status), replace(seen, verdict="Overhead"))
    assert not made(decision), "under its name it would be another database"
    failed = find(decision.status.conditions, "Failed")
    assert failed is not None and failed.reason == "TestbedFailed"
    assert f"testbed {gone} was lost: it was deleted; a campaign may lose 32" in failed.message


def test_a_new_process_that_looks_for_a_deleted_testbed_takes_no_report_back() -> None:
    """It knows once more what is gone, and goes on with the report that another announced."""
    announced = {**ACCEPTED, "Reported": ("False", 5.0)}
    one = a_campaign(announced, blocks={"min": 2, "maxReplacements": 1})
    _, left = without_one(one)
    looks = decide(one, saw(one, "Succeeded", testbeds=left))
    assert [e for e in looks.effects if isinstance(e, LookForTestbeds)]
    assert is_false(looks.status.conditions, "Reported")

    measures = decide(one, saw(one, "Succeeded"))
    assert made(measures) == ["Trial"]
    assert find(measures.status.conditions, "Reported") is None


async def test_a_campaign_whose_cell_a_deleted_testbed_ended_is_reported_once() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks={"min": 3, "maxReplacements": 1}))
    await world.run(lambda: world.campaign().status.progress.succeeded >= 3, limit=20_000)
    body = deepcopy(world.cluster.one(CAMPAIGN, SPACE, NAME))
    other = {"cell": "other", "generation": 1, "message": "m", "time": "2026-01-01T00:00:00Z"}
    body["status"]["lostSets"] = [other] * MAX_LOST_SETS
    await world.cluster.apply_status(CAMPAIGN, body)
    bed = next(iter(world.latest("Testbed", "-tde")))["metadata"]["name"]
    world.cluster.remove(TESTBED, SPACE, bed)
    await world.run(world.ended, limit=20_000)
    (index,) = (key for key in world.store.objects if key.endswith("/index.json"))
    assert world.store.written[index] == 1
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None and failed.reason == "TestbedFailed"
    assert f"testbed {bed} was lost: it was deleted" in failed.message


@pytest.mark.parametrize("replacements", [0, 1])
def test_what_is_said_of_a_deleted_testbed_is_what_comes(replacements: int) -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": replacements})
    gone, left = without_one(one)
    sure = CampaignFound(gone=frozenset({gone}))
    decision = decide(one, saw(one, "Succeeded", testbeds=left, found=sure))
    (said,) = (e.note for e in decision.effects if isinstance(e, Announce))
    assert ("built anew" in said) == bool(replacements)
    assert ("no replacement is left" in said) == (not replacements)


async def test_what_was_gone_stays_known_while_others_are_looked_for() -> None:
    """A cell that was given up for it would open again, and the looks would take turns."""
    one, own = a_campaign(), CampaignEffects(World().deps)
    assert await own.perform(one, LookForTestbeds(("a",)))
    assert await own.perform(one, LookForTestbeds(("b",)))
    assert own.found(one).gone == {"a", "b"}
    own.blame(one, LookForTestbeds(("b",)), "the report is too large")
    assert own.found(one).gone == {"a", "b"}


def test_a_set_on_which_nothing_ran_is_built_under_its_name() -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    beds = the_testbeds(one)
    assert made(decide(one, saw(one, testbeds={}))) == ["Testbed"] * len(beds)
    (trial,) = the_trials(one, "Succeeded").values()
    unused = next(name for name in beds if name != trial.spec.testbed_ref.name)
    left = {name: bed for name, bed in beds.items() if name != unused}
    assert made(decide(one, saw(one, "Succeeded", testbeds=left))) == ["Testbed"]


@pytest.mark.parametrize("spec", [{"suspend": True}, {"activeDeadlineSeconds": 60}])
def test_what_goes_on_purpose_is_no_loss(spec: dict[str, Any]) -> None:
    one = a_campaign(blocks={"min": 2, "maxReplacements": 1}, **spec)
    seen = saw(one, "Succeeded", testbeds={}, verdict="")
    decision = decide(one, seen)
    assert decision.status.lost_sets == []
    assert not [e for e in decision.effects if isinstance(e, LookForTestbeds)]


async def test_a_campaign_goes_on_after_a_testbed_was_deleted() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks={"min": 2, "maxReplacements": 1}))
    await world.run(lambda: world.campaign().status.progress.succeeded == 3, limit=20_000)
    bed = next(iter(world.latest("Testbed", "-tde")))["metadata"]["name"]
    world.cluster.remove(TESTBED, SPACE, bed)
    await world.run(world.ended, limit=40_000)

    assert is_true(world.campaign().status.conditions, "Complete")
    uids: dict[str, set[str]] = {}
    for trial in world.trials():
        uids.setdefault(trial.spec.testbed_ref.name, set()).add(trial.spec.testbed_ref.uid)
    assert {len(found) for found in uids.values()} == {1}
    assert len(world.campaign().status.lost_sets) == 1
    proofs = [key for key in world.store.objects if key.endswith("/proof.json")]
    assert {world.store.written[key] for key in proofs} == {1}
    counted = [t for t in world.trials() if t.status.outcome == "Succeeded"]
    for block in {trial.spec.block for trial in counted}:
        assert len({number_of_set(trial) for trial in in_block(counted, block)}) == 1


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
