"""Several campaigns on one database that somebody else runs: they take turns."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, JOB, POD, SECRET, TESTBED
from encbench.api.testbed import TestbedStatus
from encbench.kube.labels import COMPONENT
from encbench.ports import Body, Unavailable
from encbench.reconcile import objects
from encbench.reconcile.testbed.external import observe
from encbench.reconcile.testbed.facts import TestbedSeen
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.external import beds, records, template, world_with
from tests.unit.reconcile.pods import running
from tests.unit.reconcile.world import NAME, SPACE, World, study


def _second(name: str = "zweite") -> Body:
    body = study("plain", blocks=1)
    body["metadata"]["name"] = name
    return body


async def test_two_campaigns_take_turns_on_one_database() -> None:
    world = world_with()
    world.apply(study("plain", blocks=2))
    await world.run(world.running())
    world.apply(_second())
    await world.settle(5)
    (waiting,) = beds_of_second(world)
    fact = find(waiting.status.conditions, "Provisioned")
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", "DatabaseInUse")
    assert f"waiting for campaign {NAME} to end" in fact.message

    def both() -> bool:
        done = [
            c
            for body in world.cluster.all(CAMPAIGN, SPACE)
            for c in body.get("status", {}).get("conditions", ())
            if c["type"] == "Complete" and c["status"] == "True"
        ]
        return len(done) == 2

    await world.run(both)
    spans: dict[str, list[float]] = {}
    for one in records(world):
        assert one.window is not None
        spans.setdefault(one.campaign.name, []).extend((one.window.start, one.window.end))
    assert max(spans[NAME]) < min(spans["zweite"])


async def test_a_clock_that_was_set_back_gives_nobody_a_database_that_is_in_use() -> None:
    world = world_with()
    world.apply(study("plain", blocks=2))
    await world.run(world.running())
    later = {**world.cluster.one(CAMPAIGN, SPACE, NAME)["status"], "startTime": LATER}
    world.cluster.set_status(CAMPAIGN, SPACE, NAME, later)
    world.apply(_second())
    await world.settle(5)
    facts = [find(bed.status.conditions, "Provisioned") for bed in beds_of_second(world)]
    assert [fact.reason for fact in facts if fact] == ["DatabaseInUse"]


async def test_work_on_another_database_gives_nobody_this_one() -> None:
    world = world_with()
    world.apply(template("other", database="elsewhere"), study("plain", blocks=2))
    await world.run(world.running())
    body = _second()
    body["spec"]["matrix"][0]["instanceRefs"] = ["other", "small"]
    world.apply(body)
    await world.settle(5)
    assert {bed.spec.campaign_ref.name for bed in beds(world)} == {NAME, "zweite"}
    here = next(bed for bed in beds(world) if bed.spec.campaign_ref.name == NAME)
    before = world.cluster.one(CAMPAIGN, SPACE, NAME)["status"]
    world.cluster.set_status(CAMPAIGN, SPACE, NAME, {**before, "startTime": LATER})
    assert await rival(world, here, "zweite") == f"campaign {NAME}", "it is at work here"
    world.cluster.set_status(CAMPAIGN, SPACE, NAME, before)
    for bed in beds(world):
        if bed.spec.campaign_ref.name == NAME:
            world.cluster.remove(TESTBED, SPACE, bed.name)
    assert await rival(world, here, NAME) == "", "it only builds its testbeds anew"
    assert await rival(world, here, "zweite") == f"campaign {NAME}"


async def test_who_has_the_login_has_the_database_until_it_has_failed() -> None:
    world = world_with()
    world.apply(study("plain", blocks=2))
    await world.run(world.running())
    world.apply(_second())
    await world.settle(5)
    later = {**world.cluster.one(CAMPAIGN, SPACE, NAME)["status"], "startTime": LATER}
    world.cluster.set_status(CAMPAIGN, SPACE, NAME, later)
    own = [bed for bed in beds(world) if bed.spec.campaign_ref.name == NAME]
    facts = world.cluster.one(TESTBED, SPACE, own[0].name)["status"]["conditions"]
    failed = {**facts[0], "type": "Failed", "status": "True"}

    async def after(**status: Any) -> str:
        for bed in own:
            world.cluster.set_status(TESTBED, SPACE, bed.name, status)
        return await rival(world, own[0], "zweite")

    assert await after(conditions=facts) == f"campaign {NAME}"
    assert await after(conditions=[*facts, failed]) == ""
    assert await after() == f"campaign {NAME}", "it was given the login a moment ago"
    for bed in own:
        world.cluster.remove(SECRET, SPACE, f"{bed.name}-credentials")
    assert await after() == ""


async def rival(world: World, bed: objects.Testbed, campaign: str) -> str:
    """Whom a new testbed of that campaign waits for, on the database of this one."""
    owner = {"name": campaign, "uid": world.campaign(campaign).uid}
    ref = bed.spec.campaign_ref.model_copy(update=owner)
    spec = bed.spec.model_copy(update={"campaign_ref": ref})
    new = replace(bed, name="new", uid="new", spec=spec, status=TestbedStatus())
    return (await observe(world.deps, new, TestbedSeen(world.clock.now(), False))).rival


LATER = "2999-01-01T00:00:00Z"


def beds_of_second(world: World) -> list[objects.Testbed]:
    return [bed for bed in beds(world) if bed.spec.campaign_ref.name == "zweite"]


async def in_mid_load(**fields: Any) -> tuple[World, str]:
    """The name of the load's pod, which takes its time to end once it is deleted."""
    world = world_with()
    world.controllers.delays = replace(world.controllers.delays, load=600.0)
    world.apply(study("plain", blocks=1, **fields))

    def loads() -> list[str]:
        return [b["metadata"]["name"] for b in world.cluster.all(POD, SPACE)]

    await world.run(lambda: bool(loads()))
    (pod,) = loads()
    world.cluster.grace_seconds = 600
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=["test/grace"])
    world.controllers.delays = replace(world.controllers.delays, load=2.0)
    return world, pod


