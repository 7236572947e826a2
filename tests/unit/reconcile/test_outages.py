"""Something is away for a while: nothing is lost, and it goes on when it is back."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, POD
from encbench.core.artefact import decode
from encbench.core.naming import INDEX
from encbench.core.records import IndexRecord, TrialRecord
from encbench.kube.labels import owner_reference
from encbench.ports import Series, Store, Unavailable
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.services import Services
from encbench.reconcile.trial import gather
from encbench.reconcile.trial.collect import collect
from encbench.reconcile.trial.facts import Collected, Patience, TrialGathered, TrialSeen
from tests.support import manifests
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.oracle import FinalState, assert_sound, final_state, leftovers, proofs
from tests.unit.reconcile.timeline import START
from tests.unit.reconcile.world import DURATION, NAME, SPACE, WARMUP, World, parts, study

MINUTES = 60.0


def campaign(blocks: int = 1, **spec: Any) -> World:
    world = World()
    world.apply(*parts(), study("plain", blocks=blocks, **spec))
    return world


async def finish(world: World) -> FinalState:
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    assert not leftovers(world)
    return final_state(world)


@pytest.fixture(name="usual")
async def undisturbed() -> FinalState:
    if not _UNDISTURBED:
        _UNDISTURBED.append(await finish(campaign()))
    return _UNDISTURBED[0]


_UNDISTURBED: list[FinalState] = []


def record(world: World, name: str) -> TrialRecord:
    (trial,) = [t for t in world.trials() if t.name == name]
    key = trial.status.artefact_key or ""
    return decode(TrialRecord, world.store.objects[key], key)


async def test_the_store_is_away_when_the_tool_ends() -> None:
    world = campaign(blocks=2)
    await world.run(world.running())
    (trial,) = world.trials()
    world.store.away = True
    await world.settle(30 * MINUTES)
    waiting = next(t for t in world.trials() if t.name == trial.name)
    assert waiting.status.phase == "Collecting"
    assert waiting.status.outcome is None
    assert len(world.trials()) == 2, "finished trials do not pile up"
    assert "waiting for the object store" in world.campaign().status.step
    hindered = find(world.campaign().status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.status, hindered.reason) == ("True", "NotStored")
    world.store.away = False
    await finish(world)
    assert world.campaign().status.progress.succeeded == len(world.trials()) == 4
    assert proofs(world, trial.name) == {"before": True, "after": True}
    assert record(world, trial.name).proofs.after is not None


async def test_the_store_is_away_while_testbeds_are_proven(usual: FinalState) -> None:
    world = campaign()
    world.store.away = True
    await world.settle(30 * MINUTES)
    assert world.campaign().status.step.startswith("preparing testbeds")
    assert len(world.agent.markers) == 0, "no scan whose result nobody would take"
    world.store.away = False
    assert await finish(world) == usual


async def test_the_store_is_away_and_the_operator_dies(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    world.store.away = True
    await world.settle(20)
    world.restart()
    await world.settle(5 * MINUTES)
    world.store.away = False
    assert await finish(world) == usual
    assert proofs(world, trial.name) == {"before": True, "after": True}
    made = record(world, trial.name).proofs
    assert made.before is not None and made.after is not None
    assert made.after.evidence_lost


async def test_prometheus_is_away_for_a_while(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    world.metrics.away = True
    await world.settle(10 * MINUTES)
    archived = find(world.trials()[0].status.conditions, "Archived")
    assert archived is not None
    assert (archived.status, archived.reason) == ("False", "Waiting")
    assert "the fake Prometheus is away" in archived.message
    world.metrics.away = False
    assert await finish(world) == usual
    assert record(world, trial.name).cpu.database is not None


async def test_while_prometheus_is_away_what_was_read_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = campaign()
    asked = Services({"Prometheus": lambda: world.metrics.raw("nothing", 0.0, 1.0)})
    world.deps = replace(world.deps, services=asked)
    world.restart()
    await world.run(world.running())
    world.metrics.away = True
    await asked.look()
    read: list[str] = []

    async def counted(store: Store, trial: Trial, seen: TrialSeen) -> Collected:
        read.append(trial.name)
        return await collect(store, trial, seen)

    monkeypatch.setattr(gather, "collect", counted)
    await world.settle(10 * MINUTES)
    assert sorted(read) == [trial.name for trial in world.trials()]
    archived = find(world.trials()[0].status.conditions, "Archived")
    assert archived is not None
    assert "the fake Prometheus is away" in archived.message
    world.metrics.away = False
    await world.settle(MINUTES)
    assert len(read) == 2, "whoever asks all the time knows best"
    await asked.look()
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_prometheus_does_not_come_back() -> None:
    world = campaign(stepDeadlines={"archive": "5m"})
    await world.run(world.running())
    world.metrics.away = True
    await world.settle(10 * MINUTES)
    first = min(world.trials(), key=lambda t: t.status.release_at or 0)
    assert (first.status.outcome, first.status.reason) == ("Invalid", "SeriesLost")
    assert "could not be read: the fake Prometheus is away" in (first.status.message or "")
    assert first.status.result is not None, "what the tool said is kept"
    world.metrics.away = False
    await world.run(world.ended)
    assert_sound(world)


@pytest.mark.parametrize("goes", [False, True])
async def test_samples_that_are_stored_are_not_asked_for_again(
    goes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store does not take what comes after them, and then Prometheus may be away for good."""
    world = campaign(stepDeadlines={"archive": "2m"})
    services = Services({"Prometheus": lambda: world.metrics.raw("nothing", 0.0, 1.0)})
    world.deps = replace(world.deps, services=services)
    world.restart()
    put, refused, asked = world.store.put_if_absent, list[str](), list[int]()

    async def putting(key: str, content: bytes, kind: str) -> None:
        if key.endswith("provenance.json") and len(refused) < 3:
            refused.append(key)
            asked.append(len(world.metrics.queries))
            world.metrics.away = goes
            await services.look()
            raise Unavailable("the store has a hiccup")
        await put(key, content, kind)

    monkeypatch.setattr(world.store, "put_if_absent", putting)
    await world.run(lambda: any(trial.status.outcome for trial in world.trials()))
    (first,) = (trial for trial in world.trials() if trial.status.outcome)
    assert first.status.outcome == "Succeeded"
    assert [queries - asked[0] for queries in asked] == [0, 1, 2], "by the look at the services"
    found = record(world, first.name)
    assert found.cpu.database is not None
    assert "metrics.json" in found.artefacts


