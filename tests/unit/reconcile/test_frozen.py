"""What was accepted is frozen: nothing that a user edits in mid-run reaches a trial."""

import pytest

from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    JOB,
    LEASE,
    WORKLOAD,
)
from encbench.core.artefact import RecordError, decode, digest_of
from encbench.core.naming import INDEX
from encbench.core.records import IndexRecord, IndexScript
from encbench.ports import Body
from encbench.reconcile.campaign import scripts
from tests.support import manifests
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.scripts import SCRIPT
from tests.unit.reconcile.world import SPACE, World, parts, study


def with_script() -> World:
    world = World()
    sysbench = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    script = manifests.config_map("mine", SPACE, **{"mine.lua": SCRIPT})
    world.apply(script, *parts(sysbench=sysbench), study("tde", blocks=1))
    return world


def commands(world: World) -> dict[str, list[str]]:
    """Command of the tool, by Job, of every Job that there ever was."""
    return {
        change.body["metadata"]["name"]: change.body["spec"]["template"]["spec"]["containers"][0][
            "command"
        ]
        for change in world.delivered
        if change.kind == JOB
    }


async def jobs_of_a_run(world: World) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    def look() -> bool:
        found.update(commands(world))
        return world.ended()

    await world.run(look)
    assert_sound(world)
    return found


async def test_parts_that_are_applied_right_after_their_campaign_are_in_the_plan() -> None:
    """As by `kubectl apply -k`, which sorts by kind, where the parts are there from last time."""
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    await world.settle(1.5)
    assert world.campaign().status.step.startswith("waiting for what is applied")
    world.cluster.set_spec(
        WORKLOAD, SPACE, "oltp", load={"concurrency": [3], "warmup": "2s", "duration": "6s"}
    )
    await world.run(world.running())
    assert {t.spec.concurrency for t in world.trials()} == {3}


async def test_a_new_campaign_gets_a_first_word_before_anything_is_read_for_it() -> None:
    """Under load each read takes its time, and none of them would count yet."""
    world = World()
    world.apply(*parts())
    await world.settle(1.0)
    world.cluster.calls.clear()
    world.apply(study("tde", blocks=1))
    await world.settle(1.5)
    assert world.campaign().status.step.startswith("waiting for what is applied")
    asked = [(one.verb, one.kind) for one in world.cluster.calls if one.kind != LEASE]
    assert [kind for verb, kind in asked if verb not in ("get", "list")] == [CAMPAIGN]
    assert {kind for _, kind in asked} == {CAMPAIGN}


async def test_parts_that_come_right_after_their_campaign_are_not_missed() -> None:
    """It is not refused either, which would end a `kubectl encbench watch`."""
    world = World()
    world.apply(study("tde", blocks=1))
    await world.settle(1.5)
    world.apply(*parts())
    phases = set()

    def look() -> bool:
        phases.add(world.campaign().status.phase)
        return bool(world.trials())

    await world.run(look)
    assert phases == {"Pending", "Running"}


async def test_edits_in_mid_run_change_nothing() -> None:
    undisturbed = await jobs_of_a_run(with_script())
    world = with_script()
    await world.run(world.running())
    world.cluster.set_spec(
        WORKLOAD, SPACE, "oltp", load={"concurrency": [64], "warmup": "9s", "duration": "90s"}
    )
    world.cluster.set_spec(INSTANCE_TEMPLATE, SPACE, "small", version="11.4")
    world.cluster.set_spec(ENCRYPTION_MODE, SPACE, "plain", atRest={"method": "engine"})
    world.cluster.remove(CONFIG_MAP, SPACE, "mine")
    edited = await jobs_of_a_run(world)
    assert edited.items() <= undisturbed.items()
    assert len(edited) >= 2
    assert {t.spec.workload.load.concurrency[0] for t in world.trials()} == {2}


async def test_deleting_the_parts_in_mid_run_changes_nothing() -> None:
    world = with_script()
    await world.run(world.running())
    for kind, name in (
        (WORKLOAD, "oltp"),
        (INSTANCE_TEMPLATE, "small"),
        (ENCRYPTION_MODE, "plain"),
        (ENCRYPTION_MODE, "tde"),
        (CONFIG_MAP, "mine"),
    ):
        world.cluster.remove(kind, SPACE, name)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_trials_use_an_immutable_copy_of_the_script() -> None:
    world = with_script()
    await world.run(world.running())
    (name,) = {trial.spec.script_config_map for trial in world.trials()}
    assert name is not None
    copy: Body = world.cluster.one(CONFIG_MAP, SPACE, name)
    assert copy["immutable"]
    assert copy["data"] == {"mine.lua": SCRIPT}
    assert copy["metadata"]["ownerReferences"][0]["name"] == "study"


async def test_the_text_of_a_script_outlives_the_campaign() -> None:
    world = with_script()
    await world.run(world.ended)
    status = world.campaign().status
    assert status.resolved is not None
    digest = digest_of(SCRIPT.encode())
    assert status.resolved.script_digests == {"oltp": digest}
    key = f"{status.storage_prefix}/scripts/oltp.lua"
    assert world.store.objects[key] == SCRIPT.encode()
    content = world.store.objects[f"{status.storage_prefix}/{INDEX}"]
    index = decode(IndexRecord, content, INDEX)
    assert index.scripts == (IndexScript(workload="oltp", key=key, digest=digest),)


async def test_another_script_under_the_name_of_a_copy_is_no_report() -> None:
    """A copy cannot be edited, but whoever may delete it may make another one."""
    world = with_script()
    await world.run(world.running())
    resolved = world.campaign().status.resolved
    assert resolved is not None
    name = resolved.scripts["oltp"]
    world.cluster.remove(CONFIG_MAP, SPACE, name)
    assert await scripts.store(world.deps, world.campaign(), resolved, "p") == (
        IndexScript(workload="oltp", digest=digest_of(SCRIPT.encode())),
    )
    world.apply(manifests.config_map(name, SPACE, **{"mine.lua": "-- another"}))
    with pytest.raises(RecordError, match=f"ConfigMap {name} is not the script"):
        await scripts.store(world.deps, world.campaign(), resolved, "p")
    earlier = resolved.model_copy(update={"script_digests": None})
    (found,) = await scripts.store(world.deps, world.campaign(), earlier, "p") or ()
    assert found.digest == digest_of(b"-- another")
