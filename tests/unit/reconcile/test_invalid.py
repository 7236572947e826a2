"""Trials that do not count: why, what replaces them, and when a campaign gives up."""

from encbench.api.conditions import find, is_false, is_true
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import POD, TESTBED
from encbench.core.artefact import decode
from encbench.core.records import TrialRecord
from encbench.wire.files import LARGEST
from tests.unit.reconcile.accidents import once
from tests.unit.reconcile.clients import LINGER
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.world import SPACE, WARMUP, World, parts, study


async def test_a_mode_that_is_not_in_force_is_no_measurement() -> None:
    world = World()
    world.controllers.in_force["tde"] = EncryptionModeSpec()
    world.apply(*parts(), study("tde", blocks=2, replacements=1))
    await world.run(world.ended)
    await world.settle()

    tde = [t for t in world.trials() if t.spec.arm.name == "tde"]
    assert {(t.status.outcome, t.status.reason) for t in tde} == {("Invalid", "ProofFailed")}
    assert "is not proven" in (tde[0].status.message or "")
    assert len(tde) == 2, "one block and its one replacement"
    status = world.campaign().status
    failed = find(status.conditions, "Failed")
    assert failed is not None
    assert (status.phase, failed.reason) == ("Failed", "TooManyInvalidTrials")
    assert "oltp at 2 threads" in failed.message
    assert "what has to change in a spec needs a new campaign" in failed.message
    rows = {row.arm: row for row in report(world).status.rows}
    assert rows["tde"].overhead is None
    assert rows["tde"].verdict == "NoData"
    assert_sound(world)
    assert not leftovers(world)


async def test_the_testbed_of_such_a_mode_says_so_and_its_client_never_runs() -> None:
    world = World()
    world.controllers.in_force["tde"] = EncryptionModeSpec()
    world.apply(*parts(), study("tde", blocks=1, replacements=0))

    def proven() -> bool:
        return any(
            c["type"] == "Proven" and c["status"] == "False"
            for body in world.latest(TESTBED.kind, "-tde")
            for c in body.get("status", {}).get("conditions", ())
        )

    await world.run(proven)
    await world.run(world.ended)
    assert any(event.reason == "ModeNotInForce" for event in world.cluster.events)
    (tde,) = [t for t in world.trials() if t.spec.arm.name == "tde"]
    assert tde.status.release_at is None


async def test_a_log_that_is_too_large_is_left_in_the_bucket_and_its_trial_replaced() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, replacements=1))
    await world.run(lambda: any("client-0/summary" in key for key in world.store.objects))
    poisoned = next(key for key in world.store.objects if key.endswith("client-0/output.log"))
    world.store.objects[poisoned] = b"event\n" * (LARGEST // 6 + 1)
    await world.run(world.ended)
    await world.settle()
    (broken,) = [t for t in world.trials() if t.status.outcome != "Succeeded"]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "OutputTooLarge")
    assert f"{poisoned} has 16,777,218 bytes" in (broken.status.message or "")
    assert is_true(world.campaign().status.conditions, "Complete")
    assert_sound(world)


async def test_a_broken_block_is_replaced_as_a_whole_and_left_out_of_the_report() -> None:
    hit, world = once("plain", exit_code=1)
    await world.run(world.ended)
    await world.settle()
    (broken,) = [t for t in world.trials() if t.name in hit]
    assert (broken.status.outcome, broken.status.reason) == ("Failed", "ToolFailed")
    assert is_false(broken.status.conditions, "Measured")
    key = (broken.status.artefact_key or "").replace("trial.json", "client-0/output.log")
    assert b"FATAL" in world.store.objects[key], "its raw log is kept"
    assert is_true(world.campaign().status.conditions, "Complete")
    done = {(t.spec.block, t.spec.arm.name) for t in world.trials() if t.name not in hit}
    assert {(2, "plain"), (2, "plain-control")} <= done
    assert {row.blocks for row in report(world).status.rows} == {1}
    assert [(i.reason, i.count) for i in report(world).status.invalid] == [("ToolFailed", 1)]
    assert_sound(world)


async def test_too_many_ignored_errors_make_a_trial_invalid() -> None:
    hit, world = once("plain", errors=500)
    await world.run(world.ended)
    (broken,) = [t for t in world.trials() if t.name in hit]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "ErrorRate")
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_a_throttled_client_makes_a_trial_invalid() -> None:
    hit, world = once("plain", throttled=3.0)
    await world.run(world.ended)
    (broken,) = [t for t in world.trials() if t.name in hit]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "ClientThrottled")
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_load_from_outside_makes_a_trial_invalid_unless_it_is_allowed() -> None:
    for limit, reasons in ((0.5, [("ForeignLoad", 1)]), (1.0, [])):
        world = World()
        world.foreign = lambda run: 1.4 if run == 2 else 0.1
        world.apply(*parts(), study("plain", blocks=1, limits={"foreignCpu": limit}))
        await world.run(world.ended)
        assert world.campaign().status.phase == "Succeeded"
        assert [(i.reason, i.count) for i in report(world).status.invalid] == reasons
        assert_sound(world)


