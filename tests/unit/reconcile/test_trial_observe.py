"""What a pass over a trial looks at: it changes nothing, and knows what effects have found."""

import asyncio
from dataclasses import fields, replace
from typing import Protocol, get_type_hints

import pytest

from encbench import ports
from encbench.adapters.watchcache import WatchCache
from encbench.api.kinds import NODE, POD, SECRET, TRIAL
from encbench.kube import labels
from encbench.ports import Access, Body, Unavailable
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.deps import Deps, Reads
from encbench.reconcile.objects import trial as as_trial
from encbench.reconcile.trial import observe as observing
from encbench.reconcile.trial.facts import Proven, TrialFound
from encbench.reconcile.trial.observe import observe
from encbench.wire.recorder import StateAnswer
from tests.support.fake_recorder import FakeRecorder
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.nodes import node
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.seen import PROVEN
from tests.unit.reconcile.world import SPACE, World, parts, study

READS = {
    *("absences", "get", "list", "pages", "logs", "now", "problem"),
    *("room", "server", "state", "stopped"),
}
"""Every method of a port that only looks."""


MANY = 8


def a_world_with_many_clients(apart: float = 0.0) -> World:
    world = World()
    world.controllers.delays = replace(world.controllers.delays, apart=apart)
    client = {
        "image": "sysbench:1.0",
        "resources": {"cpu": "200m", "memory": "64Mi"},
        "replicas": MANY,
    }
    load = {"concurrency": [MANY], "warmup": "2s", "duration": "6s"}
    world.apply(*parts(client=client, load=load), study("plain", blocks=1))
    return world


class Watched(FakeRecorder):
    """The world's recorders, of which some are silent until all were asked; notes which were."""

    def __init__(self, world: World, silent: set[str]) -> None:
        super().__init__(world.recorder.clients, clock=world.clock.unix)
        self._silent = silent
        self.asked: list[str] = []
        self.all_asked = asyncio.Event()
        self.most = 0
        """Questions that were open at once."""
        self._open = 0

    async def state(self, address: str, access: Access) -> StateAnswer:
        self.asked.append(address)
        if len(self.asked) == MANY:
            self.all_asked.set()
        self._open += 1
        self.most = max(self.most, self._open)
        try:
            if address in self._silent:
                async with asyncio.timeout(30):  # Where others wait for this one.
                    await self.all_asked.wait()
                raise Unavailable(f"the recorder at {address} did not answer")
            await asyncio.sleep(0.005)
            return await super().state(address, access)
        finally:
            self._open -= 1


async def test_clients_are_asked_one_after_the_other_while_they_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(observing, "AT_ONCE", 30.0)
    world = a_world_with_many_clients()
    await world.run(world.running())
    trial = next(one for one in world.trials() if one.status.phase == "Running")
    recorder = Watched(world, set())
    seen = await observe(replace(world.deps, recorder=recorder), trial, TrialFound())
    assert [client.pod.index for client in seen.clients if client.run] == list(range(MANY))
    assert recorder.most == 1, "a question that waits for others measures a clock badly"


async def test_clients_that_do_not_answer_hold_up_none_of_the_others() -> None:
    world = a_world_with_many_clients()
    await world.run(world.running())
    trial = next(one for one in world.trials() if one.status.phase == "Running")
    silent = {address for place, address in enumerate(sorted(world.recorder.clients)) if place % 2}
    recorder = Watched(world, silent)
    seen = await observe(replace(world.deps, recorder=recorder), trial, TrialFound())
    assert sum(client.run is not None for client in seen.clients) == MANY - len(silent)
    assert recorder.all_asked.is_set()
    said = {client.silence for client in seen.clients if client.run is None}
    assert said == {f"the recorder at {address} did not answer" for address in silent}


async def test_recorders_whose_token_is_gone_are_not_asked_and_that_is_said() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    trial = next(one for one in world.trials() if one.status.phase == "Running")
    name = f"{trial.spec.testbed_ref.name}-credentials"
    world.cluster.remove(SECRET, SPACE, name)
    (client,) = (await observe(world.deps, trial, TrialFound())).clients
    assert client.run is None
    assert client.silence == f"Secret {name} is not there"


