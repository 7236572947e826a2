"""Cells side by side: the same trials as one cell after the other, and never two on one node."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, NODE, POD, TESTBED, WORKLOAD
from encbench.core.naming import digest
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.objects import Trial
from tests.support import manifests
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.cells import LOAD, WORKLOADS, four_cells
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.nodes import node
from tests.unit.reconcile.oracle import assert_digests, assert_sound, leftovers, report
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

MANY = tuple(f"n{number}" for number in range(1, 13))

PLACE = (CAMPAIGN, SPACE, NAME)

Turn = tuple[str, str, int, int, int, str, int, str]


def add_nodes(world: World, *names: str) -> None:
    """The Nodes, where it matters what they are like."""
    for name in names:
        world.cluster.add(NODE, node(name))


async def finish(world: World) -> None:
    await world.run(world.ended, limit=60_000, seconds=20_000)
    await world.settle()
    assert world.campaign().status.phase == "Succeeded", world.describe()


def turns(world: World) -> list[Turn]:
    """What each trial was, in the order in which they were released."""
    found = sorted(world.trials(), key=lambda one: (one.status.release_at or 0, one.spec.order))
    return [
        (
            *(one.spec.cell, one.spec.workload_ref, one.spec.concurrency, one.spec.block),
            *(one.spec.order, one.spec.arm.name, one.spec.seed, one.status.outcome or ""),
        )
        for one in found
    ]


def by_cell(world: World) -> dict[str, list[Turn]]:
    found = defaultdict(list)
    for turn in turns(world):
        found[turn[0]].append(turn)
    return found


def figures(world: World) -> list[Any]:
    """What the rows of the report say, but for CPU: the simulated samples depend on the time."""
    rows = (row.to_dict() for row in report(world).status.rows)
    return [{key: row[key] for key in row if "cpu" not in key.lower()} for row in rows]


def nodes_of(trial: Trial) -> set[str]:
    places = trial.status.pods
    assert places is not None
    database = {places.database.node} if places.database else set()
    return database | {one.node for one in places.clients}


def times(trial: Trial) -> tuple[float, float]:
    assert trial.status.window is not None
    return trial.status.window.start, trial.status.window.end


def measured(world: World) -> list[Trial]:
    return [one for one in world.trials() if one.status.window is not None]


def overlapping(world: World) -> list[tuple[Trial, Trial]]:
    """Pairs of trials, of other blocks, whose windows overlap."""
    found = sorted(measured(world), key=times)
    return [
        (one, other)
        for one, other in combinations(found, 2)
        if times(other)[0] < times(one)[1]
        and (one.spec.turns is None or one.spec.turns != other.spec.turns)
    ]


def assert_apart(world: World) -> None:
    """No two trials of other blocks were measured on one node at the same time."""
    for one, other in overlapping(world):
        shared = nodes_of(one) & nodes_of(other)
        assert not shared, f"{one.name} and {other.name} on {shared}"


def unlucky(trial: Trial, usual: Plan) -> Plan:
    """Some trials fail, always the same ones, so that blocks are replaced."""
    fails = int(digest([trial.name])[:4], 16) % 5 == 0
    return replace(usual, exit_code=1) if fails else usual


# -- the same as one after the other


async def test_any_parallelism_gives_the_trials_of_the_serial_run_in_each_cell_s_order() -> None:
    runs = {}
    for parallelism in (1, 2, 3, 4):
        world = four_cells(MANY, parallelism, blocks=1, replacements=4)
        world.plan = unlucky
        await finish(world)
        assert_sound(world)
        assert not leftovers(world)
        assert_apart(world)
        runs[parallelism] = world
    serial = runs[1]
    assert {turn[-1] for turn in turns(serial)} == {"Succeeded", "Failed"}
    assert not overlapping(serial)
    for parallelism, world in runs.items():
        assert Counter(turns(world)) == Counter(turns(serial)), parallelism
        assert by_cell(world) == by_cell(serial), parallelism
        assert figures(world) == figures(serial)
        assert bool(overlapping(world)) == (parallelism > 1)
    ends = [max(times(one)[1] for one in measured(world)) for world in runs.values()]
    assert ends == sorted(ends, reverse=True)
    assert ends[-1] < ends[0]


@pytest.mark.parametrize(
    "spec",
    [
        {"residency": "OnDemand"},
        {"reset": "trial"},
        {"allowColocation": True},
        pytest.param(
            {"blocks": {"min": 4, "perTestbed": 1, "maxReplacements": 1}}, marks=pytest.mark.full
        ),
        {"blocks": {"min": 2, "interleave": {"rounds": 4}, "maxReplacements": 1}},
    ],
    ids=["OnDemand", "reset", "colocated", "rebuilt", "interleaved"],
)
async def test_every_kind_of_campaign_goes_on_side_by_side(spec: dict[str, Any]) -> None:
    runs = [four_cells(MANY, n, instances=("small",), **spec) for n in (1, 2)]
    for world in runs:
        await finish(world)
        assert_sound(world)
        assert not leftovers(world)
        assert_apart(world)
    serial, both = runs
    assert by_cell(both) == by_cell(serial)
    assert overlapping(both)


async def test_an_operator_that_is_killed_again_and_again_changes_nothing() -> None:
    serial = four_cells(MANY, 1, instances=("small",))
    await finish(serial)
    world = four_cells(MANY, 2, instances=("small",))
    ended = 0
    while not world.ended():
        ended += 17
        await world.run(lambda: world.ended() or world.operators[0].passes >= 17, limit=20_000)
        if not world.ended():
            world.restart()
        assert ended < 5000
    await finish(world)
    assert_sound(world)
    assert_apart(world)
    assert Counter(turns(world)) == Counter(turns(serial))
    assert world.deaths > 3


# -- nodes


async def test_each_cell_has_nodes_of_its_own_and_says_what_it_does() -> None:
    world = four_cells(MANY, 2, instances=("small",))
    steps: set[str] = set()

    def look() -> bool:
        steps.add(world.campaign().status.step if world.latest("Campaign", "") else "")
        return world.ended()

    await world.run(look, limit=60_000)
    used: defaultdict[str, set[str]] = defaultdict(set)
    for one in world.trials():
        used[one.spec.cell] |= nodes_of(one)
    first, second = used.values()
    assert not first & second
    assert any(
        "cell 1: block" in step and "cell 2: preparing testbeds" in step for step in steps
    ), "the second one loads while the first one is measured"
    assert any(step.startswith("cell 1: block") and "; cell 2: block" in step for step in steps)


async def test_databases_and_loads_keep_off_the_nodes_of_a_cell_that_is_measured() -> None:
    world = four_cells(MANY, 2, instances=("small",))
    avoided: dict[str, set[str]] = {}
    placed: dict[str, set[str]] = defaultdict(set)

    def look() -> bool:
        for body in world.latest(TESTBED.kind, ""):
            avoided[body["metadata"]["name"]] = set(body["spec"].get("avoid", []))
        for body in world.latest(POD.kind, ""):
            own = body["metadata"]["labels"]
            if own[labels.COMPONENT] in ("database", "load"):
                placed[own[labels.TESTBED]].add(body["spec"]["nodeName"])
        return world.ended()

    await world.run(look, limit=60_000)
    first, second = (
        [one for one in measured(world) if one.spec.cell == cell] for cell in cells_of(world)
    )
    busy = set().union(*map(nodes_of, first))
    for bed in {one.spec.testbed_ref.name for one in second}:
        assert avoided[bed] == busy
        assert placed[bed]
        assert not placed[bed] & busy


async def test_cells_bound_to_other_nodes_are_placed_at_once() -> None:
    world = World()
    pools = {"e1": "east", "e2": "east", "w1": "west", "w2": "west"}
    world.controllers.scheduler = Scheduler(tuple(pools), pools=pools)
    world.apply(*parts())
    matrix = []
    for name in ("east", "west"):
        there = {"placement": {"nodeSelector": {"pool": name}}}
        client = {"image": "tool", "resources": {"cpu": "1", "memory": "64Mi"}, **there}
        world.apply(
            manifests.body(INSTANCE_TEMPLATE, name, SPACE, **there),
            manifests.body(WORKLOAD, name, SPACE, load=LOAD, client=client),
        )
        matrix.append({"instanceRefs": [name], "modeRefs": ["plain"], "workloadRefs": [name]})
    world.apply(study(matrix=matrix, parallelism=2))
    await world.run(lambda: len(world.latest(TESTBED.kind, "")) == 4, limit=60_000)
    assert not world.trials(), "no cell waits for the clients of the other"
    await finish(world)
    assert_sound(world)
    assert_apart(world)
    assert overlapping(world)
    used = [nodes_of(one) for one in world.trials()]
    assert all(own in ({"e1", "e2"}, {"w1", "w2"}) for own in used)


async def test_where_clients_have_to_share_a_node_a_cell_waits_after_its_first_block() -> None:
    world = four_cells(("n1", "n2", "n3"), 2, instances=("small",), blocks=3)
    waited: set[str] = set()

    def look() -> bool:
        for body in world.latest("Campaign", ""):
            waited.add(body.get("status", {}).get("step", ""))
        return world.ended()

    await world.run(look, limit=60_000, seconds=20_000)
    await world.settle()
    assert_sound(world)
    assert_apart(world)
    assert not overlapping(world)
    assert any("waits for node n2, until a cell before it is done" in step for step in waited)
    first, second = (
        [one for one in measured(world) if one.spec.cell == cell] for cell in cells_of(world)
    )
    last = max(times(one)[1] for one in first)
    early = {one.spec.block for one in second if times(one)[0] < last}
    assert early == {1}


async def test_where_the_clients_node_has_room_for_one_the_later_cell_loses_no_trial() -> None:
    limits: dict[str, Any] = {"stepDeadlines": {"start": "20s"}}
    world = four_cells(("n1", "n2", "n3"), 2, instances=("small",), replacements=0, **limits)
    assert world.controllers.scheduler is not None
    world.controllers.scheduler.clients = 1
    add_nodes(world, "n1", "n2", "n3")
    for name in WORKLOADS:
        load = {**LOAD, "duration": "60s"}
        world.cluster.set_spec(WORKLOAD, SPACE, name, load=load)
    await finish(world)
    assert_sound(world)
    assert {one.status.outcome for one in world.trials()} == {"Succeeded"}


async def test_clients_larger_than_any_node_are_told_though_another_cell_is_measured() -> None:
    """Their load fits one, because it has no recorder beside it."""
    limits: dict[str, Any] = {"stepDeadlines": {"start": "20s"}}
    world = four_cells(MANY[:4], 2, instances=("small",), blocks=1, replacements=0, **limits)
    assert world.controllers.scheduler is not None
    world.controllers.scheduler.cores = 8
    add_nodes(world, *MANY[:4])
    client = {"image": "tool", "resources": {"cpu": "8", "memory": "64Mi"}}
    world.cluster.set_spec(WORKLOAD, SPACE, "oltp", load={**LOAD, "duration": "300s"})
    world.cluster.set_spec(WORKLOAD, SPACE, "other", client=client)
    await world.run(lambda: any(one.status.outcome for one in world.trials()), limit=60_000)
    (failed,) = [one for one in world.trials() if one.status.outcome is not None]
    assert (failed.spec.workload_ref, failed.status.reason) == ("other", "Unschedulable")


async def test_a_cell_without_room_waits_for_the_one_before_it() -> None:
    world = four_cells(("n1", "n2"), 2, instances=("small",))
    seen: set[tuple[str, str]] = set()
    steps: set[str] = set()
    hindered: list[Body] = []

    def look() -> bool:
        for body in world.latest("Testbed", ""):
            fact = find(objects.testbed(body).status.conditions, "Provisioned")
            seen.add((fact.status, fact.reason) if fact else ("", ""))
        for body in world.latest("Campaign", ""):
            status = body.get("status", {})
            steps.add(status.get("step", ""))
            hindered.extend(
                fact
                for fact in status.get("conditions", ())
                if fact["type"] == "Hindered" and fact["status"] == "True"
            )
        return world.ended()

    await world.run(look, limit=60_000, seconds=20_000)
    await world.settle()
    assert world.campaign().status.phase == "Succeeded"
    assert ("Unknown", "NodeInUse") in seen
    assert any("waits until another cell of its campaign is done" in step for step in steps)
    assert not hindered, "it hinders no other cell"
    assert not overlapping(world)
    assert_digests(world)
    assert not leftovers(world)
    serial = four_cells(("n1", "n2"), 1, instances=("small",))
    await finish(serial)
    assert turns(world) == turns(serial)


async def test_a_set_that_one_cell_loses_changes_nothing_in_the_other() -> None:
    serial = four_cells(MANY, 1, instances=("small",))
    await finish(serial)
    world = four_cells(MANY, 2, instances=("small",))
    await world.run(lambda: bool(overlapping(world)), limit=60_000)
    unlucky, other = cells_of(world)
    bed = next(one.spec.testbed_ref.name for one in world.trials() if one.spec.cell == unlucky)
    lost(world, f"{bed}-0")
    await finish(world)
    (gone,) = world.campaign().status.lost_sets
    assert gone.cell == unlucky
    assert by_cell(world)[other] == by_cell(serial)[other]
    counted = [turn for turn in by_cell(world)[unlucky] if turn[-1] == "Succeeded"]
    assert len(counted) >= len(by_cell(serial)[unlucky])
    assert_sound(world)
    assert_apart(world)
    assert not leftovers(world)


async def test_suspended_all_of_them_stop_and_go_on() -> None:
    world = four_cells(MANY, 2, instances=("small",))
    await world.run(lambda: bool(overlapping(world)), limit=60_000)
    world.cluster.set_spec(*PLACE, suspend=True)
    await world.settle(1)
    assert world.campaign().status.step == "suspended once the running trials are done"
    await world.settle(120)
    count = len(world.trials())
    assert world.campaign().status.phase == "Suspended"
    await world.settle(120)
    assert len(world.trials()) == count
    world.cluster.set_spec(*PLACE, suspend=False)
    await finish(world)
    assert_sound(world)
    assert_apart(world)


def cells_of(world: World) -> list[str]:
    """In the order of the plan."""
    first: dict[str, Trial] = {}
    for one in sorted(world.trials(), key=lambda one: one.created):
        first.setdefault(one.spec.cell, one)
    return list(first)