async def test_databases_that_are_not_idle_make_a_trial_invalid() -> None:
    world = World()
    world.idling = lambda run: 0.2 if run == 1 else 0.001
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert [(i.reason, i.count) for i in report(world).status.invalid] == [("NotIdle", 1)]
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_a_node_that_nobody_watches_is_recorded_as_not_measured() -> None:
    world = World()
    world.foreign = lambda _: 1.9
    usual = world.metrics.add

    def without_nodes(name: str, labels: object, samples: object) -> None:
        if name != "node_cpu_seconds_total":
            usual(name, labels, samples)  # type: ignore[arg-type]

    world.metrics.add = without_nodes  # type: ignore[method-assign]
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}
    for trial in world.trials():
        key = trial.status.artefact_key or ""
        cpu = decode(TrialRecord, world.store.objects[key], key).cpu
        assert (cpu.foreign, cpu.node) == ((), None)
        assert "foreign" in cpu.withheld
        assert cpu.idle is not None
        assert cpu.idle.cores < 0.01
        assert len(cpu.idle.testbeds) == 1


async def test_a_database_pod_deleted_in_the_window_is_a_disruption() -> None:
    hit, world = once("plain", exit_code=1)
    await world.run(lambda: bool(hit) and world.running(len(world.trials()))())
    trial = next(t for t in world.trials() if t.name in hit)
    await world.settle(3)
    world.cluster.remove(POD, SPACE, f"{trial.spec.testbed_ref.name}-0")
    await world.run(world.ended)
    (broken,) = [t for t in world.trials() if t.name in hit]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "Disrupted")
    assert world.campaign().status.phase == "Succeeded"
    assert_sound(world)


async def test_a_client_pod_deleted_in_the_window_is_a_disruption() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,) = world.trials()
    await world.settle(3)
    world.cluster.remove(POD, SPACE, f"{trial.name}-0-x")
    await world.run(world.ended)
    (broken,) = [t for t in world.trials() if t.name == trial.name]
    assert (broken.status.outcome, broken.status.reason) == ("Invalid", "Disrupted")
    assert world.campaign().status.progress.succeeded == 2
    await world.settle()
    assert_sound(world)
    assert not leftovers(world)


async def test_a_restart_between_the_proofs_is_a_disruption() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    await world.settle(3)
    for server in world.agent.servers.values():
        server.restart()
    await world.run(world.ended)
    outcomes = [(t.status.outcome, t.status.reason) for t in world.trials()]
    assert outcomes.count(("Invalid", "Disrupted")) == 1
    assert world.campaign().status.phase == "Succeeded"


async def test_a_testbed_that_fails_ends_the_campaign_and_stays_to_be_looked_at() -> None:
    world = World()
    image = parts()
    image[0]["spec"]["version"] = "10.6"
    world.apply(*image, study("plain", blocks=1))
    await world.run(world.ended)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TestbedFailed"
    assert "the image holds version 10.11.19-MariaDB but the template says 10.6" in failed.message
    assert len(world.cluster.all(TESTBED)) == 2
    assert not world.trials()
    assert {row.verdict for row in report(world).status.rows} == {"NoData"}


async def test_of_two_clients_one_that_fails_ends_its_trial_and_keeps_its_log() -> None:
    world = World()
    client = {"image": "sysbench:1.0", "resources": {"cpu": "1", "memory": "64Mi"}, "replicas": 2}
    world.apply(*parts(client=client), study("plain", blocks=1, replacements=1))
    await world.run(world.running())
    await world.settle(WARMUP + 1)
    (broken,) = [t for t in world.trials() if t.status.outcome is None and t.status.release_at]
    first, second = list(world.recorder.recorders.values())[-2:]
    first.cut()
    await world.settle(LINGER + 1)
    assert second.client.status != "running", "it is stopped"
    await world.run(world.ended)
    await world.settle()
    (ended,) = [t for t in world.trials() if t.status.outcome != "Succeeded"]
    assert ended.name == broken.name
    assert (ended.status.outcome, ended.status.reason) == ("Failed", "ToolFailed")
    key = (ended.status.artefact_key or "").replace("trial.json", "client-{}/output.log")
    logs = [
        world.store.objects[key.format(index)]
        for index in (0, 1)
        if key.format(index) in world.store.objects
    ]
    assert any(b"FATAL" in log for log in logs), "its raw log is kept"
    assert world.campaign().status.phase == "Succeeded", "its block was replaced"
    assert_sound(world)