async def test_clients_on_a_node_that_does_not_answer_are_not_asked() -> None:
    world = a_world_with_many_clients()
    await world.run(world.running())
    trial = next(one for one in world.trials() if one.status.phase == "Running")
    for number in range(0, MANY, 2):
        lost(world, f"{trial.name}-{number}-x")
    recorder = Watched(world, set())
    seen = await observe(replace(world.deps, recorder=recorder), trial, TrialFound())
    assert [client.pod.index for client in seen.clients if client.run] == [*range(1, MANY, 2)]
    assert len(recorder.asked) == MANY // 2


async def test_no_client_is_asked_before_all_of_them_run() -> None:
    world = a_world_with_many_clients(apart=1.0)

    def some_run() -> bool:
        bodies = world.cluster.all(POD, SPACE)
        clients = [one for one in bodies if labels.TRIAL in one["metadata"]["labels"]]
        running = [one for one in clients if one["status"].get("phase") == "Running"]
        return 0 < len(running) < MANY

    await world.run(some_run)
    (trial,) = [one for one in world.trials() if one.status.start_time]
    recorder = Watched(world, set())
    seen = await observe(replace(world.deps, recorder=recorder), trial, TrialFound())
    assert len(seen.clients) == MANY
    assert recorder.asked == []


async def test_only_where_a_client_has_no_node_those_of_others_are_read() -> None:
    world = World()
    for name in ("n1", "n2", "n3"):
        world.cluster.add(NODE, node(name))
    world.controllers.scheduler = Scheduler(["n1"])
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.trials()))
    await world.settle(5)
    (trial,) = world.trials()
    others = TrialFound(nodes=NodeStanding(taken=frozenset({"n1", "n2", "gone"})))
    seen = await observe(world.deps, trial, others)
    assert [one.name for one in seen.taken] == ["n1", "n2"]
    assert seen.clients[0].pod.spec["containers"][0]["resources"]["requests"]
    body = {**trial.body, "spec": {**trial.body["spec"], "clientNodes": ["n2", "n3"]}}
    seen = await observe(world.deps, as_trial(body), others)
    assert [one.name for one in seen.taken] == ["n2"]
    world.controllers.scheduler.nodes = ["n1", "n2"]
    await world.run(world.running())
    world.cluster.calls.clear()
    assert (await observe(world.deps, world.trials()[0], others)).taken == ()
    assert not [call for call in world.cluster.calls if call.kind == NODE]


async def test_no_node_is_read_where_it_is_known_what_else_the_clients_wait_for() -> None:
    world = World()
    world.cluster.add(NODE, node("n1"))
    world.controllers.scheduler = Scheduler(["n1"])
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.trials()))
    await world.settle(5)
    (trial,) = world.trials()
    others = TrialFound(nodes=NodeStanding(taken=frozenset({"n1"})))
    pods = [one for one in world.cluster.all(POD) if labels.TRIAL in one["metadata"]["labels"]]
    world.cluster.add(POD, another(pods[0], {"phase": "Running"}))
    world.cluster.calls.clear()
    seen = await observe(world.deps, trial, others)
    assert (seen.leaving, seen.taken) == (("earlier",), ())
    world.cluster.remove(POD, SPACE, "earlier")
    first = {**trial.body["spec"], "after": None}
    status = {"releaseAt": world.clock.unix()}
    meta = {"name": "first", "namespace": SPACE}
    world.cluster.add(TRIAL, {**trial.body, "metadata": meta, "spec": first, "status": status})
    body = {**trial.body, "spec": {**trial.body["spec"], "after": "first"}}
    seen = await observe(world.deps, as_trial(body), others)
    assert seen.before is not None
    assert seen.taken == (), "it is being measured"
    assert not [call for call in world.cluster.calls if call.kind == NODE]