async def test_what_was_away_before_its_samples_were_stored_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Prometheus was away, came back for the samples, and is away once more."""
    world = campaign(stepDeadlines={"archive": "2m"})
    services = Services({"Prometheus": lambda: world.metrics.raw("nothing", 0.0, 1.0)})
    world.deps = replace(world.deps, services=services)
    world.restart()
    put, refused = world.store.put_if_absent, list[str]()

    async def putting(key: str, content: bytes, kind: str) -> None:
        if key.endswith("provenance.json") and not refused:
            refused.append(key)
            world.metrics.away = True
            await services.look()
            raise Unavailable("the store has a hiccup")
        await put(key, content, kind)

    monkeypatch.setattr(world.store, "put_if_absent", putting)
    await world.run(world.running())
    world.metrics.away = True
    await world.settle(MINUTES)
    world.metrics.away = False
    await world.run(lambda: bool(refused))
    began = world.clock.unix()
    await world.run(lambda: any(trial.status.outcome for trial in world.trials()))
    (first,) = (trial for trial in world.trials() if trial.status.outcome)
    assert first.status.outcome == "Succeeded"
    assert world.clock.unix() - began < 30


@pytest.mark.parametrize("has_samples", [False, True])
async def test_a_trial_over_which_operators_ended_goes_on_without_prometheus(
    has_samples: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the samples that are stored, if they are."""
    world = campaign()

    async def unread(
        deps: Deps, trial: Trial, seen: TrialSeen, patience: Patience
    ) -> TrialGathered:
        if has_samples:
            await gather.gather(deps, trial, seen, patience)
        world.metrics.queries.clear()
        found = await gather.gather(deps, trial, seen, "none")
        assert world.metrics.queries == []
        return found

    monkeypatch.setattr("encbench.reconcile.effects.trial.gather", unread)
    await world.run(lambda: any(trial.status.outcome for trial in world.trials()))
    (first,) = (trial for trial in world.trials() if trial.status.outcome)
    assert first.status.outcome == ("Succeeded" if has_samples else "Invalid")
    said = first.status.message or ""
    assert has_samples or "could not be read: the operator ended while it read" in said


