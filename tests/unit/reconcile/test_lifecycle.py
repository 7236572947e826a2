"""Suspending, deadlines and time to live of a campaign."""

from typing import Any

import pytest

from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, TESTBED, TRIAL, Kind
from encbench.kube.labels import ACTIVE
from encbench.ports import Body, Unavailable
from encbench.reconcile.campaign import catchup
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.oracle import assert_digests, assert_sound, final_state, leftovers, report
from tests.unit.reconcile.seen import a_trial, ago
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


async def test_suspending_and_resuming_changes_no_result() -> None:
    usual, paused = World(), World()
    for world in (usual, paused):
        world.apply(*parts(), study("tde", blocks=1))
    await paused.run(paused.running())
    paused.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=True)
    await paused.settle(200)
    status = paused.campaign().status
    assert is_true(status.conditions, "Suspended")
    assert (status.phase, status.step) == ("Suspended", "suspended")
    assert status.estimated_completion_time is None
    assert [t.status.outcome for t in paused.trials()] == ["Succeeded"], "the running one finished"
    paused.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=False)
    for world in (usual, paused):
        await world.run(world.ended)
        await world.settle()
        assert_sound(world)
    assert final_state(paused) == final_state(usual)


@pytest.mark.parametrize(
    ("blocks", "arms"),
    [(1, 1), ({"min": 1, "interleave": {"slice": "2s", "settle": "500ms", "rounds": 5}}, 3)],
)
async def test_suspended_it_puts_off_a_trial_that_has_not_begun(blocks: Any, arms: int) -> None:
    """It may wait for its nodes for days, and would be measured then."""
    usual, paused = World(), World()
    for world in (usual, paused):
        world.apply(*parts(), study("tde", blocks=blocks))
    await paused.run(lambda: len(paused.trials()) == arms)
    paused.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=True)
    await paused.settle(200)
    assert not paused.trials()
    assert paused.campaign().status.step == "suspended"
    paused.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=False)
    for world in (usual, paused):
        await world.run(world.ended)
        await world.settle()
    assert final_state(paused) == final_state(usual)