@pytest.mark.parametrize(
    ("status", "found"),
    [
        ({"phase": "Running"}, ("earlier",)),
        ({}, ("earlier",)),
        ({"phase": "Succeeded"}, ()),
        ({"phase": "Failed"}, ()),
    ],
)
async def test_so_are_the_clients_of_its_cell_that_have_room(
    status: Body, found: tuple[str, ...]
) -> None:
    world = World()
    world.controllers.scheduler = Scheduler(["n1"])
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.trials()))
    await world.settle(5)
    (trial,) = world.trials()
    (own,) = [pod for pod in world.cluster.all(POD) if labels.TRIAL in pod["metadata"]["labels"]]
    world.cluster.add(POD, another(own, status))
    world.cluster.add(POD, another(own, status, name="unplaced", node=None))
    assert (await observe(world.deps, trial, TrialFound())).leaving == found
    turns: Body = {"sliceSeconds": 1, "settleSeconds": 0, "rounds": 6, "seed": 1}
    turns["trials"] = [trial.name, "earlier"]
    together = {**trial.body, "spec": {**trial.body["spec"], "turns": turns}}
    assert (await observe(world.deps, as_trial(together), TrialFound())).leaving == ()


def another(pod: Body, status: Body, name: str = "earlier", node: str | None = "n1") -> Body:
    """A client's pod of another trial."""
    marks = {**pod["metadata"]["labels"], labels.TRIAL: name}
    meta = {"name": name, "namespace": SPACE, "labels": marks, "uid": name}
    return {**pod, "metadata": meta, "spec": {**pod["spec"], "nodeName": node}, "status": status}


async def test_looking_at_a_trial_in_mid_run_writes_nothing_and_asks_for_nothing() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,) = world.trials()
    writes, calls = len(world.cluster.writes), len(world.agent.calls)
    seen = await observe(world.deps, trial, TrialFound(after=Proven(PROVEN)))
    assert seen.job is not None
    assert [client.run is not None for client in seen.clients] == [True]
    assert seen.found.after == Proven(PROVEN)
    assert len(world.cluster.writes) == writes
    assert len(world.agent.calls) == calls


def test_what_observations_are_given_has_no_method_that_changes_anything() -> None:
    hints = get_type_hints(Reads)
    views = [hints[field.name] for field in fields(Reads) if field.name != "settings"]
    assert len(views) == 7
    for view in views:
        assert issubclass(view, Protocol)
        assert _methods(view) <= READS, view


@pytest.mark.parametrize("kind", ["campaign", "testbed", "trial"])
def test_observations_are_given_nothing_else(kind: str) -> None:
    module = __import__(f"encbench.reconcile.{kind}.observe", fromlist=["observe"])
    given = set(get_type_hints(module.observe).values())
    assert Reads in given
    assert Deps not in given
    acting = [ports.Cluster, ports.Store, ports.Metrics, ports.Agent, ports.Recorder, Deps]
    assert [one for one in vars(module).values() if one in acting] == []


def _methods(view: type) -> set[str]:
    return {name for name in dir(view) if not name.startswith("_")}


async def test_whether_a_container_beside_the_server_restarted_is_asked_of_the_api_server() -> None:
    """A watch may be away for a minute after an outage, and this is judged once and for good."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    trial = next(one for one in world.trials() if one.status.phase == "Running")
    behind = WatchCache(world.cluster, lambda: 0.0)
    read = replace(world.deps, cluster=behind)
    proven = TrialFound(after=Proven(PROVEN))

    async def restarts(found: TrialFound) -> int:
        database = (await observe(read, trial, found)).database
        assert database is not None
        return database.container("agent").restarts

    assert await restarts(TrialFound()) == 0
    name = f"{trial.spec.testbed_ref.name}-0"
    status = world.cluster.one(POD, SPACE, name)["status"]
    known = [
        {**one, "restartCount": 1} if one["name"] == "agent" else one
        for one in status["containerStatuses"]
    ]
    world.cluster.set_status(POD, SPACE, name, {**status, "containerStatuses": known})
    assert await restarts(TrialFound()) == 0, "what the watch has not brought"
    assert await restarts(proven) == 1
