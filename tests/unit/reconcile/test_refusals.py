"""Campaigns that are refused: everything at once, nothing made, and going on once corrected."""

import base64
import time
from dataclasses import replace

import pytest

from encbench.api.conditions import find, is_true
from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    JOB,
    OVERHEAD_REPORT,
    SECRET,
    TESTBED,
    TRIAL,
    WORKLOAD,
    Kind,
)
from encbench.core.problem import Reason
from encbench.kube.labels import KEY, USE
from encbench.ports import Body
from encbench.reconcile.deps import Settings
from encbench.reconcile.objects import campaign
from tests.support import manifests
from tests.unit.reconcile.scripts import SCRIPT
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


def refusal(world: World, reason: Reason) -> str:
    fact = find(world.campaign().status.conditions, "Accepted")
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", reason)
    return fact.message


def wrong() -> list[Body]:
    """One thing wrong with each part."""
    instance, plain, tde, workload = parts(
        sysbench={"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    )
    instance["spec"]["settings"] = {"innodb_buffer_pool_siz": "64M"}
    tde["spec"]["atRest"]["keySecretRef"] = {"name": "my-key", "key": "keyfile"}
    return [instance, plain, tde, workload]


async def test_everything_that_is_wrong_is_said_at_once_and_nothing_is_made() -> None:
    world = World()
    world.apply(*wrong(), study("tde", "missing"))
    await world.settle(60)
    message = refusal(world, Reason.NOT_FOUND)
    for said in (
        "there is no EncryptionMode missing in namespace bench",
        "there is no ConfigMap mine",
        "innodb_buffer_pool_siz",
        "there is no Secret my-key with an entry keyfile: create it with the label "
        "encbench.io/use=key and a key file of MariaDB, which is a line of the form 1;<64 hex",
    ):
        assert said in message
    assert world.campaign().status.phase == "Refused"
    for kind in (TESTBED, JOB, CONFIG_MAP):
        assert not world.cluster.all(kind)
    told = [event for event in world.cluster.events if event.reason == "Refused"]
    assert len(told) == 1, "said once, not at each look"


async def test_more_clients_than_memory_holds_are_refused_on_both_sides() -> None:
    world = World()
    instance, plain, tde, workload = parts()
    workload["spec"]["load"]["concurrency"] = [1, 2048]
    world.apply(instance, plain, tde, workload, study("tde"))
    await world.settle(60)
    message = refusal(world, Reason.MEMORY_TOO_SMALL)
    assert "InstanceTemplate small with Workload oltp: resources.memory" in message
    assert "client.resources.memory" in message
    assert message.count("does not hold 2,048 connections") == 2, "once for all modes"
    assert not world.cluster.all(TESTBED)


async def test_once_corrected_it_goes_on() -> None:
    world = World()
    world.apply(*wrong(), study("tde", "extra", blocks=1))
    await world.settle(60)
    first = refusal(world, Reason.NOT_FOUND)
    key = {"keyfile": base64.b64encode(f"1;{'0f' * 32}\n".encode()).decode()}
    meta = {"name": "my-key", "namespace": SPACE, "labels": {USE: KEY}}
    secret: Body = {"metadata": meta, "data": key}
    world.cluster.add(SECRET, {"apiVersion": "v1", "kind": "Secret", **secret})
    world.apply(manifests.config_map("mine", SPACE, **{"mine.lua": SCRIPT}))
    world.apply(manifests.body(ENCRYPTION_MODE, "extra", SPACE))
    await world.settle(30)
    second = refusal(world, Reason.SETTING_INVALID)
    assert "there is no" not in second
    assert "innodb_buffer_pool_siz" in second
    assert len(second) < len(first)
    world.cluster.set_spec(
        INSTANCE_TEMPLATE, SPACE, "small", settings={"innodb_buffer_pool_size": "64M"}
    )
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert is_true(world.campaign().status.conditions, "Accepted")


def asked(world: World, verb: str, *kinds: Kind) -> int:
    """Requests so far."""
    return sum(call.verb == verb and call.kind in kinds for call in world.cluster.calls)


async def test_a_refusal_that_stands_is_judged_ever_more_seldom() -> None:
    world = World()
    world.apply(*wrong(), study("tde", "missing"))
    await world.settle(60)
    counts = [asked(world, "get", INSTANCE_TEMPLATE)]
    for seconds in (900, 600):
        await world.settle(seconds)
        counts.append(asked(world, "get", INSTANCE_TEMPLATE))
    assert counts[0] >= 6
    assert counts[2] - counts[1] <= 600 / 60 + 600 / 120, "by the minute, and as the sweep wakes it"
    assert asked(world, "list", TESTBED, TRIAL) <= 2 * (1 + 1560 / 120), "those of the sweep alone"


async def test_parts_are_judged_to_claim_it_with_its_scripts_and_to_freeze_them() -> None:
    world = World()
    sysbench = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    script = manifests.config_map("mine", SPACE, **{"mine.lua": SCRIPT})
    world.apply(script, *parts(sysbench=sysbench), study("plain", blocks=1))
    await world.run(lambda: is_true(world.campaign().status.conditions, "Accepted"))
    assert asked(world, "get", INSTANCE_TEMPLATE) == 2


async def test_a_script_that_lacks_its_commands_is_refused() -> None:
    world = World()
    sysbench = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    script = manifests.config_map("mine", SPACE, **{"mine.lua": "-- nothing"})
    world.apply(script, *parts(sysbench=sysbench), study("plain"))
    await world.settle(60)
    assert "Workload oltp: mine.lua defines no command prepare" in refusal(
        world, Reason.SCRIPT_INVALID
    )


async def test_after_its_deadline_a_refused_campaign_does_not_begin_any_more() -> None:
    """Or those of many nights would begin at once when the template is corrected."""
    world = World()
    plain, other = parts()[1:3], study("tde", blocks=1)
    other["metadata"] |= {"name": "other", "uid": "other"}
    world.apply(*plain, study("tde", blocks=1, activeDeadlineSeconds=300), other)
    await world.settle(250)
    assert world.campaign().status.phase == "Refused"
    await world.run(world.ended)
    assert world.campaign().status.completion_time
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "DeadlineExceeded"
    assert "still refused when its activeDeadlineSeconds had passed: " in failed.message
    assert "there is no InstanceTemplate small" in failed.message
    told = [event for event in world.cluster.events if event.reason == "DeadlineExceeded"]
    assert len(told) == 1

    instance, _, _, workload = parts()
    world.apply(instance, workload)
    await world.run(lambda: bool(world.cluster.all(TRIAL)))
    assert {one.spec.campaign_ref.name for one in world.trials()} == {"other"}
    assert world.campaign().status.phase == "Failed"
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)


async def test_a_refused_campaign_can_be_deleted() -> None:
    world = World()
    world.apply(study("tde"))
    await world.settle(30)
    assert refusal(world, Reason.NOT_FOUND)
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)