def hindrances(world: World) -> set[str]:
    """Reasons of what was in the way of the campaign or its report."""
    reasons = {"NotStored", "RecordLost", "ReportRefused"}
    return reasons & {one.reason for one in world.cluster.events if one.kind == CAMPAIGN}


async def test_a_store_that_takes_nothing_more_ends_the_campaign() -> None:
    world = campaign(stepDeadlines={"archive": "5m"}, activeDeadlineSeconds=3600)
    await world.run(world.running())
    world.store.away = True
    await world.run(world.ended, limit=50_000, seconds=5 * 3600)
    outcomes = {(t.status.outcome, t.status.reason) for t in world.trials()}
    assert outcomes == {("Failed", "ArchiveTimeout")}
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "ReportFailed"
    assert "the fake store is away" in failed.message
    assert hindrances(world) == {"NotStored"}


async def test_a_report_that_cannot_be_written_is_tried_ever_less_often() -> None:
    world = campaign(stepDeadlines={"archive": "1h"})
    await world.run(lambda: len(world.trials()) == 2 and all(archived(t) for t in world.trials()))
    lost = next(key for key in world.store.objects if key.endswith("trial.json"))
    del world.store.objects[lost]
    calls = len(world.store.calls)
    await world.run(world.ended, limit=50_000, seconds=3 * 3600)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "ReportFailed"
    assert lost in failed.message
    assert hindrances(world) == {"RecordLost"}
    attempts = [call for call in world.store.calls[calls:] if call.key.endswith("index.json")]
    # Some of them are the sweep's, every two minutes.
    assert 10 < len(attempts) < 90, "an attempt every five seconds would be 720"


async def test_a_report_of_another_owner_ends_the_campaign_and_is_named() -> None:
    world = campaign(stepDeadlines={"archive": "5m"})
    other = manifests.body(OVERHEAD_REPORT, NAME, SPACE)
    other["metadata"]["ownerReferences"] = [owner_reference(CAMPAIGN, "other", manifests.UID)]
    world.cluster.add(OVERHEAD_REPORT, other)
    await world.run(world.ended, limit=50_000, seconds=3600)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "ReportFailed"
    assert f"OverheadReport {NAME} already exists and has another owner" in failed.message
    assert hindrances(world) == {"ReportRefused"}


FAULT = "a fault of the operator's own, ValueError in "


@pytest.mark.parametrize("fault", [ValueError, KeyError, IndexError])
async def test_a_report_that_a_fault_of_ours_prevents_waits_for_another_version(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*_: Any) -> None:
        raise fault("s3cr3t")

    world = campaign(stepDeadlines={"archive": "5m"})
    with monkeypatch.context() as patched:
        patched.setattr("encbench.reconcile.campaign.publish.build", odd)
        await world.run(lambda: "the report: a fault" in world.campaign().status.step)
        await world.settle(60 * MINUTES)
    assert not world.ended()
    hindered = find(world.campaign().status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.status, hindered.reason) == ("True", "Fault")
    assert FAULT.replace("ValueError", fault.__name__) in hindered.message
    assert "s3cr3t" not in hindered.message
    await world.run(world.ended, limit=50_000, seconds=3600)
    complete = find(world.campaign().status.conditions, "Complete")
    assert complete is not None
    assert complete.status == "True"
    assert_sound(world)


async def test_a_fault_of_ours_keeps_no_report_waiting_beyond_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def odd(*_: Any) -> None:
        raise ValueError

    monkeypatch.setattr("encbench.reconcile.campaign.publish.build", odd)
    world = campaign(stepDeadlines={"archive": "5m"}, activeDeadlineSeconds=7200)
    await world.run(world.ended, limit=50_000, seconds=3 * 3600)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "ReportFailed"
    assert FAULT in failed.message
    assert world.campaign().status.completion_time is not None