def load_jobs(world: World) -> list[str]:
    return [name for kind, name in world.cluster.created if kind == JOB.kind and "-load" in name]


async def test_a_campaign_that_was_stopped_may_still_be_loading() -> None:
    world, pod = await in_mid_load(activeDeadlineSeconds=60)
    await world.run(world.ended)
    world.cluster.created.clear()
    world.apply(_second())
    await world.settle(60)
    (bed,) = beds_of_second(world)
    fact = find(bed.status.conditions, "Loaded")
    assert fact is not None
    assert (fact.status, fact.reason) == ("Unknown", "DatabaseInUse")
    assert fact.message == f"pod {pod} of an earlier load has not ended"
    assert load_jobs(world) == []
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=[])
    await world.settle(30)
    assert len(load_jobs(world)) == 1


@pytest.mark.parametrize("other", [{"host": "RDS-2.example.com"}, {"database": "elsewhere"}])
async def test_whoever_loads_into_another_database_is_not_waited_for(other: dict[str, str]) -> None:
    world, _ = await disrupted()
    world.apply(template("other", **other))
    body = _second()
    body["spec"]["matrix"][0]["instanceRefs"] = ["other"]
    world.apply(body)
    await world.settle(60)
    assert len(load_jobs(world)) == 1


async def disrupted() -> tuple[World, str]:
    """A campaign that ended because its load's pod was deleted, and that pod, which loads on."""
    world, pod = await in_mid_load()
    body = world.cluster.one(POD, SPACE, pod)
    world.cluster.set_status(POD, SPACE, pod, running(body, "10.0.9.9"))
    world.cluster.remove(POD, SPACE, pod)
    (job,) = world.cluster.all(JOB, SPACE)
    failed = {"conditions": [{"type": "Failed", "status": "True"}]}
    world.cluster.set_status(JOB, SPACE, job["metadata"]["name"], failed)
    await world.run(world.ended)
    (bed,) = beds(world)
    assert is_true(bed.status.conditions, "Failed")
    world.cluster.created.clear()
    return world, pod


def said(bed: objects.Testbed, kind: str) -> tuple[str, str]:
    fact = find(bed.status.conditions, kind)
    assert fact is not None
    return fact.status, fact.reason


async def test_a_testbed_that_failed_may_still_be_loading() -> None:
    world, pod = await disrupted()
    world.apply(_second())
    await world.settle(60)
    (bed,) = beds_of_second(world)
    assert said(bed, "Loaded") == ("Unknown", "DatabaseInUse")
    assert said(bed, "Hindered") == ("True", "DatabaseInUse")
    assert load_jobs(world) == []
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=[])
    await world.settle(30)
    assert len(load_jobs(world)) == 1


