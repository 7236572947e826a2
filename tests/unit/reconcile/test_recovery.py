"""Recovery workloads in whole campaigns: the server is stopped on purpose, once, and comes back."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

from encbench.api.conditions import find, is_true
from encbench.core.figure_names import RECOVERY_SECONDS, STOP_SECONDS
from encbench.ports import Body
from encbench.reconcile.objects import Trial
from encbench.report.formats import summary
from tests.support.fake_agent import FakeServer, FakeStop
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.killing import WATCHES, Killer, Outcome, Write, killed_everywhere
from tests.unit.reconcile.oracle import final_state, leftovers, report
from tests.unit.reconcile.stopped import WRITES, crashing, finished, lose_client, stops
from tests.unit.reconcile.world import DURATION, WARMUP, World, parts, study


def record(world: World, trial: Trial, name: str = "trial.json") -> Body:
    key = next(k for k in world.store.objects if k.endswith(f"{trial.uid}/{name}"))
    return dict(json.loads(world.store.objects[key]))


def message(world: World) -> str:
    fact = find(world.campaign().status.conditions, "Accepted")
    assert fact is not None
    assert fact.status == "False"
    return fact.message


@pytest.mark.parametrize("stop", ["Crash", "Clean"])
async def test_every_trial_stops_its_server_once_and_times_its_way_back(stop: str) -> None:
    world = crashing(stop)
    seen: list[FakeStop] = []
    stops(world, lambda server, one: seen.append(one))
    await finished(world)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    trials = world.trials()
    assert len(trials) == len(seen) == 2
    assert {one.run for one in seen} == {trial.uid for trial in trials}
    for trial in trials:
        assert trial.status.outcome == "Succeeded", world.describe()
        assert trial.status.result is not None
        assert trial.status.result.extra == {RECOVERY_SECONDS: 2.0, STOP_SECONDS: 0.1}
        found = record(world, trial)
        own = next(one for one in seen if one.run == trial.uid)
        assert own.due == pytest.approx(found["releaseAt"] + WARMUP + DURATION, abs=0.01)
        recovery = found["recovery"]
        assert recovery["before"]["processId"] != recovery["after"]["processId"]
        assert recovery["redoBytes"] == 4 << 20
        assert bool(recovery["lines"]) == (stop == "Crash")
        raw = record(world, trial, "recovery.json")
        assert raw["ok"]
        assert f"as process {recovery['after']['processId']}" in raw["log"][0]
        assert raw["agent"]["recoverySeconds"] == 2.0
        assert "recovery.json" in found["artefacts"]


async def test_the_load_before_is_measured_in_its_window_though_the_client_was_cut_off() -> None:
    world = await finished(crashing())
    for trial in world.trials():
        found = record(world, trial)
        assert found["window"]["end"] - found["window"]["start"] == pytest.approx(DURATION)
        assert found["result"]["tps"] == pytest.approx(1000, rel=0.01)
        assert "latencyP95Ms" not in found["result"]
        assert "client-0/output.log" in found["artefacts"]
        assert find(trial.status.conditions, "Measured").message == (  # type: ignore[union-attr]
            "the server's stop has cut off every client"
        )


async def test_others_are_told_from_a_client_that_lost_its_server() -> None:
    world = crashing()
    world.foreign = lambda run: 1.6 if run == 1 else 0.0
    await finished(world)
    reasons = {trial.status.reason: trial for trial in world.trials()}
    assert set(reasons) == {"ForeignLoad", None}, world.describe()
    calm = record(world, reasons[None])["cpu"]
    assert "foreign" not in calm["withheld"]
    assert all(one["cores"] < 0.1 for one in calm["foreign"]), "our own client is not foreign"


async def test_the_mode_is_proven_before_and_after_the_stop() -> None:
    world = await finished(crashing(modes=("tde",)))
    for trial in world.trials():
        proofs = record(world, trial, "proofs.json")
        assert proofs["before"]["ok"]
        assert proofs["after"]["ok"]
        assert trial.status.server_restarted is not None
        assert trial.status.server_started is not None
        assert trial.status.server_restarted > trial.status.server_started
        assert record(world, trial)["serverStarted"] == trial.status.server_started


async def test_a_mode_that_does_not_come_back_is_seen() -> None:
    world = crashing(modes=("tde",))
    plain = FakeServer(token="").in_force

    def change(server: FakeServer, _: FakeStop) -> None:
        server.in_force = plain

    stops(world, change)
    await finished(world)
    ends = {(t.spec.arm.name, t.status.outcome, t.status.reason) for t in world.trials()}
    assert ("tde", "Invalid", "ProofFailed") in ends
    assert {outcome for arm, outcome, _ in ends if arm.startswith("plain")} <= {"Succeeded"}


async def test_a_crash_after_which_nothing_was_recovered_does_not_count() -> None:
    world = crashing()
    world.controllers.silent = True
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Invalid", "NoRecovery")
        assert "no line of a recovery" in (trial.status.message or "")
        assert record(world, trial, "recovery.json")["log"]
        assert "client-0/output.log" in record(world, trial)["artefacts"]


async def test_a_clean_stop_after_which_something_was_recovered_does_not_count() -> None:
    world = crashing("Clean")
    world.controllers.talkative = True
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Invalid", "NotClean")
        assert "Starting crash recovery" in (trial.status.message or "")


async def test_a_second_restart_is_a_disruption() -> None:
    world = crashing()

    def change(server: FakeServer, stop: FakeStop) -> None:
        back = server.stop_seconds + server.restart_seconds + server.recovery_seconds
        world.timeline.at(stop.due + back + 0.6, lambda: server.restart(5.0))

    stops(world, change)
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Invalid", "Disrupted")
        assert trial.status.message == "the server restarted while the trial ran"


async def test_a_restart_before_the_stop_is_a_disruption() -> None:
    world = crashing()
    stops(world, lambda server, stop: stop.before.update(startedAt=server.started_at + 9))
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Invalid", "Disrupted")
        assert "before it was stopped on purpose" in (trial.status.message or "")


async def test_a_stop_that_came_late_does_not_count() -> None:
    world = crashing()
    stops(world, lambda _, stop: setattr(stop, "late", 3.5))
    await finished(world)
    assert {t.status.reason for t in world.trials()} == {"Disrupted"}


async def test_a_server_that_does_not_come_back_gives_no_result() -> None:
    world = crashing(stepDeadlines={"recovery": "30s"})
    stops(world, lambda server, _: setattr(server, "lost", True))
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Failed", "RecoveryFailed")
        assert "did not answer within 30 s" in (trial.status.message or "")
        assert not record(world, trial, "recovery.json")["ok"]


async def test_an_agent_that_never_says_what_came_of_the_stop_gives_no_result() -> None:
    world = crashing(stepDeadlines={"recovery": "30s"})

    def falls_silent(server: FakeServer, stop: FakeStop) -> None:
        for moment, away in ((stop.due, True), (stop.due + 120, False)):
            world.timeline.at(moment, partial(setattr, server, "away", away))

    stops(world, falls_silent)
    await finished(world)
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Failed", "RecoveryFailed")
        assert "cannot be reached" in (trial.status.message or "")
        assert record(world, trial)["reason"] == "RecoveryFailed"


async def test_an_operator_that_was_away_until_the_load_was_over_stops_nothing() -> None:
    world = crashing(replacements=1)
    seen: list[FakeStop] = []
    stops(world, lambda server, one: seen.append(one))
    world.agent.stop = _dies_first(world)  # type: ignore[method-assign]
    await finished(world)
    ends = [(t.status.outcome, t.status.reason) for t in world.trials()]
    assert ends.count(("Invalid", "NotUnderLoad")) == 1
    assert world.campaign().status.phase == "Succeeded", world.describe()
    assert len(seen) == len(ends) - 1


async def test_an_operator_that_comes_back_after_the_stop_was_due_orders_none() -> None:
    world = crashing(replacements=1)
    seen: list[FakeStop] = []
    stops(world, lambda server, one: seen.append(one))
    world.agent.stop = _dies_first(world, away=WARMUP + DURATION + 6)  # type: ignore[method-assign]
    await finished(world)
    (late,) = [t for t in world.trials() if t.status.outcome != "Succeeded"]
    assert (late.status.outcome, late.status.reason) == ("Invalid", "Disrupted")
    assert late.status.message == "operator or agent was away when the server was to be stopped"
    assert late.uid not in {one.run for one in seen}
    assert world.campaign().status.phase == "Succeeded", "its block was replaced"


def _dies_first(world: World, away: float = 120.0) -> Any:
    """The first attempt to arm kills the operator, which comes back after the load's own end."""
    usual, died = world.agent.stop, False

    async def stop(*args: Any, **kwargs: Any) -> Any:
        nonlocal died
        if not died:
            died = True
            restart = world.restart

            def late(place: int = 0) -> None:
                world.restart = restart  # type: ignore[method-assign]
                restart(place, away=away)

            world.restart = late  # type: ignore[assignment]
            raise Killed
        return await usual(*args, **kwargs)

    return stop


