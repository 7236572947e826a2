"""Objects of another version: they say so, they stop what depends on them, they can be deleted."""

import copy

import pytest

from encbench.adapters.meter import PrometheusMeter
from encbench.api.conditions import find
from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, TESTBED, TRIAL, WORKLOAD, Kind
from encbench.kube.labels import ACTIVE
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Meter
from encbench.reconcile.loop import Key
from encbench.reconcile.misfits import handle
from tests.support import fake_cluster
from tests.support.fake_admission import check_content
from tests.support.metered import series
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

TOMORROW = {"type": "Tomorrow", "status": "Likely"}
LATER = "fieldOfTomorrow"


@pytest.fixture(autouse=True)
def crds_of_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """An API server whose CRDs know a value and a field that this operator does not."""

    def known(body: Body | None) -> Body | None:
        found = copy.deepcopy(body)
        for part in ("spec", "status"):
            ((found or {}).get(part) or {}).pop(LATER, None)
        status = (found or {}).get("status") or {}
        if "conditions" in status:
            status["conditions"] = others(status["conditions"])
        return found

    def check(kind: Kind, body: Body, old: Body | None = None) -> None:
        check_content(kind, known(body) or {}, known(old))

    monkeypatch.setattr(fake_cluster, "check_content", check)


def misfit(world: World, kind: Kind, name: str) -> None:
    """Put a value into a status that this version does not know."""
    key = (kind, SPACE, name)
    body = copy.deepcopy(world.cluster._objects[key])
    status = body.setdefault("status", {})
    status["conditions"] = [*status.get("conditions", []), TOMORROW]
    world.cluster._store(key, body)


def correct(world: World, kind: Kind, name: str) -> None:
    """Take it out again."""
    body = copy.deepcopy(world.cluster._objects[kind, SPACE, name])
    body["status"]["conditions"] = others(body["status"]["conditions"])
    world.cluster._store((kind, SPACE, name), body)


def others(conditions: list[Body]) -> list[Body]:
    return [one for one in conditions if one["type"] != TOMORROW["type"]]


def default_of_tomorrow(world: World, *kinds: Kind) -> None:
    """The API server fills in a field that this version does not know."""
    for key, body in list(world.cluster._objects.items()):
        if key[0] in kinds:
            parts = {name: {**body.get(name, {}), LATER: False} for name in ("spec", "status")}
            world.cluster._store(key, {**copy.deepcopy(body), **parts})


async def in_mid_run(meter: Meter | None = None) -> World:
    world = World(meter=meter)
    world.apply(*parts(), study("plain", blocks=2))
    await world.run(world.running())
    return world


def said(world: World, kind: Kind, name: str, fact: str = "Understood") -> Body:
    conditions = world.cluster.one(kind, SPACE, name)["status"]["conditions"]
    found = [c for c in conditions if c["type"] == fact]
    return found[0] if found else {}


@pytest.mark.parametrize("kind", [TESTBED, TRIAL])
async def test_a_child_that_is_not_understood_stops_its_campaign_and_says_so(kind: Kind) -> None:
    world = await in_mid_run()
    name = world.cluster.all(kind, SPACE)[0]["metadata"]["name"]
    misfit(world, kind, name)
    await world.settle(200)
    assert said(world, kind, name)["status"] == "False"
    own = find(world.campaign().status.conditions, "Understood")
    assert own is not None
    assert own.status == "False"
    assert f"{kind.kind} {name}: status.conditions" in own.message
    status = world.campaign().status
    assert status.step.startswith("stopped; ")
    for fact, value in (("Hindered", "True"), ("Ready", "False")):
        told = said(world, CAMPAIGN, NAME, fact)
        assert (told["status"], told["reason"], told["message"]) == (
            value,
            "Malformed",
            own.message,
        )
    events = [one for one in world.cluster.events if one.reason == "Malformed"]
    assert (kind, True) in [(one.kind, one.warning) for one in events]
    assert [one.note for one in events if one.kind == CAMPAIGN] == [own.message]
    assert world.operators[0].errors == [], "nor do those fail that read it"
    writes = len(world.cluster.writes)
    await world.settle(600)
    assert len(world.cluster.writes) == writes

    correct(world, kind, name)
    await world.settle(2)
    assert said(world, kind, name)["status"] == "True"
    await world.run(world.ended)
    own = find(world.campaign().status.conditions, "Understood")
    assert own is not None
    assert own.status == "True"


def lists(world: World) -> int:
    """How often all trials were read."""
    return sum((call.verb, call.kind) == ("list", TRIAL) for call in world.cluster.calls)


async def test_beside_a_child_that_is_not_understood_nothing_is_counted() -> None:
    world = await in_mid_run()
    misfit(world, TESTBED, world.cluster.all(TESTBED, SPACE)[0]["metadata"]["name"])
    await world.settle(200)
    world.restart()
    await world.settle(200)
    before, passes = lists(world), world.operators[0].passes
    for _ in range(20):
        world.operators[0].loop.wake(Key(CAMPAIGN, SPACE, NAME))
        await world.settle(1)
    assert world.campaign().status.step.startswith("stopped; ")
    assert world.operators[0].passes >= passes + 20
    assert lists(world) <= before + 1, "those that are under way"