async def test_a_campaign_that_is_suspended_from_the_start_makes_nothing() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, suspend=True))
    await world.settle(300)
    assert not world.cluster.all(TESTBED)
    assert world.campaign().status.phase == "Suspended"
    world.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=False)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_after_its_deadline_a_campaign_stops_and_reports_what_it_has() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=50, activeDeadlineSeconds=60))
    await world.run(world.ended)
    await world.settle()
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "DeadlineExceeded"
    counts = world.campaign().status.progress
    assert counts.active == 0
    assert counts.succeeded >= 2
    assert counts.failed <= 1
    assert {t.status.reason for t in world.trials()} <= {None, "TestbedGone"}
    assert {row.blocks for row in report(world).status.rows} == {counts.succeeded // 2}
    assert not leftovers(world)


@pytest.mark.parametrize("killed", ["", "then", "before the next one"])
async def test_a_deadline_that_is_raised_takes_the_report_back(killed: str) -> None:
    """It was written before the pass that would have ended the campaign with it."""
    world, raised = World(), list[bool]()
    world.apply(*parts(), study("plain", blocks=4, activeDeadlineSeconds=60))
    apply_status = world.cluster.apply_status

    async def written(kind: Kind, body: Body) -> Body:
        made = await apply_status(kind, body)
        if kind == OVERHEAD_REPORT and not raised:
            raised.append(True)
            world.cluster.set_spec(CAMPAIGN, SPACE, NAME, activeDeadlineSeconds=86_400)
            if killed == "then":
                raise Killed
            if killed:
                world.store.fail_next(Killed(), verb="put")
        return made

    world.cluster.apply_status = written  # type: ignore[method-assign]
    await world.run(lambda: bool(raised))
    early = {row.blocks for row in report(world).status.rows}
    await world.settle(10)
    assert find(world.campaign().status.conditions, "Reported") is None
    await world.run(world.ended, limit=20_000)
    await world.settle()
    assert world.deaths == bool(killed)
    assert max(early) < 4
    assert {row.blocks for row in report(world).status.rows} == {4}
    assert world.campaign().status.phase == "Succeeded"
    assert_digests(world)


async def test_why_an_earlier_report_was_not_written_does_not_end_a_later_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    deadlines = {"archive": "20s"}
    world.apply(
        *parts(), study("plain", blocks=4, activeDeadlineSeconds=60, stepDeadlines=deadlines)
    )
    put, refused = world.store.put, list[str]()

    async def away(key: str, *_: Any) -> None:
        refused.append(key)
        raise Unavailable("the store is away")

    monkeypatch.setattr(world.store, "put", away)
    await world.run(lambda: bool(refused))
    await world.settle(3)
    world.cluster.set_spec(CAMPAIGN, SPACE, NAME, activeDeadlineSeconds=86_400)
    monkeypatch.setattr(world.store, "put", put)
    await world.run(world.ended, limit=20_000)
    await world.settle()
    assert world.campaign().status.phase == "Succeeded"
    assert_digests(world)


def judged(world: World) -> dict[str, tuple[str, str, int | None]]:
    """Status, time of change and generation of each condition of the campaign."""
    found = world.campaign().status.conditions
    return {c.type: (c.status, c.last_transition_time, c.observed_generation) for c in found}


async def test_every_condition_is_about_the_campaign_as_it_was_edited_last() -> None:
    """`kubectl wait` believes no condition that is about an earlier generation."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    for moment, change in (
        (world.running(), {"activeDeadlineSeconds": 86_400}),
        (world.ended, {"ttlSecondsAfterFinished": 86_400}),
    ):
        await world.run(moment)
        await world.settle(30)
        before = judged(world)
        world.cluster.set_spec(CAMPAIGN, SPACE, NAME, **change)
        await world.settle(2)
        generation = world.campaign().generation
        found = judged(world)
        assert {about for _, _, about in found.values()} == {generation}
        assert {kind: fact[:2] for kind, fact in before.items()}.items() <= {
            kind: fact[:2] for kind, fact in found.items()
        }.items()
    writes = len(world.cluster.writes)
    await world.settle(600)
    assert len(world.cluster.writes) == writes, "once"


async def test_succeeded_trials_go_after_their_time_and_the_others_stay() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, ttlSecondsAfterFinished=100))
    await world.run(world.running())
    await world.settle(3)
    for server in world.agent.servers.values():
        server.restart()
    await world.run(world.ended)
    await world.settle(90)
    assert len(world.trials()) == 3
    before = world.campaign().status
    await world.settle(60)
    assert [t.status.outcome for t in world.trials()] == ["Invalid"]
    after = world.campaign().status
    assert after.progress == before.progress, "what is gone was counted"
    assert after.phase == "Succeeded"
    assert len([key for key in world.store.objects if key.endswith("/trial.json")]) == 3


async def test_many_trials_go_in_several_passes_and_are_looked_for_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catchup, "AT_ONCE", 2)
    world = World()
    world.apply(*parts(), study("plain", blocks=3, ttlSecondsAfterFinished=100))
    await world.run(world.ended)
    deleted = [0]

    def look() -> bool:
        calls = [(call.verb, call.kind) for call in world.cluster.calls]
        deleted.append(calls.count(("delete", TRIAL)))
        return not world.trials()

    await world.settle(90)
    assert len(world.trials()) == 6
    await world.run(look)
    assert sorted(set(deleted)) == [0, 2, 4, 6]
    await world.settle(10)
    calls = len(world.cluster.calls)
    await world.settle(600)
    later = [call for call in world.cluster.calls[calls:] if call.kind == TRIAL]
    assert all(call.verb == "list" for call in later)
    assert len(later) <= 5, "those of the sweep"
    assert is_true(world.campaign().status.conditions, "Cleared")
    world.restart()
    await world.settle(600)
    assert world.operators[0].passes == 0, "another process has nothing to do either"


async def test_between_its_end_and_its_time_to_live_a_campaign_rests() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, ttlSecondsAfterFinished=3600))
    await world.run(world.ended)
    await world.settle(10)
    world.restart()
    await world.settle(3000)
    assert world.operators[0].passes == 0
    await world.settle(800)
    assert not world.trials(), "the sweep finds it when it is due"


@pytest.mark.parametrize(
    ("of", "is_cleared", "count"),
    [
        ({"outcome": "Succeeded"}, False, 1),
        ({"outcome": "Invalid"}, True, 0),
        ({"outcome": None}, False, 0),
        ({"outcome": "Succeeded", "labels": {ACTIVE: "true"}}, False, 0),
        ({"outcome": "Succeeded", "deletionTimestamp": ago(5)}, True, 0),
        ({"outcome": "Succeeded", "owner": "another"}, True, 0),
        ({"outcome": "of tomorrow"}, False, 0),
    ],
)
async def test_it_is_known_whether_any_trial_is_left_to_go(
    of: Body, is_cleared: bool, count: int
) -> None:
    world = World()
    world.apply(*parts(), study("plain"))
    campaign = world.campaign()
    trial = a_trial({"Archived": ("True", 5.0)}, outcome="Succeeded").body
    if of["outcome"] is None:
        del trial["status"]["outcome"]
    else:
        trial["status"]["outcome"] = of["outcome"]
    owner = {**campaign.owner, "uid": of.get("owner", campaign.uid)}
    trial["metadata"] |= {"ownerReferences": [owner]}
    trial["metadata"] |= {f: of[f] for f in ("labels", "deletionTimestamp") if f in of}

    async def listed(*_: object) -> list[Body]:
        return [trial]

    world.cluster.list = listed  # type: ignore[assignment,method-assign]
    found, nothing_left = await catchup.to_go(world.deps, campaign)
    assert (nothing_left, len(found)) == (is_cleared, count)