async def test_a_report_that_takes_too_much_memory_ends_the_campaign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel kills each process that is at it, and none has a problem to tell the next."""

    def large(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr("encbench.reconcile.campaign.publish.build", large)
    world = campaign(stepDeadlines={"archive": "5m"})
    await world.run(world.ended, limit=50_000, seconds=3600)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "ReportFailed"
    assert "the operator ended twice while it wrote the report" in failed.message


@pytest.mark.parametrize(
    ("what", "reason"), [("trial.gather", "ArchiveTimeout"), ("agent.prove", "ProofTimeout")]
)
async def test_a_fault_of_ours_ends_a_trial_by_its_deadline(
    what: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = campaign(stepDeadlines={"archive": "5m"})
    await world.run(lambda: bool(world.trials()))

    async def odd(*_: Any, **__: Any) -> None:
        raise ValueError("s3cr3t")

    monkeypatch.setattr(f"encbench.reconcile.effects.{what}", odd)
    hindered: set[str] = set()

    def over() -> bool:
        (trial, *_) = world.trials()
        fact = find(trial.status.conditions, "Hindered")
        if fact is not None and fact.status == "True":
            hindered.add(fact.reason)
        return archived(trial)

    await world.run(over, limit=50_000, seconds=3600)
    (trial, *_) = world.trials()
    assert hindered == {"Fault"}, "neither the store nor the agent is to blame"
    assert (trial.status.outcome, trial.status.reason) == ("Failed", reason)
    assert FAULT in (trial.status.message or "")


def archived(trial: Trial) -> bool:
    return is_true(trial.status.conditions, "Archived")


async def test_the_api_server_is_away_for_two_minutes_in_mid_run(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    await world.cut_off(2 * MINUTES)
    assert await finish(world) == usual


@pytest.mark.parametrize("second", [2.0, 6.0, 9.0])
async def test_the_api_server_is_away_at_any_time(second: float, usual: FinalState) -> None:
    world = campaign()
    await world.settle(second)
    await world.cut_off(2 * MINUTES)
    assert await finish(world) == usual


async def test_the_operator_is_down_while_the_client_ends(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    world.restart(away=4 * MINUTES)
    await world.settle(4 * MINUTES)
    back = world.clock.time
    await world.run(lambda: record_is_there(world, trial.uid))
    assert world.clock.time - back <= 30
    assert await finish(world) == usual


def record_is_there(world: World, uid: str) -> bool:
    return any(key.endswith(f"{uid}/trial.json") for key in world.store.objects)


async def test_the_clients_are_told_late_and_start_then(usual: FinalState) -> None:
    world = campaign()
    await world.run(lambda: any(t.status.release_at for t in world.trials()))
    (trial,) = world.trials()
    told = trial.status.release_at
    world.restart(away=2 * MINUTES)
    await world.settle(2 * MINUTES)
    assert await finish(world) == usual
    late = record(world, trial.name).release_at
    assert told is not None
    assert late is not None
    assert 120 <= late - told < 160


async def test_without_an_api_server_the_clients_are_told_in_time(usual: FinalState) -> None:
    world = campaign()
    await world.run(lambda: any(t.status.release_at for t in world.trials()))
    (trial,) = world.trials()
    await world.cut_off(2 * MINUTES)
    assert await finish(world) == usual
    assert record(world, trial.name).release_at == trial.status.release_at


@pytest.mark.parametrize("known", [True, False])
async def test_a_load_may_last_as_long_as_it_could_go_on(known: bool) -> None:
    """Unless the Lease that shows the outage is lost."""
    world = campaign(stepDeadlines={"load": "10m"})
    usual = world.controllers.delays
    world.controllers.delays = replace(usual, load=15 * MINUTES)
    await world.run(
        lambda: any("-load" in one["metadata"]["name"] for one in world.cluster.all(POD))
    )
    world.controllers.delays = usual
    await world.cut_off(12 * MINUTES, known=known)
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete") is known
    failed = find(world.campaign().status.conditions, "Failed")
    assert known or (failed is not None and "LoadTimeout" in failed.message)


async def test_the_recorder_does_not_answer_for_a_while(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    world.recorder.away = True
    await world.settle(4)
    world.recorder.away = False
    assert await finish(world) == usual


async def test_the_agent_is_away_after_the_run(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    for server in world.agent.servers.values():
        server.away = True
    await world.settle(2 * MINUTES)
    (after,) = [t for t in world.trials() if t.name != trial.name]
    assert after.status.release_at is None, "the second proof comes before the next trial's start"
    for server in world.agent.servers.values():
        server.away = False
    assert await finish(world) == usual
    assert proofs(world, trial.name) == {"before": True, "after": True}


async def test_upload_urls_that_the_store_refuses_are_renewed(usual: FinalState) -> None:
    world = campaign()
    await world.run(world.running())
    (recorder,) = [r for r in world.recorder.recorders.values() if r.client.status == "running"]
    recorder.client.uploads = {
        name: f"{url.split('?')[0]}?expires={START}"
        for name, url in recorder.client.uploads.items()
    }
    assert await finish(world) == usual
    assert recorder.releases == 2


async def test_each_release_has_the_store_s_ca_of_then() -> None:
    """One that was renewed after the Job was made; the recorder knows the old one from it."""
    authority = "old"
    world = World(settings=lambda usual: replace(usual, store_authority=lambda: authority))
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (recorder,) = world.recorder.recorders.values()
    assert recorder.client.authority == "old"
    authority, late = "renewed", f"http://store.invalid/encbench/late?expires={START}"
    recorder.client.uploads = dict.fromkeys(recorder.client.uploads, late)
    await world.run(lambda: recorder.releases == 2)
    assert recorder.client.authority == "renewed"


async def test_upload_urls_outlive_their_run_by_an_hour() -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    (recorder,) = world.recorder.recorders.values()
    end = (trial.status.release_at or 0.0) + WARMUP + DURATION
    for url in recorder.client.uploads.values():
        assert 3600 <= float(url.partition("expires=")[2]) - end < 3601


async def test_an_artefact_that_is_not_what_the_recorder_stored_is_no_result() -> None:
    world = campaign()
    await world.run(world.running())
    (trial,) = world.trials()
    await world.run(lambda: any("client-0/summary.json" in key for key in world.store.objects))
    key = next(key for key in world.store.objects if key.endswith("client-0/output.log"))
    world.store.objects[key] += b"?"
    await world.run(world.ended)
    (broken,) = [t for t in world.trials() if t.name == trial.name]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "ArtefactsLost")
    assert broken.status.completion_time is not None
    assert is_true(world.campaign().status.conditions, "Complete")
    # No record says where it belongs.
    (key,) = [key for key in world.store.objects if key.endswith(INDEX)]
    trials = decode(IndexRecord, world.store.objects[key], key).trials
    (entry,) = [one for one in trials if not one.is_recorded]
    spec = broken.spec
    assert (entry.name, entry.block, entry.arm) == (broken.name, spec.block, spec.arm.name)
    assert (entry.cell, entry.workload, entry.concurrency) == (
        *(spec.cell, spec.workload_ref, spec.concurrency),
    )
    assert {one.arm for one in trials if one.is_recorded} == {None}


async def test_nothing_is_written_while_nothing_changes() -> None:
    world = campaign(suspend=True)
    await world.settle(60)
    before = len(world.cluster.writes)
    await world.settle(30 * MINUTES)
    assert len(world.cluster.writes) == before
    assert world.cluster.one(CAMPAIGN, "bench", "study")


@pytest.mark.parametrize(("most", "alone"), [(1000, False), (100, True)])
async def test_many_samples_are_there_one_trial_at_a_time(
    most: int, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory holds those of one interleaved block of many arms, and not of eight trials."""
    monkeypatch.setattr(gather, "MANY_SAMPLES", most)
    world, held = World(), set[bool]()
    raw = world.metrics.raw

    async def asked(selector: str, start: float, end: float) -> list[Series]:
        held.add(world.deps.long_block.locked())
        return await raw(selector, start, end)

    monkeypatch.setattr(world.metrics, "raw", asked)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert held == {alone}
    assert not world.deps.long_block.locked()
