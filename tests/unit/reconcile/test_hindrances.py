"""Whatever keeps a campaign from going on is named in its step, a condition and an event."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import Condition, find
from encbench.api.kinds import CAMPAIGN, JOB, POD, TESTBED
from encbench.ports import Body, Rejected
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.hindrance import Hindrance, hindrance
from encbench.reconcile.objects import Testbed
from encbench.reconcile.objects import testbed as parsed
from encbench.reconcile.pods import pod_facts
from encbench.reconcile.troubles import trouble, why_deleted
from tests.support import manifests
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.campaigns import a_campaign
from tests.unit.reconcile.controllers import Delays
from tests.unit.reconcile.pods import DATABASE_NODE, container
from tests.unit.reconcile.seen import NOW, ago, status_of, with_status
from tests.unit.reconcile.world import SPACE, World, parts, study

SOON = 30.0
"""Seconds within which a person must be able to read of it."""
NOWHERE = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes have enough memory"}
PULL = {"reason": "ImagePullBackOff", "message": "Back-off pulling image nowhere/none"}
CRASH = {"exitCode": 2, "reason": "Error"}


def waiting(**status: Any) -> Body:
    return {"phase": "Pending", **status}


TROUBLES = [
    ("Unschedulable", waiting(conditions=[NOWHERE]), "fits no node: 0/3 nodes"),
    (
        "ImagePullFailed",
        waiting(containerStatuses=[container("server", waiting=PULL)]),
        "the image of container server in pod",
    ),
    (
        "ContainerFailed",
        waiting(
            initContainerStatuses=[
                {
                    **container("initialise", restarts=4, waiting={"reason": "CrashLoopBackOff"}),
                    "lastState": {"terminated": CRASH},
                }
            ]
        ),
        "container initialise in pod",
    ),
]


def slow(campaign: Body | None = None, **delays: float) -> World:
    """A campaign whose pods take their time."""
    world = World()
    world.controllers.delays = replace(Delays(), **delays)
    world.apply(*parts(), study("plain", blocks=1, replacements=0, **(campaign or {})))
    return world


async def clients_pod(world: World) -> str:
    """The pod of the first trial's client, once there is one."""
    await world.run(lambda: len(world.trials()) == 1 and bool(pods(world, "-0-x")))
    (trial,) = world.trials()
    pod = f"{trial.name}-0-x"
    await world.run(lambda: pod in pods(world, "-0-x"))
    return pod


def pods(world: World, ending: str = "-0") -> Sequence[str]:
    return [body["metadata"]["name"] for body in world.latest(POD.kind, ending)]


def hindered(world: World) -> Condition | None:
    found = find(world.campaign().status.conditions, "Hindered")
    return found if found is not None and found.status == "True" else None


def assert_named(world: World, reason: str, *words: str) -> None:
    fact, step = hindered(world), world.campaign().status.step
    assert fact is not None
    assert fact.reason == reason
    (event,) = [one for one in world.cluster.events if (one.kind, one.reason) == (CAMPAIGN, reason)]
    assert event.warning
    for word in words:
        assert word in fact.message
        assert word in step
        assert word in event.note


@pytest.mark.parametrize(("reason", "status", "words"), TROUBLES, ids=[t[0] for t in TROUBLES])
async def test_a_database_that_cannot_start(reason: str, status: Body, words: str) -> None:
    world = slow(database=60.0)
    await world.run(lambda: bool(pods(world)))
    name = pods(world)[0]
    world.cluster.set_status(POD, SPACE, name, status)
    await world.settle(SOON)
    assert_named(world, reason, f"Testbed {name.removesuffix('-0')}: ", words, name)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert hindered(world) is None


@pytest.mark.parametrize(("reason", "status", "words"), TROUBLES, ids=[t[0] for t in TROUBLES])
async def test_a_client_that_cannot_start(reason: str, status: Body, words: str) -> None:
    world = slow(client=60.0)
    pod = await clients_pod(world)
    (trial,) = world.trials()
    world.cluster.set_status(POD, SPACE, pod, status)
    await world.settle(SOON)
    assert_named(world, reason, f"Trial {trial.name}: ", words, pod)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


