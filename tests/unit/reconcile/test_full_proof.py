"""The full proof that a trial rests on is the one that the report shows, or there is no report."""

from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import TESTBED
from encbench.core.artefact import decode
from encbench.core.evidence import ProofRecord
from encbench.reconcile import objects
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.world import SPACE, World, parts, study


async def measured_once() -> tuple[World, str]:
    """A campaign after its first block, and the key of an arm's full proof."""
    world = World()
    world.apply(*parts(), study("tde", blocks=2))
    await world.run(lambda: world.campaign().status.progress.succeeded == 3, limit=20_000)
    (key,) = (key for key in world.store.objects if key.endswith("-tde/proof.json"))
    return world, key


async def test_each_trial_names_the_proof_of_its_testbed() -> None:
    world, _ = await measured_once()
    beds = map(objects.testbed, world.latest("Testbed", ""))
    proofs = {one.uid: one.status.proof_digest for one in beds}
    assert None not in proofs.values()
    for trial in world.trials():
        assert trial.spec.testbed_proof == proofs[trial.spec.testbed_ref.uid]
    await world.run(world.ended, limit=20_000)
    await world.settle()
    assert_sound(world)


@pytest.mark.parametrize("seconds", [5.0, 12.0])
async def test_one_that_comes_late_does_not_replace_what_trials_rest_on(seconds: float) -> None:
    """As of a leader that was frozen, or whose upload was repeated."""
    world, late = World(), list[str]()

    def hesitation(_: str, args: tuple[Any, ...]) -> float:
        is_proof = len(args) == 3 and str(args[0]).endswith("/proof.json")
        if not is_proof or late:
            return 0.0
        late.append(args[0])
        return seconds

    world.add_hesitant_operator(hesitation, first=True)
    world.apply(*parts(), study("tde", blocks=1))
    await world.run(world.ended, limit=20_000)
    assert world.store.written[late[0]] == 1
    assert world.campaign().status.phase == "Succeeded"
    await world.settle()
    assert_sound(world)


async def test_a_process_goes_on_with_what_the_one_before_it_stored() -> None:
    """Another scan of all files would find the same."""
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    world.store.fail_next(Killed(), after=True, verb="put_if_absent")
    await world.run(lambda: bool(world.latest("Trial", "")), limit=20_000)
    assert world.deaths == 1
    assert len(world.agent.searches) == 3
    await world.run(world.ended, limit=20_000)
    assert world.campaign().status.phase == "Succeeded"
    await world.settle()
    assert_sound(world)


async def test_a_testbed_that_was_made_anew_has_a_proof_of_its_own() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))

    def proven() -> list[str]:
        return [key for key in world.store.objects if key.endswith("-tde/proof.json")]

    await world.run(lambda: bool(proven()))
    (key,) = proven()
    first = decode(ProofRecord, world.store.objects[key], key)
    (bed,) = world.latest("Testbed", "-tde")
    world.cluster.remove(TESTBED, SPACE, bed["metadata"]["name"])
    await world.run(world.ended, limit=20_000)
    second = decode(ProofRecord, world.store.objects[key], key)
    assert first.uid == bed["metadata"]["uid"] != second.uid
    assert {t.spec.testbed_ref.uid for t in world.trials() if t.spec.arm.name == "tde"} == {
        second.uid
    }
    assert world.campaign().status.phase == "Succeeded"


@pytest.mark.parametrize("said", ["names no {key}, which", "{key} is not the proof that"])
async def test_without_it_there_is_no_report_and_the_campaign_says_why(said: str) -> None:
    world, key = await measured_once()
    proof = world.store.objects.pop(key)
    if "is not" in said:
        world.store.objects[key] = proof.replace(b'"summary": "', b'"summary": "EDITED ')

    def hindered() -> bool:
        fact = find(world.campaign().status.conditions, "Hindered")
        return (
            fact is not None
            and fact.reason == "RecordLost"
            and said.format(key=key) in fact.message
        )

    await world.run(hindered, limit=20_000)
    world.store.objects[key] = proof
    await world.run(world.ended, limit=20_000)
    assert world.campaign().status.phase == "Succeeded"
