"""A whole campaign in the simulated world."""

from encbench.api.conditions import is_true
from encbench.api.kinds import JOB
from encbench.core.artefact import decode
from encbench.core.records import TrialRecord
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.world import LOSS, World, parts, study


async def test_a_campaign_runs_to_its_end_and_leaves_a_report_and_nothing_else() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=2))
    await world.run(world.ended)
    await world.settle()

    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    assert (status.phase, status.step, status.progress.planned) == ("Succeeded", "done", 6)
    assert status.estimated_completion_time is None
    assert status.completion_time is not None
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}
    assert_sound(world)
    assert not leftovers(world)
    rows = {row.arm: row for row in report(world).status.rows}
    assert rows["tde"].blocks == 2
    assert rows["tde"].overhead is not None
    assert abs(rows["tde"].overhead.estimate - LOSS) < 0.01
    assert rows["tde"].database_cpu_percent is not None
    assert rows["tde"].node_cpu_percent is not None

    found = sorted((t.spec.block, t.spec.order, t.spec.arm.name, t.name) for t in world.trials())
    assert [place[:2] for place in found] == [(b, order) for b in (1, 2) for order in (1, 2, 3)]
    for block, order, arm, name in found:
        assert name.endswith(f"-t2-b{block:02d}-{order}-{arm}")


async def test_one_trial_at_a_time_holds_the_stage_and_archiving_overlaps_the_next() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    await world.run(world.ended)
    runs = sorted(world.trials(), key=lambda t: t.status.release_at or 0)
    windows = [t.status.window for t in runs]
    ends = [w.end for w in windows if w]
    starts = [t.status.release_at or 0 for t in runs]
    assert len(ends) == len(starts) == 3
    assert all(end < start < end + 5 for end, start in zip(ends[:-1], starts[1:], strict=True))


async def test_phases_and_steps_tell_people_how_far_it_is() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    seen: dict[str, list[str]] = {"campaign": [], "testbed": [], "trial": []}
    eta: list[bool] = []

    def look() -> bool:
        for kind, name in (("Campaign", "study"), ("Testbed", "-tde"), ("Trial", "-tde")):
            for body in world.latest(kind, name):
                phase = body.get("status", {}).get("phase")
                history = seen[kind.lower()]
                if phase and history[-1:] != [phase]:
                    history.append(phase)
                if kind == "Campaign":
                    eta.append("estimatedCompletionTime" in body.get("status", {}))
        return world.ended()

    await world.run(look)
    assert seen["campaign"] == ["Pending", "Running", "Succeeded"]
    assert seen["testbed"] == ["Provisioning", "Loading", "Proving", "Ready"]
    assert seen["trial"] == ["Preparing", "Running", "Collecting", "Succeeded"]
    assert True in eta
    assert not eta[-1]


async def test_two_instances_and_two_workloads_make_two_cells_one_after_the_other() -> None:
    world = World()
    campaign = study("plain", blocks=1)
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["small", "large"]
    large = parts()[0]
    large["metadata"]["name"] = "large"
    large["spec"]["resources"] = {"cpu": "2", "memory": "1Gi"}
    world.apply(*parts(), large, campaign)
    cells: list[set[str]] = []

    def look() -> bool:
        cells.append({b["spec"]["cell"] for b in world.latest("Testbed", "")})
        return world.ended()

    await world.run(look)
    await world.settle()
    assert max(len(found) for found in cells) == 1
    assert world.campaign().status.progress.succeeded == 4
    assert_sound(world)
    assert not leftovers(world)


async def test_several_clients_start_together_and_their_tps_is_summed() -> None:
    world = World()
    client = {"image": "tool:1", "resources": {"cpu": "1", "memory": "64Mi"}, "replicas": 3}
    load = {"concurrency": [6], "warmup": "2s", "duration": "6s"}
    world.apply(*parts(load=load, client=client), study("plain", blocks=1))
    await world.run(world.ended)
    for trial in world.trials():
        key = trial.status.artefact_key
        assert key is not None
        record = decode(TrialRecord, world.store.objects[key], key)
        assert len(record.clients) == 3
        assert record.result is not None
        assert abs(record.result.tps - 1000) < 5
    assert_sound(world)


async def test_the_jobs_of_a_campaign_are_its_trials_and_its_loads() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    jobs = {name for kind, name in world.cluster.created if kind == JOB.kind}
    loads = {name for name in jobs if name.endswith("-load")}
    assert jobs - loads == {trial.name for trial in world.trials()}
    assert len(loads) == 2