async def test_a_tool_that_fails_before_the_stop_does_not_count() -> None:
    """Whether the operator looks before the stop or only after it."""
    world = crashing(blocks=3)
    world.plan = lambda _, usual: replace(usual, exit_code=1, margin=-3, lines=5)
    await finished(world)
    ends = {(t.status.outcome, t.status.reason) for t in world.trials()}
    assert ends <= {("Failed", "ToolFailed"), ("Invalid", "NotUnderLoad")}
    assert ("Invalid", "NotUnderLoad") in ends


@pytest.mark.parametrize("old", [False, True], ids=["new", "old"])
async def test_a_trial_that_ends_early_leaves_no_stop_behind(old: bool) -> None:
    """Else its server would be stopped in the next trial's window."""
    world = crashing(replacements=1)
    seen: list[FakeStop] = []

    def change(server: FakeServer, stop: FakeStop) -> None:
        server.old = old
        if not seen:
            world.timeline.at(stop.due - DURATION / 2, lambda: lose_client(world, stop.run))
        seen.append(stop)

    stops(world, change)
    await finished(world)
    early = next(t for t in world.trials() if t.uid == seen[0].run)
    assert (early.status.outcome, early.status.reason) == ("Invalid", "Disrupted")
    assert seen[0].disarmed is not old
    other = next(t for t in world.trials() if t.uid == seen[1].run)
    back = seen[0].due + 0.1 + 1.5 + 2.0
    assert old is ((other.status.release_at or 0.0) > back), "only an old one is waited for"
    assert world.campaign().status.phase == "Succeeded", world.describe()


