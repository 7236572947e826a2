"""Clocks that are wrong, or are set in a window: right figures or none.

A client's, and the operator's against everyone else's, the API server's and Prometheus' included.
The agent's is in `test_interleaved`, Prometheus' own in tests/unit/adapters and in `test_series`.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import SECRET
from encbench.api.trial import Window
from encbench.core.artefact import decode, encode
from encbench.core.evidence import AgentClockFacts, TrialProofsRecord
from encbench.core.naming import credentials_name
from encbench.core.records import MetricsRecord, TrialRecord
from encbench.kube.secrets import secret
from encbench.ports import Metrics, Series, SeriesSource, Unavailable
from encbench.reconcile.trial import clocks, series
from encbench.reconcile.trial.facts import clock_offset, run_facts
from encbench.reconcile.trial.series import MetricsPlace
from encbench.wire.sidecar import AUTHORITY, TOKEN, entry_name
from tests.support import sidecars
from tests.support.fake_recorder import FakeClient, FakeRecorder
from tests.unit.reconcile.driver import Operator
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.seen import a_trial, saw
from tests.unit.reconcile.timeline import START, SimClock
from tests.unit.reconcile.world import DURATION, SPACE, WARMUP, World, parts, study


async def records(skew: float) -> tuple[World, list[TrialRecord]]:
    world = World()
    world.plan = lambda trial, usual: replace(usual, skew=skew)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert world.clock.time - START < 120, "no step waits for another clock"
    assert_sound(world)
    found = [(t.status.artefact_key or "") for t in world.trials()]
    return world, [decode(TrialRecord, world.store.objects[key], key) for key in found]


@pytest.mark.parametrize("skew", [300.0, -300.0, 1.0, -0.5])
async def test_the_offset_is_recorded_and_nothing_else_changes(skew: float) -> None:
    _, right = await records(0.0)
    _, wrong = await records(skew)
    for one, other in zip(right, wrong, strict=True):
        offset = other.clients[0].clock_offset
        assert offset is not None
        assert offset.seconds == pytest.approx(skew, abs=0.001)
        assert offset.round_trip == 0.0, "nothing takes time here"
        assert other.clients[0].began == pytest.approx(one.clients[0].began, abs=0.1)
        assert other.window is not None
        assert one.window is not None
        assert other.window.start == pytest.approx(one.window.start, abs=0.1)
        assert other.window.end - other.window.start == pytest.approx(DURATION)
        assert other.cpu.database is not None
        assert one.cpu.database is not None
        assert other.cpu.database.cores == pytest.approx(one.cpu.database.cores)
        assert other.result is not None
        assert one.result is not None
        assert other.result.tps == one.result.tps


async def test_a_late_start_is_no_other_clock() -> None:
    """A client that starts 5 s late is measured where it ran, not where it was to run."""
    world = World()
    world.plan = lambda trial, usual: replace(usual, late=5.0)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    found = [(t.status.artefact_key or "", t) for t in world.trials()]
    for key, trial in found:
        record = decode(TrialRecord, world.store.objects[key], key)
        assert record.clients[0].clock_offset is not None
        assert record.clients[0].clock_offset.seconds == 0.0
        assert record.window is not None
        assert trial.status.release_at is not None
        assert record.clients[0].began == pytest.approx(trial.status.release_at + 5.0, abs=0.3)
        first = trial.status.release_at + 5.0 + WARMUP
        assert record.window.start == pytest.approx(first, abs=0.3)


def test_an_offset_that_the_round_trip_explains_is_none() -> None:
    asked, answered = (datetime.fromtimestamp(at, UTC) for at in (1000.0, 1000.4))
    for told in (1000.01, 1000.2, 1000.39):
        assert clock_offset(told, asked, answered) == {"seconds": 0.0, "roundTrip": 0.4}
    assert clock_offset(1000.41, asked, answered)["seconds"] == pytest.approx(0.21)
    assert clock_offset(999.99, asked, answered)["seconds"] == pytest.approx(-0.21)


def test_the_offset_is_that_in_the_middle_of_the_round_trip() -> None:
    asked = datetime.fromtimestamp(1000.0, UTC)
    answered = datetime.fromtimestamp(1000.4, UTC)
    client = FakeClient("token", status="waiting", clock_offset=7.0)
    recorder = FakeRecorder({"here": client}, clock=lambda: 1000.1)
    state = asyncio.run(recorder.state("here", sidecars.access("token", "recorder")))
    found = run_facts(state, asked, answered).clock
    assert found == pytest.approx({"seconds": 6.9, "roundTrip": 0.4})


@pytest.mark.parametrize(
    ("apart", "set_by", "took"),
    [
        (-0.29, 0.0, (0.3, 0.01)),
        (-2.5, 0.0, (3.0, 0.01)),
        (0.3, 0.0, (0.5, 0.01)),
        (0.3, 2.0, (0.5, 0.01)),
        (0.0, -4.0, (3.0, 0.01)),
        (-0.29, 0.0, (0.01, 0.3)),
    ],
)
async def test_a_clock_that_is_always_so_far_off_was_not_set(
    apart: float, set_by: float, took: tuple[float, float]
) -> None:
    """An agent looks at its clock last: one question may hide what another shows."""
    before = read_at(1000.0, apart, took[0])
    found = await moved(before, 1010.0, apart - set_by, took[1])
    assert found == pytest.approx(set_by, abs=sum(took))
    assert bool(found) == bool(set_by)


@pytest.mark.parametrize(
    ("rate", "span", "set_by"),
    [(0.0005, 900.0, 0.0), (-0.0005, 900.0, 0.0), (0.00003, 4 * 3600.0, 0.0), (0.0, 900.0, 3.0)],
)
async def test_a_clock_that_is_adjusted_smoothly_was_not_set(
    rate: float, span: float, set_by: float
) -> None:
    """Samples may wait long for Prometheus, or for a sibling."""
    before = read_at(1000.0, 0.0, 0.02)
    found = await moved(before, 1000.0 + span, -rate * span - set_by, 0.01)
    assert found == pytest.approx(set_by, abs=0.02)
    assert bool(found) == bool(set_by)


def read_at(asked: float, apart: float, took: float) -> AgentClockFacts:
    """What an agent showed at the end of a question that took so long."""
    began, ended = (datetime.fromtimestamp(at, UTC) for at in (asked, asked + took))
    return clocks.reading(asked + took + apart, began, ended)


async def moved(before: AgentClockFacts, asked: float, apart: float, took: float) -> float | None:
    """What is found if the agent is asked then, and answers so late by a clock so far off."""
    world, clock = World(), SimClock(asked)
    trial = a_trial()
    meta = {"name": credentials_name(trial.spec.testbed_ref.name), "namespace": trial.namespace}
    entries = {entry_name("agent", TOKEN): "token", AUTHORITY: "authority"}
    world.cluster.add(SECRET, secret(meta, entries))

    async def room(*_: object) -> dict[str, float]:
        clock.time += took
        return {"clock": clock.time + apart}

    deps = replace(world.deps, clock=clock, agent=cast(Any, SimpleNamespace(room=room)))
    return await clocks.apart(deps, trial, saw(), before)


@dataclass
class OperatorsClock:
    """The operator's, ahead of everyone else's."""

    true: SimClock
    ahead: float = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.true.time + self.ahead, UTC)


@dataclass
class OfTheirTime:
    """Prometheus as its adapter shows it: the times of samples are by the operator's clock."""

    metrics: Metrics
    clock: OperatorsClock

    async def timed(self) -> SeriesSource:
        return self

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        ahead = self.clock.ahead
        found = await self.metrics.raw(selector, start - ahead, end - ahead)
        return [
            Series(one.labels, tuple((at + ahead, value) for at, value in one.samples))
            for one in found
        ]

    async def check(self) -> None:
        await self.metrics.check()