@pytest.mark.parametrize("together", [False, True])
async def test_a_client_may_lack_a_node_because_its_database_has_the_only_one(
    together: bool,
) -> None:
    world = slow({"allowColocation": together}, client=60.0)
    pod = await clients_pod(world)
    world.cluster.set_status(POD, SPACE, pod, waiting(conditions=[NOWHERE]))
    await world.settle(SOON)
    assert_named(world, "Unschedulable", f"{pod} fits no node: 0/3 nodes have enough memory")
    assert ("unless allowColocation is true" in world.campaign().status.step) is not together


async def test_what_passes_by_itself_is_not_worth_a_word() -> None:
    world = slow(database=4.0)
    await world.run(lambda: bool(pods(world)))
    for name in pods(world):
        world.cluster.set_status(POD, SPACE, name, waiting(conditions=[NOWHERE]))
    await world.run(world.ended)
    assert find(world.campaign().status.conditions, "Hindered") is None


async def test_a_job_that_makes_no_pod() -> None:
    world = slow(pod=60.0)
    await world.settle(SOON)
    assert_named(world, "NoPod", "kubectl events --for statefulset/")
    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    world.cluster.events.clear()
    await world.settle(SOON)
    assert_named(world, "NoPod", "kubectl events --for job/")


async def test_a_database_whose_node_is_lost() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, replacements=0))
    await world.run(world.running())
    (trial,) = world.trials()
    pod = f"{trial.spec.testbed_ref.name}-0"
    lost(world, pod)
    await world.settle(SOON)
    assert_named(world, "NodeLost", f"node {DATABASE_NODE} of pod {pod} does not answer")
    lost(world, pod, is_lost=False)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert hindered(world) is None


async def test_a_database_whose_node_does_not_come_back_fails_its_cell() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, replacements=0))
    await world.run(world.running())
    (trial,) = world.trials()
    lost(world, f"{trial.spec.testbed_ref.name}-0")
    await world.run(world.ended)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TestbedFailed"
    assert hindered(world) is None, "it waits for nothing any more"


def hindered_testbed(name: str, reason: str, seconds: float) -> Testbed:
    body = with_status(manifests.body(TESTBED, name, SPACE), {"Hindered": ("True", seconds)})
    body["status"]["conditions"][0]["reason"] = reason
    return parsed(body)


@pytest.mark.parametrize(
    ("since", "named"), [(600.0, "ImagePullFailed"), (5.0, "ImagePullFailed"), (4.0, "NodeInUse")]
)
def test_a_cell_that_waits_for_its_turn_hides_no_fault(since: float, named: str) -> None:
    beds = [hindered_testbed("queued", "NodeInUse", 3600.0)]
    beds.append(hindered_testbed("broken", "ImagePullFailed", since))
    found = hindrance(CampaignSeen(NOW, None, {one.name: one for one in beds}, {}))
    assert isinstance(found, Hindrance)
    assert found.reason == named


def test_nor_does_it_hide_what_does_not_go_or_a_store_that_is_away() -> None:
    queued = hindered_testbed("queued", "NodeInUse", 3600.0)
    body = dict(hindered_testbed("held", "NodeInUse", 1.0).body)
    body["metadata"] = {**body["metadata"], "deletionTimestamp": ago(61.0), "finalizers": ["x/y"]}
    held = parsed(body)
    found = hindrance(CampaignSeen(NOW, None, {one.name: one for one in (queued, held)}, {}))
    assert isinstance(found, Hindrance) and found.reason == "Held"

    of = a_campaign()
    for away, reason in (("", "NodeInUse"), ("the store is away", "NotStored")):
        seen = CampaignSeen(NOW, None, {queued.name: queued}, {}, away=away)
        assert status_of(decide(of, seen), "Hindered") == ("True", reason)


def pod_of(spec: Body, **status: Any) -> Body:
    meta = {"name": "p", "uid": "1", "creationTimestamp": "2030-01-01T00:00:00Z"}
    return {"metadata": meta, "spec": spec, "status": waiting(**status)}