async def test_several_clients_are_all_cut_off() -> None:
    world = World()
    client = {
        "image": "sysbench:1.0",
        "resources": {"cpu": "200m", "memory": "64Mi"},
        "replicas": 2,
    }
    world.apply(*parts(recovery={"stop": "Crash"}, sysbench=WRITES, client=client))
    world.apply(study("plain", blocks=1, reset="trial", replacements=0))
    await finished(world)
    for trial in world.trials():
        assert trial.status.outcome == "Succeeded", world.describe()
        found = record(world, trial)
        assert found["result"]["tps"] == pytest.approx(1000, rel=0.01), "both together"
        assert len(found["clients"]) == 2


async def test_an_agent_that_is_away_for_a_while_is_waited_for() -> None:
    world = crashing()
    armed = 0

    def change(server: FakeServer, stop: FakeStop) -> None:
        nonlocal armed
        armed += 1
        world.timeline.at(stop.due - 1, lambda: setattr(server, "away", True))
        world.timeline.at(stop.due + 30, lambda: setattr(server, "away", False))

    stops(world, change)
    await finished(world)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}, world.describe()
    assert armed == 2


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("what", ["cluster", "store"])
async def test_killed_at_every_write_it_ends_the_same(what: str, after: bool) -> None:
    """A server is stopped once whatever happens to the operator, or its trial is run again."""

    async def run(targets: Sequence[Write]) -> Outcome:
        world, killer = crashing(), Killer(targets, after=after)
        seen: list[str] = []
        stops(world, lambda _, one: seen.append(one.run))
        WATCHES[what](world, killer)
        await finished(world)
        assert len(seen) == len(set(seen)) == 2
        return final_state(world), killer.log, killer.left

    undisturbed, _ = await killed_everywhere(run, runs=5)
    assert undisturbed.phase == "Succeeded"


async def test_a_store_that_is_away_loses_nothing() -> None:
    world = crashing()
    await world.run(world.running())
    world.store.away = True
    await world.run(lambda: any(is_true(t.status.conditions, "Recovered") for t in world.trials()))
    world.restart()
    await world.settle(60)
    world.store.away = False
    await finished(world)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}, world.describe()
    assert all(record(world, trial, "recovery.json")["ok"] for trial in world.trials())
    assert not leftovers(world)