async def test_more_trials_than_a_campaign_may_have_are_refused_at_once() -> None:
    """The largest matrix of one entry that the API takes."""
    world = World()
    names = [f"w{n}" for n in range(16)]
    templates = [f"i{n}" for n in range(16)]
    threads = {"concurrency": list(range(1, 33)), "warmup": "1s", "duration": "5s"}
    parts_ = [manifests.body(INSTANCE_TEMPLATE, name, SPACE) for name in templates]
    parts_ += [manifests.body(WORKLOAD, name, SPACE, load=threads) for name in names]
    entry = {"instanceRefs": templates, "modeRefs": ["tde"], "workloadRefs": names}
    widest = study("tde", blocks=1000, replacements=1000, matrix=[entry])
    world.apply(*parts()[1:3], *parts_, widest)
    used = time.process_time()
    await world.settle(5)
    assert time.process_time() - used < 5
    assert refusal(world, Reason.TOO_MANY_TRIALS) == (
        "8,192 combinations of instance, workload and concurrency with up to 2,000 blocks, "
        "replacements included, are 49,152,000 trials where a campaign may have 10,000: split the "
        "matrix over several campaigns, or lower blocks"
    )


@pytest.mark.parametrize("rounds", [980, 981])
async def test_more_rounds_than_a_report_may_have_are_refused(rounds: int) -> None:
    """Three arms: a trial has its own rounds, and three slots in each."""
    world = World()
    blocks = {"min": 16, "maxReplacements": 1, "interleave": {"rounds": rounds}, "solo": 4}
    world.apply(*parts(), study("tde", blocks=blocks))
    await world.settle(5)
    if rounds == 980:
        assert is_true(world.campaign().status.conditions, "Accepted")
        return
    assert refusal(world, Reason.TOO_MANY_TRIALS) == (
        "981 rounds of 51 interleaved trials, replacements included, make a report of 200,124 "
        "slots (trials x rounds x one more than the arms) where it may have 200,000: write "
        "blocks.interleave.rounds: 980 or less, or lower blocks, or split the matrix over several "
        "campaigns"
    )