async def test_a_load_on_a_node_that_is_cut_off_is_waited_for_until_its_pod_is_gone() -> None:
    world, pod = await disrupted()
    lost(world, pod)
    world.apply(_second())
    await world.settle(300)
    (bed,) = beds_of_second(world)
    told = find(bed.status.conditions, "Hindered")
    assert told is not None
    assert (told.status, told.reason) == ("True", "NodeLost")
    assert told.message == (
        f"node node-2 of pod {pod} does not answer, and its tool may write to the database until "
        "the pod is gone: if the machine is off, delete Node node-2"
    )
    assert load_jobs(world) == []
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=[])
    await world.settle(30)
    assert len(load_jobs(world)) == 1


async def test_a_load_without_a_node_goes_although_its_first_deletion_failed() -> None:
    world = world_with()
    world.controllers.delays = replace(world.controllers.delays, load=6000.0)
    world.apply(study("plain", blocks=1, stepDeadlines={"load": "5m"}))
    await world.run(lambda: bool(world.cluster.all(POD, SPACE)))
    (pod,) = world.cluster.all(POD, SPACE)
    del pod["spec"]["nodeName"]
    why = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}
    waits = {"phase": "Pending", "conditions": [why]}
    world.cluster.set_status(POD, SPACE, pod["metadata"]["name"], waits)
    world.cluster.fail_next(Unavailable("the API server is away"), verb="delete", kind=JOB)
    await world.run(world.ended)
    (bed,) = beds(world)
    assert said(bed, "Failed") == ("True", "Unschedulable")
    await world.settle(10)
    assert world.cluster.all(POD, SPACE) == []


async def test_a_tool_that_has_ended_loads_no_more_whatever_runs_beside_it() -> None:
    world, pod = await disrupted()
    status = world.cluster.one(POD, SPACE, pod)["status"]
    tool = {"name": "tool", "state": {"terminated": {"exitCode": 1}}}
    world.cluster.set_status(POD, SPACE, pod, {**status, "containerStatuses": [tool]})
    world.apply(_second())
    await world.settle(60)
    assert len(load_jobs(world)) == 1


async def test_a_namesake_that_waits_for_the_database_is_not_who_loads_there() -> None:
    """The first campaign was deleted, and made again while the second had the database."""
    world, _ = await disrupted()
    world.apply(_second())
    await world.settle(60)
    (first,) = [bed for bed in beds(world) if bed.spec.campaign_ref.name == NAME]
    world.cluster.set_status(TESTBED, SPACE, first.name, {})
    world.cluster.remove(SECRET, SPACE, f"{first.name}-credentials")
    await world.settle(60)
    assert load_jobs(world) == []


async def test_a_deleted_campaign_stays_until_its_load_has_ended() -> None:
    world, pod = await in_mid_load()
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.settle(60)
    assert world.campaign().status.step.endswith(f"for the end of {pod}")
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=[])
    await world.run(world.gone)


async def test_a_load_that_is_over_does_not_keep_a_deleted_campaign() -> None:
    world = world_with()
    world.apply(study("plain", blocks=2))
    await world.run(world.running())
    (pod,) = [
        body["metadata"]["name"]
        for body in world.cluster.all(POD, SPACE)
        if body["metadata"]["labels"][COMPONENT] == "load"
    ]
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=["test/grace"])
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    deleted = world.clock.time
    await world.run(world.gone)
    assert world.clock.time - deleted < 60


async def test_campaigns_on_different_databases_do_not_wait_for_each_other() -> None:
    world = world_with()
    world.apply(template("other", database="elsewhere"))
    world.apply(study("plain", blocks=2))
    await world.run(world.running())
    body = _second()
    body["spec"]["matrix"][0]["instanceRefs"] = ["other"]
    world.apply(body)
    await world.settle(10)
    names = {b["spec"]["campaignRef"]["name"] for b in world.cluster.all(TESTBED, SPACE)}
    assert names == {NAME, "zweite"}
    for bed in world.cluster.all(TESTBED, SPACE):
        assert is_true(objects.testbed(bed).status.conditions, "Provisioned")