async def test_trials_that_are_over_and_not_understood_are_read_again_once_a_minute() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=3))
    await world.run(lambda: world.campaign().status.progress.succeeded == 2, limit=20_000)
    await world.settle(10)
    name = next(t.name for t in world.trials() if ACTIVE not in t.labels)
    misfit(world, TRIAL, name)
    world.restart()
    await world.settle(100)
    assert f"Trial {name}: status.conditions" in world.campaign().status.step
    before = lists(world)
    for _ in range(120):
        world.operators[0].loop.wake(Key(CAMPAIGN, SPACE, NAME))
        await world.settle(1)
    assert lists(world) <= before + 2 * 2 + 2, "all and those that are under way, by the minute"
    correct(world, TRIAL, name)
    await world.settle(61)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_a_campaign_that_is_not_understood_says_so_and_can_be_deleted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    meter = PrometheusMeter("1")
    world = await in_mid_run(meter)
    misfit(world, CAMPAIGN, NAME)
    await world.settle(200)
    (event,) = [one for one in world.cluster.events if one.reason == "Malformed"]
    assert (event.kind, event.warning) == (CAMPAIGN, True)
    assert event.note.startswith(f"Campaign {NAME}: status.conditions.")
    (line,) = [one for one in caplog.records if one.name.endswith(".misfits")]
    assert (line.levelname, "Campaign bench/study" in line.getMessage()) == ("WARNING", True)
    assert series(meter, "encbench_campaign_hindered") == {(NAME, SPACE, "Malformed"): 1}
    assert world.cluster.one(CAMPAIGN, SPACE, NAME)["status"]["step"].startswith("stopped; ")
    assert said(world, CAMPAIGN, NAME)["reason"] == "Malformed"
    assert "status.conditions" in said(world, CAMPAIGN, NAME)["message"]
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)


async def test_a_new_campaign_that_is_not_understood_is_not_what_kstatus_waits_for() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    misfit(world, CAMPAIGN, NAME)
    await world.settle(200)
    status = world.cluster.one(CAMPAIGN, SPACE, NAME)["status"]
    ready = said(world, CAMPAIGN, NAME, "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "Malformed")
    assert ready["observedGeneration"] == status["observedGeneration"] == 1
    assert "status.conditions" in ready["message"]
    writes = len(world.cluster.writes)
    await world.settle(600)
    assert len(world.cluster.writes) == writes, "once"
    correct(world, CAMPAIGN, NAME)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert said(world, CAMPAIGN, NAME, "Ready")["status"] == "True"


async def test_the_answer_of_a_campaign_that_is_over_stays() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    await world.settle(10)
    misfit(world, CAMPAIGN, NAME)
    world.restart()
    await world.settle(100)
    assert said(world, CAMPAIGN, NAME)["status"] == "False"
    assert said(world, CAMPAIGN, NAME, "Ready")["status"] == "True"


@pytest.mark.parametrize("kind", [TESTBED, TRIAL])
async def test_a_campaign_with_such_a_child_can_be_deleted(kind: Kind) -> None:
    world = await in_mid_run()
    name = world.cluster.all(kind, SPACE)[0]["metadata"]["name"]
    misfit(world, kind, name)
    deleted = world.clock.time
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    assert world.clock.time - deleted < 120
    assert not world.cluster.all(kind, SPACE)


async def test_of_a_deleted_one_only_our_own_finalizer_is_taken_off() -> None:
    """The operator may not patch testbeds, and they bear none of ours."""
    world = await in_mid_run()
    body = copy.deepcopy(world.cluster.all(TESTBED, SPACE)[0])
    body["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["other"]}
    before = len(world.cluster.writes)
    await handle(world.cluster, world.clock, TESTBED, body, Malformed("of another version"))
    assert len(world.cluster.writes) == before


async def test_a_report_that_is_not_understood_ends_the_campaign_with_its_words() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, stepDeadlines={"archive": "60s"}))
    await world.run(lambda: bool(world.cluster.all(OVERHEAD_REPORT)))
    misfit(world, OVERHEAD_REPORT, NAME)
    await world.run(world.ended)
    fact = find(world.campaign().status.conditions, "Failed")
    assert fact is not None
    assert fact.reason == "ReportFailed"
    assert "OverheadReport study: status.conditions" in fact.message
    assert world.operators[0].errors == []


async def test_fields_of_a_later_version_do_not_stop_what_is_under_way() -> None:
    """One release upgrades the CRDs for all others of the cluster."""
    world = await in_mid_run()
    default_of_tomorrow(world, CAMPAIGN, TESTBED, TRIAL)
    world.restart()
    await world.run(lambda: len(world.trials()) > 1)
    default_of_tomorrow(world, CAMPAIGN, TESTBED, TRIAL, OVERHEAD_REPORT)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    assert find(world.campaign().status.conditions, "Understood") is None


@pytest.mark.parametrize("kind", [CAMPAIGN, WORKLOAD])
async def test_what_is_not_accepted_yet_has_to_be_understood_in_whole(kind: Kind) -> None:
    """A user may have written the field, and something else would be measured without it."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    default_of_tomorrow(world, kind)
    await world.settle(200)
    what = "Understood" if kind == CAMPAIGN else "Accepted"
    told = said(world, CAMPAIGN, NAME, what)
    assert (told["status"], told["reason"]) == ("False", "Malformed")
    assert "fieldOfTomorrow: this version of encbench does not know the field" in told["message"]
