"""The full proof that a trial rests on is the one that the report shows, or there is no report."""

import pytest

from encbench.api.conditions import find
from encbench.reconcile import objects
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.world import World, parts, study


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
