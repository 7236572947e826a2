"""A pass that fails again and again is told in an Event about the object."""

import pytest

from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, JOB, SECRET, STATEFUL_SET, TESTBED, TRIAL, Kind
from encbench.kube.labels import owner_reference
from encbench.ports import Conflict, Rejected, Unavailable, WebhookFailed
from encbench.reconcile.failures import AGAIN, FIRST, REASON, Failures
from encbench.reconcile.loop import Key, Loop
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.scripts import SCRIPT
from tests.unit.reconcile.timeline import SimClock
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

SUBJECT = CAMPAIGN, "ns", "study"


@pytest.fixture
def cluster() -> FakeCluster:
    found = FakeCluster()
    found.add(CAMPAIGN, manifests.body(CAMPAIGN, "study", "ns"))
    return found


def a_fault() -> Exception:
    try:
        raise ValueError("s3cr3t")
    except ValueError as error:
        return error


async def test_it_is_told_once_after_some_failures_in_a_row(cluster: FakeCluster) -> None:
    failures = Failures(cluster)
    for _ in range(FIRST - 1):
        await failures.failed(SUBJECT, a_fault())
    assert not cluster.events
    for _ in range(AGAIN):
        await failures.failed(SUBJECT, a_fault())
    (told,) = cluster.events
    assert (told.kind, told.name, told.reason, told.warning) == (CAMPAIGN, "study", REASON, True)
    assert "a fault of the operator's own, ValueError in test_failures.py:" in told.note
    assert "s3cr3t" not in told.note, "the text of an exception may hold anything"
    await failures.failed(SUBJECT, a_fault())
    assert len(cluster.events) == 2, "after an hour the first one is gone"


async def test_a_good_pass_starts_anew(cluster: FakeCluster) -> None:
    failures = Failures(cluster)
    for _ in range(FIRST):
        for _ in range(FIRST - 1):
            await failures.failed(SUBJECT, a_fault())
        failures.passed(SUBJECT)
    assert not cluster.events


async def test_what_the_api_server_refuses_is_told_in_its_words(cluster: FakeCluster) -> None:
    failures = Failures(cluster)
    for _ in range(FIRST):
        await failures.failed(SUBJECT, Rejected("exceeded quota: cpu"))
    assert "cannot go on with it: exceeded quota: cpu" in cluster.events[0].note


@pytest.mark.parametrize("error", [Unavailable("away"), Conflict("changed")])
async def test_what_passes_by_itself_is_not_told(cluster: FakeCluster, error: Exception) -> None:
    failures = Failures(cluster)
    for _ in range(2 * FIRST):
        await failures.failed(SUBJECT, error)
    assert not cluster.events


async def test_a_webhook_that_does_not_answer_is_told(cluster: FakeCluster) -> None:
    failures = Failures(cluster)
    for _ in range(FIRST):
        await failures.failed(SUBJECT, WebhookFailed('failed calling webhook "guard.example"'))
    assert 'failed calling webhook "guard.example"' in cluster.events[0].note


QUOTA = "exceeded quota: bench"


@pytest.mark.parametrize(
    ("verb", "kind", "step", "said"),
    [
        ("apply", STATEFUL_SET, "provision", f"its objects could not be created: {QUOTA}"),
        ("create", JOB, "load", f"the load's Job could not be created: {QUOTA}"),
    ],
)
async def test_a_testbed_says_what_refuses_its_objects(
    verb: str, kind: Kind, step: str, said: str
) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, stepDeadlines={step: "20s"}))
    for _ in range(50):
        world.cluster.fail_next(Rejected(QUOTA), verb=verb, kind=kind)
    await world.run(world.ended)
    fact = find(world.campaign().status.conditions, "Failed")
    assert fact is not None
    assert said in fact.message


async def test_a_campaign_says_which_name_is_taken_until_it_is_free() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    other = owner_reference(CAMPAIGN, "other", "other")
    ca = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"{NAME}-ca", "namespace": SPACE, "ownerReferences": [other]},
    }
    world.cluster.add(SECRET, ca)
    await world.settle(60)
    hindered = find(world.campaign().status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.status, hindered.reason) == ("True", "NotCreated")
    assert f"Secret {NAME}-ca already exists and has another owner" in hindered.message
    assert not world.cluster.all(TESTBED)
    world.cluster.remove(SECRET, SPACE, f"{NAME}-ca")
    await world.run(world.ended)
    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    assert not is_true(status.conditions, "Hindered")