async def test_the_report_tells_of_seconds_with_interval_noise_floor_and_verdict() -> None:
    world = crashing(modes=("tde",), blocks=6)
    drawn = Random(7)

    def change(server: FakeServer, _: FakeStop) -> None:
        usual = 3.0 if server.in_force.tde else 2.0
        server.recovery_seconds = round(usual * drawn.uniform(0.98, 1.02), 3)

    stops(world, change)
    await finished(world)
    rows = {row.arm: row for row in report(world).status.rows}
    by_block: dict[int, dict[str, float]] = {}
    for trial in world.trials():
        found = record(world, trial)
        arm = by_block.setdefault(trial.spec.block, {})
        arm[trial.spec.arm.name] = found["recovery"]["recoverySeconds"]
    # Both arms of the baseline are what the treatment is compared with.
    logs = [
        math.log(arms["tde"] / math.sqrt(arms["plain"] * arms["plain-control"]))
        for arms in by_block.values()
    ]
    tde = rows["tde"]
    assert tde.blocks == len(logs) == 6
    assert tde.recovery_overhead is not None
    assert tde.recovery_overhead.estimate == pytest.approx(math.expm1(fmean(logs)), abs=1e-5)
    half = 2.570582 * stdev(logs) / math.sqrt(6)
    assert tde.recovery_overhead.low == pytest.approx(math.expm1(fmean(logs) - half), abs=1e-5)
    assert tde.recovery_overhead.high == pytest.approx(math.expm1(fmean(logs) + half), abs=1e-5)
    assert tde.verdict == "Overhead"
    own = math.exp(fmean(math.log(arms["tde"]) for arms in by_block.values()))
    assert tde.recovery_seconds == pytest.approx(own, rel=1e-5)
    assert tde.redo_mib == 4.0
    assert tde.tps == pytest.approx(900, rel=0.01)
    assert tde.overhead is None, "TPS before the stop is told and not judged"
    assert rows["plain-control"].verdict == "NoiseFloor"
    status = report(world).status
    assert status.noise_floor is not None
    assert status.noise_floor < 0.1
    assert "longer to answer again (" in status.headline
    assert "s from start to first answer)" in status.headline
    assert status.overhead.endswith(" recovery time")

    texts = {
        name.rsplit("/", 1)[-1]: content.decode()
        for name, content in world.store.objects.items()
        if "/report/report." in name
    }
    assert (
        "start to first answer, s: plain | … tde | … increase = tde/plain − 1" in texts["report.md"]
    )
    assert "log to recover, MiB" in texts["report.md"]
    assert "### Latency" not in texts["report.md"]
    said = summary.text(status)
    assert "RECOVERY S" in said
    assert "CPU MS/TX" not in said
    assert re.search(r"small +oltp +2 +tde +[23]\.\d{3} +\+5\d\.\d %", said)
    header, *lines = texts["report.csv"].splitlines()
    place = header.split(",").index("recovery_seconds_increase_fraction_arm_over_baseline_minus_1")
    cells = {line.split(",")[3]: line.split(",")[place] for line in lines}
    assert float(cells["tde"]) == pytest.approx(tde.recovery_overhead.estimate)
    assert cells["plain"] == ""
    (group,) = json.loads(texts["report.json"])["groups"]
    assert group["primary"] == "recovery"
    assert list(group["noiseFloors"]) == ["recovery"]


async def test_precision_is_planned_by_the_seconds() -> None:
    world = crashing(
        blocks={"min": 4, "max": 6, "maxReplacements": 0}, precision={"targetHalfWidth": 0.001}
    )
    drawn = Random(3)
    stops(world, lambda s, _: setattr(s, "recovery_seconds", round(drawn.uniform(1, 3), 3)))
    await finished(world)
    (plan,) = world.campaign().status.block_plans
    assert plan.planned_blocks == 6
    assert plan.spread is not None
    assert plan.spread > 0.1, "TPS would be as steady as the simulated clients are"


async def test_without_a_reset_for_every_trial_it_is_refused() -> None:
    world = crashing(reset="block")
    await world.settle(30)
    assert "Workload oltp: every recovery must start from the same data" in message(world)
    assert "write reset: trial in the campaign" in message(world)


async def test_an_external_database_is_not_stopped() -> None:
    world = World()
    instance, *others = parts(recovery={"stop": "Crash"}, sysbench=WRITES)
    for field in ("image", "resources", "storage", "settings", "placement"):
        instance["spec"].pop(field, None)
    instance["spec"]["external"] = {
        "host": "db.example.com",
        "port": 3306,
        "database": "sbtest",
        "credentialsSecretRef": {"name": "login"},
    }
    world.apply(instance, *others, study("plain", blocks=1))
    await world.settle(30)
    said = message(world)
    assert "encbench cannot stop an external server" in said
    assert "reset: trial" not in said