def with_clock(ahead: float, **spec: Any) -> tuple[World, OperatorsClock]:
    """A world whose operator's clock is ahead by that."""
    world = World()
    clock = OperatorsClock(world.clock, ahead)
    metrics = OfTheirTime(world.deps.metrics, clock)
    world.deps = replace(world.deps, clock=clock, metrics=metrics)
    world.operators = [Operator(world.deps, world.clock, [SPACE], events=True)]
    world.apply(*parts(), study("plain", blocks=1, **spec))
    return world, clock


def measured(world: World) -> list[TrialRecord]:
    keys = [trial.status.artefact_key or "" for trial in world.trials()]
    return [decode(TrialRecord, world.store.objects[key], key) for key in keys if key]


@pytest.mark.parametrize("ahead", [300.0, -300.0])
async def test_an_operator_whose_clock_is_wrong(ahead: float) -> None:
    _, right = await records(0.0)
    world, _ = with_clock(ahead)
    await world.run(world.ended)
    assert world.clock.time - START < 120, "no step waits for another clock"
    for one, other in zip(right, measured(world), strict=True):
        assert (other.outcome, other.reason) == ("Succeeded", None), other.message
        assert other.window is not None
        assert other.window.end - other.window.start == pytest.approx(DURATION)
        assert other.clients[0].clock_offset is not None
        assert other.clients[0].clock_offset.seconds == pytest.approx(-ahead, abs=0.001)
        assert_same_figures(one, other)