async def test_fewer_rounds_than_a_block_may_have_are_no_advice() -> None:
    """Six arms and 32 conditions: two rounds would be few enough."""
    world = World()
    names = [f"m{n}" for n in range(4)]
    threads = {"concurrency": list(range(1, 33)), "warmup": "1s", "duration": "5s"}
    parts_ = [manifests.body(ENCRYPTION_MODE, name, SPACE) for name in names]
    workload = manifests.body(WORKLOAD, "oltp", SPACE, load=threads)
    blocks = {"min": 49, "maxReplacements": 1, "interleave": {"rounds": 4}}
    world.apply(*parts()[:2], *parts_, workload, study(*names, blocks=blocks))
    await world.settle(5)
    assert refusal(world, Reason.TOO_MANY_TRIALS).endswith(
        "slots (trials x rounds x one more than the arms) where it may have 200,000: lower blocks, "
        "or split the matrix over several campaigns"
    )


async def test_more_plans_than_the_status_takes_are_refused_at_once() -> None:
    """An A/A campaign of the fewest blocks, whose trials are not too many."""
    world = World()
    names = [f"w{n}" for n in range(32)]
    threads = {"concurrency": list(range(1, 33)), "warmup": "1s", "duration": "5s"}
    parts_ = [manifests.body(WORKLOAD, name, SPACE, load=threads) for name in names]
    matrix = [
        {"instanceRefs": ["small"], "modeRefs": ["plain"], "workloadRefs": names[at : at + 16]}
        for at in (0, 16)
    ]
    blocks = {"min": 4, "max": 4, "maxReplacements": 0}
    wide = study("plain", blocks=blocks, matrix=matrix, precision={"targetHalfWidth": 0.02})
    world.apply(*parts()[:3], *parts_, wide)
    await world.settle(5)
    assert refusal(world, Reason.TOO_MANY_TRIALS) == (
        "1,024 combinations of instance, workload and concurrency are more than the 1,000 for "
        "which precision can set the number of blocks: split the matrix over several campaigns, "
        "or leave precision out"
    )


async def test_the_most_modes_that_a_matrix_may_name_fit_into_the_status() -> None:
    world = World()
    instance, plain, _, workload = parts()
    modes = [f"m{n}" for n in range(256)]
    names = [f"w{n}" for n in range(16)]
    parts_ = [manifests.body(ENCRYPTION_MODE, name, SPACE) for name in modes]
    parts_ += [
        {**workload, "metadata": {**workload["metadata"], "name": name, "uid": name}}
        for name in names
    ]
    matrix = [
        {
            "instanceRefs": ["small"],
            "modeRefs": modes[16 * at : 16 * at + 16],
            "workloadRefs": [name],
        }
        for at, name in enumerate(names)
    ]
    world.apply(instance, plain, *parts_, study("plain", blocks=1, matrix=matrix))
    await world.settle(5)
    resolved = world.campaign().status.resolved
    assert resolved is not None
    assert len(resolved.modes) == 257


@pytest.mark.parametrize(("solo", "least"), [(0, 9984), (1, 10_080)])
async def test_solo_blocks_are_trials_as_well(solo: int, least: int) -> None:
    """Of three arms and 32 conditions; the fewest rounds make no report too large."""
    world = World()
    threads = {"concurrency": list(range(1, 33)), "warmup": "1s", "duration": "5s"}
    workload = manifests.body(WORKLOAD, "oltp", SPACE, load=threads)
    blocks = {"min": 100, "maxReplacements": 4, "interleave": {"rounds": 4}, "solo": solo}
    world.apply(*parts()[:3], workload, study("tde", blocks=blocks))
    await world.settle(5)
    if least <= 10_000:
        assert is_true(world.campaign().status.conditions, "Accepted")
        return
    said = refusal(world, Reason.TOO_MANY_TRIALS)
    assert "with up to 105 blocks, replacements included, are 10,080 trials" in said


