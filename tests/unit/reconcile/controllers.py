"""The other controllers and the kubelet, as far as campaigns need them, in simulated time."""

import base64
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import JOB, POD, SECRET, STATEFUL_SET, TESTBED, TRIAL, Kind
from encbench.kube import labels
from encbench.ports import Body
from encbench.wire.environment import STORE
from encbench.wire.sidecar import TOKEN, Sidecar, entry_name
from tests.support import sealed
from tests.support.fake_agent import FakeAgent, FakeServer, FakeStop
from tests.support.fake_recorder import FakeClient
from tests.unit.engines.postgresql.facts import evidence as postgres_evidence
from tests.unit.reconcile import pods
from tests.unit.reconcile.clients import Plan, Recorder, Recorders
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.timeline import Timeline
from tests.unit.reconcile.watched import Change, CountingStore, WatchedCluster


@dataclass(frozen=True)
class Delays:
    """Seconds that things take."""

    pod: float = 0.1
    """From the controller's object to its pod."""
    database: float = 3.0
    stop: float = 1.0
    end: float = 0.0
    """From a pod's deletion to its end, where the cluster has a grace period."""
    load: float = 2.0
    client: float = 0.7
    apart: float = 0.0
    """Between the starts of a Job's pods."""


@dataclass
class Controllers:
    """StatefulSets, Jobs and the kubelet with what runs in its pods."""

    cluster: WatchedCluster
    store: CountingStore
    agent: FakeAgent
    recorder: Recorders
    timeline: Timeline
    plan: Callable[[Body], Plan]
    """How the clients of a trial (as an object) run."""
    sampled: Callable[[str, str, float], None]
    """Told of a run on that testbed, with clients on that node, that began at that time, for
    Prometheus to have seen it."""
    delays: Delays = field(default_factory=Delays)
    in_force: dict[str, EncryptionModeSpec] = field(default_factory=dict)
    """Mode that the server of an arm is really in, where it is not the one that it should be."""
    nodes: dict[str, str] = field(default_factory=dict)
    """Where the scheduler puts the databases of an arm from now on; DATABASE_NODE if not named."""
    scheduler: Scheduler | None = None
    """Who places the pods, if that is to follow from what they ask for."""
    breaks: dict[str, Callable[[Any], None]] = field(default_factory=dict)
    """What is different in the evidence of an arm, where the server is PostgreSQL."""
    _ips: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    copies: dict[str, list[str]] = field(default_factory=dict)
    """What each testbed's data went through: the golden copy, each restoring, each start."""
    refuses: str = ""
    """What the golden copy's container says and fails with, each time it runs."""
    _restored: dict[str, str] = field(default_factory=dict)
    """The last restoring on each testbed's volume."""

    silent: bool = False
    """Servers do not say that they recovered from a crash."""
    talkative: bool = False
    """They say so whatever they did."""

    def __post_init__(self) -> None:
        self.agent.armed = self._armed

    def _armed(self, address: str, stop: FakeStop) -> None:
        """The agent has armed a stop of its server."""
        self.timeline.at(stop.due, partial(self._stopped, address, stop))

    def _stopped(self, address: str, stop: FakeStop) -> None:
        """The server ends: its clients are cut off, and the kubelet starts it anew."""
        server = self.agent.servers.get(address)
        pod = self._pod_of(address)
        if server is None or pod is None or stop.disarmed:
            return
        testbed = pod["metadata"]["labels"][labels.TESTBED]
        for recorder in self.recorder.recorders.values():
            if recorder.testbed == testbed:
                recorder.cut()
        number = server.process_id + 1
        started = f"0 [Note] Starting MariaDB 10.11.19-MariaDB source as process {number}\n"
        crashed = (stop.how == "Crash" and not self.silent) or self.talkative
        told = "0 [Note] InnoDB: Starting crash recovery from checkpoint LSN=4096\n"
        meta = pod["metadata"]

        def back() -> None:
            text = started + (told if crashed else "") + "0 [Note] ready for connections.\n"
            self.cluster.set_log(meta["namespace"], meta["name"], "server", text)
            self._set_ready(address, not server.lost)

        self._set_ready(address, False)
        # The kubelet shows the log of the old container for a while.
        self.cluster.set_log(meta["namespace"], meta["name"], "server", "the one before\n")
        seconds = server.stop_seconds + server.restart_seconds + server.recovery_seconds
        self.timeline.after(seconds + 0.5, back)

    def _set_ready(self, address: str, ready: bool) -> None:
        """What the kubelet says of the server's container."""
        pod = self._pod_of(address)
        if pod is not None:
            told = pod["status"]["containerStatuses"]
            told = [{**one, "ready": ready} if one["name"] == "server" else one for one in told]
            self._set_status(POD, pod, {**pod["status"], "containerStatuses": told})

    def _pod_of(self, address: str) -> Body | None:
        ip = address.removesuffix(":9472")
        found = (p for p in self.cluster.all(POD) if (p.get("status") or {}).get("podIP") == ip)
        return next(found, None)

    def see(self, change: Change) -> None:
        """React to a change as a controller's own watch would."""
        if change.gone:
            self._gone(change.kind, change.body)
        elif change.kind == POD and _ends(change.body):
            self.timeline.after(self.delays.end, partial(self.cluster.end, change.body))
        elif change.kind == STATEFUL_SET:
            self.timeline.after(self.delays.pod, partial(self._database_pod, change.body))
        elif change.kind == JOB and "status" not in change.body:
            self.timeline.after(self.delays.pod, partial(self._job_pods, change.body))

    def _gone(self, kind: Kind, body: Body) -> None:
        if kind != POD:
            return
        ip = (body.get("status") or {}).get("podIP")
        self.agent.servers.pop(f"{ip}:9472", None)
        self.recorder.remove(f"{ip}:9473")
        owner = body["metadata"]["ownerReferences"][0]
        if owner["kind"] == STATEFUL_SET.kind:
            found = self._find(STATEFUL_SET, body, owner["name"])
            if found is not None:
                self.timeline.after(self.delays.pod, partial(self._database_pod, found))

    def _find(self, kind: Kind, near: Body, name: str) -> Body | None:
        try:
            return self.cluster.one(kind, near["metadata"]["namespace"], name)
        except KeyError:
            return None

    def _same(self, kind: Kind, body: Body) -> Body | None:
        """The object as it is now, unless it is gone or another one."""
        found = self._find(kind, body, body["metadata"]["name"])
        same = found and found["metadata"]["uid"] == body["metadata"]["uid"]
        return found if same else None

    def _set_status(self, kind: Kind, body: Body, status: Body) -> None:
        meta = body["metadata"]
        self.cluster.set_status(kind, meta["namespace"], meta["name"], status)

    # -- databases

    def _database_pod(self, owner: Body) -> None:
        """What the StatefulSet's controller does: a pod, or none."""
        found = self._same(STATEFUL_SET, owner)
        if found is None:
            return
        name = f"{owner['metadata']['name']}-0"
        there = self._find(POD, owner, name)
        if found["spec"]["replicas"] == 0:
            if there is not None:
                self._stop(there)
            return
        if there is not None:
            return
        template = found["spec"]["template"]
        arm = template["metadata"]["labels"][labels.ARM]
        usual = self.nodes.get(arm, pods.DATABASE_NODE)
        body = self.cluster.add(POD, pods.pod(found, name, template, usual))
        runs = partial(self._database_runs, body)
        self._place(body, template, self.delays.database, runs)

    def _place(self, body: Body, template: Body, seconds: float, runs: Callable[[], None]) -> None:
        """Give a pod its node, now or when there is one; it runs so many seconds later."""
        if self._same(POD, body) is None:
            return
        if self.scheduler is None:
            self.timeline.after(seconds, runs)
            return
        meta = body["metadata"]
        others = [one for one in self.cluster.all(POD) if one["metadata"]["uid"] != meta["uid"]]
        node = self.scheduler.place(template, others)
        self.cluster.set_spec(POD, meta["namespace"], meta["name"], nodeName=node)
        said = {"type": "PodScheduled", "status": "True" if node else "False"}
        if node is None:
            said |= {"reason": "Unschedulable", "message": "0 nodes are available"}
            self.timeline.after(5.0, partial(self._place, body, template, seconds, runs))
        else:
            self.timeline.after(seconds, runs)
        self._set_status(POD, body, {**body["status"], "conditions": [said]})

    def _stop(self, body: Body) -> None:
        """The pod is being deleted; it goes when its server has ended."""
        ip = (body.get("status") or {}).get("podIP")
        server = self.agent.servers.get(f"{ip}:9472")
        if server is not None:
            server.away = True

        def gone() -> None:
            if self._same(POD, body) is not None:
                self.cluster.remove(POD, body["metadata"]["namespace"], body["metadata"]["name"])

        self.timeline.after(self.delays.stop, gone)

    def _database_runs(self, body: Body) -> None:
        if self._same(POD, body) is None:
            return
        testbed = self._find(TESTBED, body, body["metadata"]["labels"][labels.TESTBED])
        if testbed is None:
            return
        said = self._prepare(body, testbed["metadata"]["name"])
        if said is None:
            return
        ip = f"10.0.0.{next(self._ips)}"
        mode = EncryptionModeSpec.model_validate(testbed["spec"]["mode"])
        arm = testbed["spec"]["arm"]["name"]
        server = FakeServer(
            token=self._token(body, "agent"),
            in_force=self.in_force.get(arm, mode),
            started_at=self.timeline.clock.time,
            tables=(testbed["spec"]["dataset"].get("sysbench") or {}).get("tables", 1),
        )
        if testbed["spec"]["instance"]["engine"] == "postgresql":
            server.version = testbed["spec"]["instance"]["version"]
            server.answers = partial(self._of_postgres, arm, server)
        self.agent.servers[f"{ip}:9472"] = server
        self._set_status(POD, body, pods.running(body, ip, prepared=said))

    def _of_postgres(self, arm: str, server: FakeServer, full: bool) -> Any:
        """The evidence of a PostgreSQL server in its mode, but for what the test breaks."""
        mode = server.in_force
        made = postgres_evidence(mode.to_dict(), full=full)
        if mode.enclave is not None:
            made["enclave"] = sealed.seen(mode.enclave, server.tables)
        self.breaks.get(arm, lambda _: None)(made)
        return made

    def _prepare(self, body: Body, testbed: str) -> str | None:
        """What the golden copy's container leaves as its message; None when it fails."""
        notes = body["metadata"].get("annotations") or {}
        wanted = notes.get(labels.RESET, "")
        done = self.copies.setdefault(testbed, [])
        if wanted and self.refuses:
            self._set_status(POD, body, pods.unprepared(body, self.refuses))
            return None
        action = "kept"
        if wanted and testbed not in self._restored:
            action = "copied"
        elif wanted and self._restored[testbed] != wanted:
            action = "restored"
        if action != "kept":
            self._restored[testbed] = wanted
            done.append(f"{action} {wanted}")
        done.append(f"started {notes.get(labels.START, '')}".strip())
        return json.dumps({"action": action, "files": 3, "bytes": 3 << 20, "seconds": 1.5})

    def _token(self, near: Body, sidecar: Sidecar) -> str:
        testbed = near["metadata"]["labels"][labels.TESTBED]
        secret = self._find(SECRET, near, f"{testbed}-credentials")
        assert secret is not None
        return base64.b64decode(secret["data"][entry_name(sidecar, TOKEN)]).decode()

    # -- Jobs

    def _job_pods(self, job: Body) -> None:
        if self._same(JOB, job) is None:
            return
        template, name = job["spec"]["template"], job["metadata"]["name"]
        for index in range(job["spec"].get("completions", 1)):
            marks = {
                "batch.kubernetes.io/job-name": name,
                "batch.kubernetes.io/job-completion-index": str(index),
            }
            made = pods.pod(job, f"{name}-{index}-x", template, pods.CLIENT_NODE, **marks)
            body = self.cluster.add(POD, made)
            seconds, runs = self.delays.load, partial(self._loaded, job, body)
            if labels.TRIAL in job["metadata"]["labels"]:
                seconds, runs = self.delays.client, partial(self._client_runs, job, body)
            self._place(body, template, seconds + index * self.delays.apart, runs)

    def _loaded(self, job: Body, body: Body) -> None:
        if self._same(POD, body) is not None:
            self._set_status(POD, body, pods.ended(body, {"tool": (0, "")}))
            self._complete(job)

    def _complete(self, job: Body) -> None:
        if self._same(JOB, job) is not None:
            done = {"conditions": [{"type": "Complete", "status": "True"}]}
            self._set_status(JOB, job, done)

    def _client_runs(self, job: Body, body: Body) -> None:
        trial = self._find(TRIAL, body, body["metadata"]["labels"][labels.TRIAL])
        if self._same(POD, body) is None or trial is None:
            return
        ip = f"10.0.1.{next(self._ips)}"
        plan = self.plan(trial)
        bed, node = trial["spec"]["testbedRef"]["name"], self._node_of(body)
        recorder = Recorder(
            client=FakeClient(
                self._token(body, "recorder"), clock_offset=plan.skew, own_store=_store(job)
            ),
            timeline=self.timeline,
            plan=plan,
            upload=self.store.upload,
            ended=partial(self._client_ended, job, body),
            measured=partial(self.sampled, bed, node),
            testbed=bed,
        )
        self.recorder.add(f"{ip}:9473", recorder)
        self._set_status(POD, body, pods.running(body, ip))

    def _node_of(self, body: Body) -> str:
        return str((self._same(POD, body) or body)["spec"]["nodeName"])

    def _client_ended(self, job: Body, body: Body, recorder: Recorder) -> None:
        if self._same(POD, body) is None:
            return
        ends = {"tool": (recorder.plan.exit_code, ""), "recorder": (0, recorder.message)}
        self._set_status(POD, body, pods.ended(body, ends))
        if not any(p["status"]["phase"] != "Succeeded" for p in self._pods_of(job)):
            self._complete(job)

    def _pods_of(self, job: Body) -> list[Body]:
        uid = job["metadata"]["uid"]
        return [
            pod
            for pod in self.cluster.all(POD, job["metadata"]["namespace"])
            if pod["metadata"]["ownerReferences"][0]["uid"] == uid
        ]


def _store(job: Body) -> str:
    """The store that the job's recorders are told of."""
    containers = job["spec"]["template"]["spec"]["containers"]
    (own,) = [one["env"] for one in containers if one["name"] == "recorder"]
    return str(next(one["value"] for one in own if one["name"] == STORE))


def _ends(pod: Body) -> bool:
    """Whether a pod was deleted, and its kubelet is there to say that it has ended."""
    meta, facts = pod["metadata"], (pod.get("status") or {}).get("conditions", ())
    is_lost = {"type": "Ready", "status": "False"} in facts
    return "deletionTimestamp" in meta and not meta.get("finalizers") and not is_lost