def test_a_pod_whose_volume_is_not_there_says_where_to_look() -> None:
    unbound = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    spec = {"volumes": [{"persistentVolumeClaim": {"claimName": "bed-data"}}, {"emptyDir": {}}]}
    found = trouble([pod_facts(pod_of(spec, conditions=[{**NOWHERE, "message": unbound}]))], NOW)
    assert found is not None
    assert found.message.endswith("(kubectl describe pvc bed-data says what its volume waits for)")
    full = trouble([pod_facts(pod_of(spec, conditions=[NOWHERE]))], NOW)
    assert full is not None
    assert "pvc" not in full.message


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("tool", "raise client.resources.memory in the Workload"),
        ("server", "raise resources.memory in the InstanceTemplate"),
        ("proxy", "raise columns.resources.memory in the EncryptionMode"),
        ("volume", "raise atRest.volume.gocryptfs.resources.memory in the EncryptionMode"),
        ("agent", "encbench itself sets its limit of 96Mi, please report it"),
        ("recorder", "encbench itself sets its limit, please report it"),
        ("injected", "kubectl logs p -c injected says why"),
    ],
)
def test_a_container_without_memory_says_what_to_raise(name: str, advice: str) -> None:
    killed = {"exitCode": 137, "reason": "OOMKilled"}
    agent = {"name": "agent", "resources": {"limits": {"memory": "96Mi"}}}
    spec = {"initContainers": [{"name": "initialise"}], "containers": [agent]}
    body = pod_of(spec, containerStatuses=[container(name, terminated=killed)])
    found = trouble([pod_facts(body)], NOW)
    assert found is not None
    assert (found.reason, found.message) == (
        "OOMKilled",
        f"container {name} in pod p ended with OOMKilled (exit code 137): {advice}",
    )


@pytest.mark.parametrize("name", ["driver", "trust-store", "reach"])
def test_what_runs_before_a_client_says_itself_why_it_ends(name: str) -> None:
    ended = {"exitCode": 1, "reason": "Error", "message": '{"failure": "it has no such file"}'}
    body = pod_of({}, initContainerStatuses=[container(name, terminated=ended)])
    found = trouble([pod_facts(body)], NOW)
    assert found is not None
    assert found.message.endswith("ended with Error (exit code 1): it has no such file")
    killed = {"exitCode": 137, "reason": "OOMKilled"}
    body = pod_of({}, initContainerStatuses=[container(name, terminated=killed)])
    found = trouble([pod_facts(body)], NOW)
    assert found is not None
    assert found.message.endswith("encbench itself sets its limit, please report it")


REJECTED = {"reason": "OutOfcpu", "message": "Pod was rejected: Node didn't have enough CPU"}


def test_a_pod_that_its_node_has_ended_says_so_and_not_how_its_containers_ended() -> None:
    rejected = pod_of({"nodeName": "n1"}, **{**REJECTED, "phase": "Failed"})
    found = trouble([pod_facts(rejected)], NOW)
    assert found is not None
    assert (found.reason, found.message) == (
        "PodEnded",
        "node n1 ended pod p (OutOfcpu: Pod was rejected: Node didn't have enough CPU)",
    )
    cut = [container("tool", terminated={"exitCode": 143, "reason": "Error"})]
    shutdown = {"phase": "Failed", "reason": "Terminated", "containerStatuses": cut}
    found = trouble([pod_facts(pod_of({"nodeName": "n1"}, **shutdown))], NOW)
    assert found is not None
    assert (found.reason, found.message) == ("PodEnded", "node n1 ended pod p (Terminated)")


def test_a_pod_that_kubernetes_deletes_says_why() -> None:
    """Until it is deleted, the preemption may yet come to nothing."""
    said = {"reason": "PreemptionByScheduler", "message": "preempted for pod x"}
    target = {"type": "DisruptionTarget", "status": "True", **said}
    body = pod_of({"nodeName": "n1"}, conditions=[target])
    assert why_deleted(pod_facts(body)) == ""
    body["metadata"]["deletionTimestamp"] = ago(0)
    assert why_deleted(pod_facts(body)) == " (PreemptionByScheduler: preempted for pod x)"
    assert pod_facts(body).ended_by == "", "its node did not end it"
    body["status"]["conditions"] = [{**target, "status": "False"}]
    assert why_deleted(pod_facts(body)) == ""
    assert why_deleted(None) == ""


def test_a_pod_without_volumes_or_network_says_where_to_look() -> None:
    def told(status: str, seconds: float, phase: str = "Pending") -> str | None:
        fact = {"type": "PodReadyToStartContainers", "status": status}
        since = {**fact, "lastTransitionTime": ago(seconds)}
        creating = [container("server", waiting={"reason": "ContainerCreating"})]
        body = pod_of({}, phase=phase, conditions=[since], containerStatuses=creating)
        found = trouble([pod_facts(body)], NOW)
        assert found is None or found.reason == "NotStarted"
        return None if found is None else found.message

    assert told("False", 31) == (
        "pod p waits for its volumes or its network: kubectl events --for pod/p says why"
    )
    assert told("False", 29) is None, "a cloud's disk takes as long"
    assert told("True", 31) is None, "its image is being pulled"
    assert told("False", 31, phase="Succeeded") is None, "its sandbox is gone"