async def test_with_precision_the_most_that_it_may_plan_counts() -> None:
    world = World()
    threads = {"concurrency": list(range(1, 33)), "warmup": "1s", "duration": "5s"}
    workload = manifests.body(WORKLOAD, "oltp", SPACE, load=threads)
    wide = study("tde", blocks={"min": 6, "max": 120}, precision={"targetHalfWidth": 0.02})
    world.apply(*parts()[:3], workload, wide)
    await world.settle(5)
    said = refusal(world, Reason.TOO_MANY_TRIALS)
    assert said.startswith("32 combinations of instance, workload and concurrency with up to 123")
    assert "are 11,808 trials" in said


async def test_a_namespace_has_room_for_so_many_trials_and_the_next_campaign_waits() -> None:
    def narrow(usual: Settings) -> Settings:
        return replace(usual, installed=replace(usual.installed, namespace_trials=11))

    world = World(settings=narrow)
    second = study("tde", blocks=2, replacements=0, activeDeadlineSeconds=20)
    second["metadata"] |= {"name": "second", "uid": "second"}
    world.apply(*parts(), study("tde", blocks=2, replacements=0))
    await world.run(world.running())
    world.apply(second)
    await world.settle(30)
    fact = find(
        campaign(world.cluster.one(CAMPAIGN, SPACE, "second")).status.conditions, "Accepted"
    )
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", Reason.NAMESPACE_FULL)
    waiting = campaign(world.cluster.one(CAMPAIGN, SPACE, "second")).status
    assert waiting.step == "waiting until other campaigns of its namespace end"
    assert not is_true(waiting.conditions, "Stalled")
    for said in ("its 6 trials", "the 6 that other campaigns may have", "more than the 11"):
        assert said in fact.message
    assert not [bed for bed in world.cluster.all(TESTBED) if "second" in bed["metadata"]["name"]]
    await world.run(world.ended)
    await world.settle(100)
    taken_up = campaign(world.cluster.one(CAMPAIGN, SPACE, "second"))
    assert is_true(taken_up.status.conditions, "Accepted"), "its turn is no deadline"


async def test_what_no_namespace_has_room_for_is_refused_and_ends_by_its_deadline() -> None:
    def narrow(usual: Settings) -> Settings:
        return replace(usual, installed=replace(usual.installed, namespace_trials=5))

    world = World(settings=narrow)
    world.apply(*parts(), study("tde", blocks=2, replacements=0, activeDeadlineSeconds=60))
    await world.settle(5)
    said = refusal(world, Reason.TOO_MANY_TRIALS)
    assert said.startswith("its 6 trials, replacements included, are more than the 5 ")
    assert "others" not in said
    assert is_true(world.campaign().status.conditions, "Stalled")
    await world.settle(100)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None and failed.reason == "DeadlineExceeded"


@pytest.mark.parametrize(("kind", "name"), [(OVERHEAD_REPORT, NAME), (SECRET, f"{NAME}-ca")])
async def test_what_an_earlier_campaign_of_its_name_left_is_found_before_it_begins(
    kind: Kind, name: str
) -> None:
    """`kubectl delete --cascade=orphan` takes the owner off what it leaves."""
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    left = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": SPACE}}
    if kind is OVERHEAD_REPORT:
        left = manifests.body(kind, name, SPACE)
    world.cluster.add(kind, left)
    await world.settle(5)
    assert refusal(world, Reason.NAME_TAKEN) == (
        f"{kind.kind} {name} already exists and has no owner: delete it, or apply the campaign "
        "under another name"
    )
    world.cluster.remove(kind, SPACE, name)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_two_campaigns_do_not_have_children_of_the_same_names() -> None:
    world = World()
    first, second = (study("tde", blocks=2, replacements=0) for _ in range(2))
    first["metadata"] |= {"name": "night-1.2", "uid": "first"}
    second["metadata"] |= {"name": "night-1-2", "uid": "second"}
    world.apply(*parts(), first)
    await world.settle(5)
    world.apply(second)
    await world.settle(30)
    fact = find(
        campaign(world.cluster.one(CAMPAIGN, SPACE, "night-1-2")).status.conditions, "Accepted"
    )
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", Reason.NAMES_ALIKE)
    assert fact.message == (
        "names of testbeds and trials have one dash in place of dots and dashes, so that those of "
        "this campaign would be those of Campaign night-1.2: apply it under another name, or "
        "delete that one"
    )
    assert is_true(
        campaign(world.cluster.one(CAMPAIGN, SPACE, "night-1.2")).status.conditions, "Accepted"
    )