async def once_measured(world: World) -> str:
    """The name of the first trial, between the end of its run and its record."""

    def ended() -> list[str]:
        return [
            trial.name
            for trial in world.trials()
            if find(trial.status.conditions, "Measured") and not trial.status.outcome
        ]

    await world.run(lambda: bool(ended()))
    (name,) = ended()
    return name


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("step", [300.0, 6.0, -6.0, -300.0])
async def test_an_operator_whose_clock_is_set_before_the_samples_are_read(
    step: float, is_killed: bool
) -> None:
    """Or another takes over, whose clock is another."""
    _, right = await records(0.0)
    world, clock = with_clock(0.0)
    struck = await once_measured(world)
    clock.ahead = step
    if is_killed:
        world.restart()
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    found = {record.trial.name: record for record in measured(world)}
    assert (found[struck].outcome, found[struck].reason) == ("Invalid", "ClockSet")
    for record in found.values():
        if record.outcome == "Succeeded":
            assert_same_figures(
                next(one for one in right if one.spec.arm == record.spec.arm), record
            )


@pytest.mark.parametrize("is_killed", [False, True])
async def test_an_agent_that_is_silent_then(
    is_killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures that may be of another time are withheld, unless the clients have shown it."""
    world, _ = with_clock(0.0, stepDeadlines={"archive": "60s"})
    struck = await once_measured(world)

    async def silent(*_: object) -> NoReturn:
        raise Unavailable("no agent answers")

    monkeypatch.setattr(world.agent, "room", silent)
    reads, read = list[str](), series.read

    async def counted(metrics: Metrics, place: MetricsPlace, window: Window) -> MetricsRecord:
        reads.append(place.testbed)
        return await read(metrics, place, window)

    monkeypatch.setattr(series, "read", counted)
    if is_killed:
        world.restart()

    def own() -> list[TrialRecord]:
        return [one for one in measured(world) if one.trial.name == struck]

    await world.run(lambda: bool(own()), limit=20_000)
    (record,) = own()
    if not is_killed:
        assert record.outcome == "Succeeded"
        assert reads.count(record.spec.testbed_ref.name) == 1
        return
    assert record.spec.testbed_ref.name not in reads, "a whole window, at each attempt"
    assert (record.outcome, record.reason) == ("Invalid", "SeriesLost")
    assert "operator's clock was set since the release is not known" in (record.message or "")


async def test_with_nothing_to_compare_it_is_taken_not_to_be_set() -> None:
    """An earlier version stored no agent's clock with the first proof, and a kill may lose it."""
    world, _ = with_clock(0.0)
    await world.run(world.running())
    (key,) = (key for key in world.store.objects if key.endswith("/proof-before.json"))
    proofs = decode(TrialProofsRecord, world.store.objects[key], key)
    assert proofs.clock is not None
    world.store.objects[key] = encode(proofs.model_copy(update={"clock": None}))
    await once_measured(world)
    world.restart()
    await world.run(world.ended)
    assert {record.outcome for record in measured(world)} == {"Succeeded"}


def assert_same_figures(right: TrialRecord, other: TrialRecord) -> None:
    assert right.result is not None
    assert other.result is not None
    assert other.result.tps == pytest.approx(right.result.tps, rel=0.01)
    assert right.cpu.database is not None
    assert other.cpu.database is not None
    assert other.cpu.database.cores == pytest.approx(right.cpu.database.cores)


@pytest.mark.parametrize("step", [300.0, 2.0, -2.0, -300.0])
async def test_an_operator_whose_clock_is_set_in_a_window(step: float) -> None:
    """Figures of that trial's are right, or there are none; the block is measured again."""
    _, right = await records(0.0)
    world, clock = with_clock(0.0)
    await world.run(world.running())
    struck = world.trials()[0].name
    world.timeline.after(WARMUP + DURATION / 2, lambda: setattr(clock, "ahead", step))
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    found = {record.trial.name: record for record in measured(world)}
    assert found[struck].outcome != "Succeeded", "whatever shows it first"
    valid = [record for record in found.values() if record.outcome == "Succeeded"]
    assert len(valid) >= 2
    for record in valid:
        assert_same_figures(next(one for one in right if one.spec.arm == record.spec.arm), record)