COPIED = {"exitCode": 0, "finishedAt": ago(61)}
"""How an init container ended."""
COMES = {"reason": "PodInitializing"}


@pytest.mark.parametrize(
    ("states", "waits"),
    [
        ([{"terminated": COPIED}, {"running": {"startedAt": ago(61)}}, {"waiting": COMES}], "c"),
        ([{"terminated": COPIED}, {"waiting": COMES}, {"waiting": COMES}], "b"),
        ([{"waiting": COMES}, {"waiting": COMES}, {"waiting": COMES}], "a"),
        ([{"running": {}}, {"waiting": COMES}, {"waiting": COMES}], None),
        ([{"terminated": COPIED}, {"running": {}}, {"running": {}}], None),
        ([{"terminated": {**COPIED, "finishedAt": ago(59)}}, {"waiting": COMES}, {}], None),
        ([{"terminated": COPIED}, {"running": {"startedAt": ago(59)}}, {"waiting": COMES}], None),
    ],
)
def test_a_container_that_does_not_begin_in_its_turn_names_its_image(
    states: list[Body], waits: str | None
) -> None:
    """An init container, a sidecar, and the main one; a kubelet says in no status that it pulls."""
    inits = [{"name": "a", "image": "one:1"}, {"name": "b", "image": "two:2"}]
    inits[1]["restartPolicy"] = "Always"
    own = [container(name, **state) for name, state in zip("abc", states, strict=True)]
    own[1]["ready"] = "running" in states[1]
    spec = {
        "nodeName": "n1",
        "initContainers": inits,
        "containers": [{"name": "c", "image": "three:3"}],
    }
    placed = {"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(61)}
    more = {"initContainerStatuses": own[:2], "containerStatuses": own[2:]}
    found = trouble([pod_facts(pod_of(spec, conditions=[placed], **more))], NOW)
    assert (found is not None) == (waits is not None)
    if found is not None and waits is not None:
        image = {"a": "one:1", "b": "two:2", "c": "three:3"}[waits]
        assert (found.reason, found.message) == (
            "ImagePulling",
            f"container {waits} of pod p has not begun: node n1 may still pull {image} (kubectl "
            "events --for pod/p says so)",
        )
    soon = {**placed, "lastTransitionTime": ago(59)}
    assert trouble([pod_facts(pod_of(spec, conditions=[soon], **more))], NOW) is None


def test_a_lost_node_is_told_from_a_container_that_is_not_ready() -> None:
    body: Body = {
        "metadata": {"name": "p", "uid": "1", "creationTimestamp": "2030-01-01T00:00:00Z"},
        "spec": {"nodeName": "n1"},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "False"}],
            "containerStatuses": [container("server", ready=True, running={})],
        },
    }
    found = pod_facts(body)
    assert (found.is_lost, found.ready) == (True, False)
    told = trouble([found], NOW)
    assert told is not None
    assert (told.reason, told.message) == ("NodeLost", "node n1 of pod p does not answer")
    body["status"]["containerStatuses"].append(container("agent", running={}))
    assert not pod_facts(body).is_lost
    body["status"]["containerStatuses"].pop()
    body["metadata"]["deletionTimestamp"] = "2030-01-01T00:00:01Z"
    found = pod_facts(body)
    assert (found.is_lost, found.ready) == (False, False), "it is on its way out"
    assert pod_facts({**body, "status": {"phase": "Pending"}}).ready is False


async def test_what_keeps_the_clients_from_being_made_is_in_the_trials_message() -> None:
    def too_large() -> str:
        raise Rejected("the store's CA bundle is too large")

    world = World(settings=lambda usual: replace(usual, store_authority=too_large))
    world.apply(*parts(), study("plain", blocks=1, stepDeadlines={"start": "1m"}))
    await world.run(lambda: any(t.status.outcome for t in world.trials()))
    (message,) = {t.status.message for t in world.trials() if t.status.outcome == "Failed"}
    assert message == "the clients' Job could not be created: the store's CA bundle is too large"