async def test_a_campaign_without_a_plan_says_what_refuses_the_copy_of_its_script() -> None:
    world = World()
    sysbench = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    script = manifests.config_map("mine", SPACE, **{"mine.lua": SCRIPT})
    world.apply(script, *parts(sysbench=sysbench), study("plain", blocks=1))
    for _ in range(20):
        world.cluster.fail_next(Rejected(QUOTA), verb="create", kind=CONFIG_MAP)
    await world.settle(20)
    hindered = find(world.campaign().status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.reason, hindered.message) == ("NotCreated", QUOTA)
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")


async def test_a_trial_says_what_refuses_its_clients_and_forgets_it() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, stepDeadlines={"start": "10s"}))
    await world.run(lambda: len(world.latest("Job", "-load")) == 2)
    for _ in range(6):
        world.cluster.fail_next(Rejected(QUOTA), verb="create", kind=JOB)
    await world.run(world.ended)
    ends = {one.status.message for one in world.trials() if one.status.outcome != "Succeeded"}
    assert ends == {f"the clients' Job could not be created: {QUOTA}"}, world.describe()


GUARD = 'failed calling webhook "guard.example": the certificate has expired'


@pytest.mark.parametrize(
    ("verb", "kind", "bearer"),
    [
        ("create", SECRET, CAMPAIGN),
        ("create", TESTBED, CAMPAIGN),
        ("apply", STATEFUL_SET, TESTBED),
        ("create", JOB, TESTBED),
        ("create", TRIAL, CAMPAIGN),
    ],
)
async def test_a_campaign_says_which_webhook_is_in_its_way(
    verb: str, kind: Kind, bearer: Kind
) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    # Each attempt has another port, which is no news.
    for port in range(40_000, 40_020):
        failure = WebhookFailed(f"{GUARD}: read tcp 10.0.0.1:{port}->10.96.0.9:443")
        world.cluster.fail_next(failure, verb=verb, kind=kind)
    await world.run(lambda: any(isinstance(e, WebhookFailed) for _, e in world.operators[0].errors))
    before = len(world.cluster.writes)
    await world.settle(20)
    hindered = find(world.campaign().status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.status, hindered.reason) == ("True", "NotCreated")
    assert GUARD in hindered.message
    tried = [call for call in world.cluster.writes[before:] if call.kind in (CAMPAIGN, TESTBED)]
    assert len(tried) < 25, "an attempt waits longer than the one before"
    assert hindered.message.startswith("Testbed ") == (bearer == TESTBED)
    assert GUARD in world.campaign().status.step
    await world.run(world.ended)
    status = world.campaign().status
    assert is_true(status.conditions, "Complete")
    assert not is_true(status.conditions, "Hindered")


async def test_a_trial_names_the_webhook_before_its_deadline() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: len(world.latest("Job", "-load")) == 2)
    for _ in range(12):
        world.cluster.fail_next(WebhookFailed(GUARD), verb="create", kind=JOB)
    await world.run(lambda: bool(world.trials()))
    await world.settle(30)
    (trial,) = world.trials()
    hindered = find(trial.status.conditions, "Hindered")
    assert hindered is not None
    assert (hindered.reason, hindered.message) == ("NotCreated", GUARD)
    own = find(world.campaign().status.conditions, "Hindered")
    assert own is not None
    assert own.message == f"Trial {trial.name}: {GUARD}"
    await world.run(world.ended)
    assert {one.status.outcome for one in world.trials()} == {"Succeeded"}


async def test_an_object_that_is_gone_has_no_events(cluster: FakeCluster) -> None:
    failures = Failures(cluster)
    for _ in range(FIRST):
        await failures.failed((CAMPAIGN, "ns", "gone"), a_fault())
    cluster.fail_next(Unavailable("away"), verb="get", kind=CAMPAIGN)
    for _ in range(FIRST):
        await failures.failed(SUBJECT, a_fault())
    assert not cluster.events


async def test_the_loop_tells_it(cluster: FakeCluster) -> None:
    class Faulty:
        async def reconcile(self, namespace: str, name: str) -> float | None:
            raise ValueError

    loop = Loop(cluster, {CAMPAIGN: Faulty()}, ["ns"], SimClock())
    for _ in range(FIRST):
        with pytest.raises(ValueError):
            await loop._work(Key(*SUBJECT))
    assert [event.reason for event in cluster.events] == [REASON]
