"""Campaigns that are applied together take turns on their nodes, and say so."""

from itertools import pairwise

from encbench.api.conditions import find, parse_time
from encbench.api.kinds import CAMPAIGN, LEASE, NODE, TRIAL
from encbench.kube.leases import parse
from tests.unit.reconcile.driver import LEASES
from tests.unit.reconcile.nodes import node
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.three_campaigns import NAMES, all_over, campaigns, together
from tests.unit.reconcile.world import World, parts, study


async def test_no_two_measure_at_once_and_each_gets_its_turn() -> None:
    world = together()
    waited: set[str] = set()
    working: list[set[str]] = []

    def look() -> bool:
        for one in world.latest(CAMPAIGN.kind, ""):
            step = one.get("status", {}).get("step", "")
            if "waits for node node-" in step and "held by campaign bench/" in step:
                waited.add(one["metadata"]["name"])
        now = {
            one["spec"]["campaignRef"]["name"]
            for one in world.latest(TRIAL.kind, "")
            if at_work(world, one)
        }
        if now and (not working or working[-1] != now):
            working.append(now)
        return all_over(world)

    await world.run(look, limit=20000)
    assert {one.status.phase for one in campaigns(world)} == {"Succeeded"}
    assert waited == {*NAMES}
    assert all(len(now) == 1 for now in working), "client pods of two were at work at once"

    trials = [one for one in world.trials() if one.status.window is not None]
    assert len(trials) == 3 * 2 * 3
    assert {one.status.outcome for one in trials} == {"Succeeded"}
    windows = sorted(
        (one.status.window.start, one.status.window.end) for one in trials if one.status.window
    )
    assert all(end < start for (_, end), (start, _) in pairwise(windows))
    order = [
        one.spec.campaign_ref.name for one in sorted(trials, key=lambda t: t.status.release_at or 0)
    ]
    # All three wait most of the time, so none runs more than a few trials in a row.
    longest = max(len(list(run)) for run in runs(order))
    assert longest <= 3, order


def runs(order: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for name in order:
        if found and found[-1][0] == name:
            found[-1].append(name)
        else:
            found.append([name])
    return found


def at_work(world: World, trial: dict) -> bool:  # type: ignore[type-arg]
    at = trial.get("status", {}).get("releaseAt")
    facts = {c["type"]: c["status"] for c in trial.get("status", {}).get("conditions", [])}
    return at is not None and at <= world.clock.time and "Measured" not in facts


async def test_afterwards_no_node_is_held() -> None:
    world = together(blocks=1)
    await world.run(lambda: all_over(world), limit=20000)
    await world.settle(120)
    leases = [parse(body) for body in world.cluster.all(LEASE, LEASES)]
    assert {one.node for one in leases} == {"node-1", "node-2"}
    assert [(one.holder, one.queue) for one in leases] == [(None, ())] * 2
    assert not world.operators[0].nodes.busy


async def test_where_a_node_has_room_for_one_client_they_take_turns_too() -> None:
    """The clients of the other do not fit for longer than they may take to start."""
    world = World()
    world.controllers.scheduler = Scheduler(["node-1", "node-2"], clients=1)
    for name in ("node-1", "node-2"):
        world.cluster.add(NODE, node(name))
    load = {"concurrency": [2], "warmup": "2s", "duration": "60s"}
    world.apply(*parts(load=load))
    for name in NAMES[:2]:
        body = study("plain", blocks=1, replacements=0, stepDeadlines={"start": "20s"})
        body["metadata"]["name"] = name
        world.apply(body)
    waited: set[str] = set()

    def look() -> bool:
        for body in world.latest(TRIAL.kind, ""):
            for fact in body.get("status", {}).get("conditions", ()):
                if fact["type"] in ("Prepared", "Hindered") and fact["reason"] == "NodeInUse":
                    waited.add(fact["message"])
        return all_over(world)

    await world.run(look, limit=20000)
    assert {one.status.phase for one in campaigns(world)} == {"Succeeded"}, world.describe()
    assert any("which work on node node-2: pod " in message for message in waited)


async def test_alone_a_campaign_never_waits_and_asks_next_to_nothing() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=4))
    await world.run(world.ended)
    for one in world.trials():
        assert find(one.status.conditions, "Alone") is None
        assert find(one.status.conditions, "Hindered") is None
    first = world.trials()[0]
    seconds = world.clock.time - parse_time(first.created).timestamp()
    asked = [call for call in world.cluster.calls if call.kind == LEASE]
    # Two requests to renew each of two leases every ten seconds, and a few to get them.
    assert len(asked) < 4 * (seconds + 60) / 10 + 10
