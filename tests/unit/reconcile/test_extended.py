"""A follow-up through the whole operator: the parts of then, and one report of both campaigns."""

from encbench.admission.extended import extended
from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, OVERHEAD_REPORT, WORKLOAD
from encbench.cli.extend import manifest
from encbench.core.artefact import decode
from encbench.reconcile.objects import overhead_report
from encbench.report.document import Report
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

MORE = f"{NAME}-more-1"


async def after_the_first(extensions: int) -> World:
    world = World()
    blocks = {"min": 2, "maxReplacements": 1, "extensions": extensions}
    world.apply(*parts(), study("tde", blocks=blocks))
    await world.run(world.ended)
    world.cluster.set_spec(
        WORKLOAD, SPACE, "oltp", load={"concurrency": [64], "warmup": "9s", "duration": "90s"}
    )
    world.cluster.remove(ENCRYPTION_MODE, SPACE, "tde")
    world.apply(manifest(extended(world.cluster.one(CAMPAIGN, SPACE, NAME)), SPACE, 3))
    return world


def status(world: World) -> CampaignStatus:
    return world.campaign(MORE).status


async def test_it_measures_the_parts_as_they_were_and_pools_the_two() -> None:
    world = await after_the_first(extensions=1)
    await world.run(lambda: is_true(status(world).conditions, "Complete"))
    own = [t for t in world.trials() if t.spec.campaign_ref.name == MORE]
    assert len(own) == 9
    assert {t.spec.concurrency for t in own} == {2}
    assert {t.spec.seed for t in own}.isdisjoint(
        t.spec.seed for t in world.trials() if t.spec.campaign_ref.name == NAME
    )
    key = f"{status(world).storage_prefix}/report/report.json"
    report = decode(Report, await world.store.get(key) or b"", key)
    (group,) = report.groups
    assert (group.counted_blocks, group.planned_blocks) == (5, 5)
    assert len(group.blocks) == 3
    assert {one.blocks for one in group.pooled if one.figure == "tps"} == {5}
    assert group.row("tde").blocks == 5
    assert world.cluster.one(OVERHEAD_REPORT, SPACE, MORE)["status"]["headline"]


async def test_an_earlier_index_that_is_altered_meanwhile_is_not_pooled() -> None:
    world = await after_the_first(extensions=1)
    body = world.cluster.one(OVERHEAD_REPORT, SPACE, NAME)
    named = overhead_report(body).status.artefacts
    assert named is not None
    await world.run(lambda: status(world).resolved is not None)
    assert status(world).extended_index == named.index.digest
    world.store.objects[named.index.key] += b" "

    def refused() -> bool:
        fact = find(status(world).conditions, "Hindered")
        return fact is not None and fact.reason == "RecordLost" and named.index.key in fact.message

    await world.run(refused)


async def test_it_waits_for_a_campaign_that_is_not_there_and_says_so() -> None:
    world = await after_the_first(extensions=0)
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(lambda: status(world).phase == "Refused")
    (accepted,) = [c for c in status(world).conditions if c.type == "Accepted"]
    assert accepted.reason == "NotFound"
    assert "a follow-up needs the campaign that it extends" in accepted.message
