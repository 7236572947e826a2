"""The faults: what each breaks, for how long, and how it is undone.

``begin`` breaks something of the scene and returns what undoes it. NotThere means that the fault's
target does not exist just now, or that its end has to wait for the API server.
"""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Protocol, TypeVar

from tests.chaos import disks, network, scratch
from tests.chaos.scene import (
    CLIENT,
    DATABASE,
    OPERATOR,
    PROMETHEUS,
    STORE,
    Container,
    NotThere,
    Role,
    Scene,
    pids_of,
    signal,
)
from tests.cluster import processes
from tests.cluster.daemon import Daemon
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed

SOUGHT = 3
"""Seconds for which a fault looks for its target."""

OPERATOR_SET, STORE_SET = "deployment/encbench-operator", "statefulset/encbench-minio"
Span = tuple[float, float]
T = TypeVar("T")


@dataclass(frozen=True)
class Begun:
    """A fault that is on, and how it ends."""

    target: str
    end: Callable[[], object] = lambda: None


class Fault(Protocol):
    """Something that goes wrong."""

    @property
    def name(self) -> str: ...

    @property
    def lane(self) -> str:
        """What it breaks: two faults of one lane are never on at the same time."""

    @property
    def hold(self) -> Span:
        """Seconds for which it lasts: the least and the most."""

    def begin(self, scene: Scene, draw: Random) -> Begun:
        """Break it. What is to be chosen is drawn."""


@dataclass(frozen=True)
class DaemonKilled:
    """A daemon of the cluster is killed, and started again after a while."""

    name: str
    daemon: str
    hold: Span
    lane: str = "control plane"

    def begin(self, scene: Scene, draw: Random) -> Begun:
        daemon = scene.daemon(self.daemon)
        signal(running(daemon), SIGKILL)
        return Begun(self.daemon, lambda: scene.restart(daemon))


@dataclass(frozen=True)
class DaemonFrozen:
    """A daemon of the cluster stands still: its connections stay open and nothing answers."""

    name: str
    daemon: str
    hold: Span
    lane: str = "control plane"

    def begin(self, scene: Scene, draw: Random) -> Begun:
        pids = running(scene.daemon(self.daemon))
        signal(pids, SIGSTOP)
        return Begun(self.daemon, lambda: signal(pids, SIGCONT))


@dataclass(frozen=True)
class ContainerKilled:
    """All processes of a container are killed; the kubelet starts it again."""

    name: str
    role: Role
    lane: str
    hold: Span = (0, 0)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, self.role, draw)
        signal(target.pids(), SIGKILL)
        return Begun(target.pod)


@dataclass(frozen=True)
class ContainerFrozen:
    """All processes of a container stand still."""

    name: str
    role: Role
    lane: str
    hold: Span

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, self.role, draw)
        pids = target.pids()
        signal(pids, SIGSTOP)
        return Begun(target.pod, lambda: signal(pids, SIGCONT))


@dataclass(frozen=True)
class PodDeleted:
    """A pod is deleted behind the operator's back."""

    name: str
    role: Role
    lane: str
    grace: tuple[str, ...] = ()
    hold: Span = (0, 0)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, self.role, draw)
        where = f"--namespace={NAMESPACE}"
        scene.kubectl("delete", "pod", target.pod, where, "--wait=false", *self.grace)
        return Begun(target.pod)


@dataclass(frozen=True)
class Scaled:
    """A part of the installation is scaled, and scaled back."""

    name: str
    target: str
    replicas: int
    lane: str
    hold: Span

    def begin(self, scene: Scene, draw: Random) -> Begun:
        self._scale(scene, self.replicas)
        return Begun(self.target, lambda: self._scale(scene, 1))

    def _scale(self, scene: Scene, replicas: int) -> None:
        scene.kubectl("scale", self.target, f"--namespace={NAMESPACE}", f"--replicas={replicas}")


@dataclass(frozen=True)
class KilledAtTheRecord:
    """The operator is killed while a trial's record is on its way: perhaps stored, in no status.

    That is a moment within the second or two between the end of the tool and the outcome.
    """

    name: str = "operator-killed-at-the-record"
    lane: str = "operator"
    hold: Span = (0, 0)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        def look() -> str | None:
            selector = f"encbench.io/campaign={scene.campaign}"
            for trial in scene.objects("trials", selector):
                status = trial.get("status", {})
                true = {c["type"] for c in status.get("conditions", []) if c["status"] == "True"}
                if "Measured" in true and "outcome" not in status:
                    return str(trial["metadata"]["name"])
            return None

        victim = one(scene, OPERATOR, draw)
        trial = soon("trial that is being archived", look)
        time.sleep(draw.uniform(0, 1.5))
        pids = victim.pids()
        if not pids:
            raise NotThere("the operator ended by itself meanwhile")
        signal(pids, SIGKILL)
        return Begun(trial)


@dataclass(frozen=True)
class Worsened:
    """The network of a pod loses packets, delays them or carries none."""

    name: str
    role: Role
    lane: str
    rule: Callable[[int], object]
    hold: Span = (2, 20)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, self.role, draw)
        # Whichever process of the pod lives then: the container may have been started anew.
        begun = Begun(target.pod, lambda: _restore_network(target.uid))
        try:
            _in_pod(target.uid, self.rule)
        except subprocess.SubprocessError as error:
            begun.end()
            raise NotThere(f"the network of {target.pod} has gone: {error}") from error
        return begun


@dataclass(frozen=True)
class DatabaseDiskFull:
    """No room is left on the volume of a database."""

    name: str = "database-disk-full"
    lane: str = "database"
    hold: Span = (3, 20)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, DATABASE, draw)
        claim = f"{target.pod.removesuffix('-0')}-data"
        shown = "--output=jsonpath={.spec.volumeName}"
        volume = scene.kubectl("get", "pvc", claim, f"--namespace={NAMESPACE}", shown)
        return _filled(scene, volume, target.pod)


@dataclass(frozen=True)
class StoreDiskFull:
    """No room is left on the volume of the object store."""

    name: str = "store-disk-full"
    lane: str = "store"
    hold: Span = (3, 30)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        return _filled(scene, f"{disks.CLASS}-{disks.STORE}", "the store")


@dataclass(frozen=True)
class ScratchFull:
    """The load tool cannot write a byte of its output."""

    name: str = "client-scratch-full"
    lane: str = "client"
    hold: Span = (0, 0)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        def look() -> str | None:
            for target in scene.containers(CLIENT):
                pid = min(target.pids(), default=None)
                if pid is not None and scratch.fill(pid):
                    return target.pod
            return None

        return Begun(soon("client that has not begun", look))


@dataclass(frozen=True)
class MemoryPressure:
    """A container's limit sinks to what it uses: it gets no further page, or is killed."""

    name: str
    role: Role
    lane: str
    hold: Span = (3, 15)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        target = one(scene, self.role, draw)
        folder = target.group("memory")
        limit, usage = folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes"
        if not limit.exists():
            limit, usage = folder / "memory.max", folder / "memory.current"
        before = limit.read_text().strip()
        try:
            limit.write_text(usage.read_text().strip())
        except OSError as error:  # it took a page between the two, so the kernel refuses
            raise NotThere(f"the limit of {target.pod} did not sink: {error}") from error
        return Begun(target.pod, lambda: _restore(limit, before))


@dataclass(frozen=True)
class NodeDrained:
    """The node is drained of every pod, the installation's and DNS included."""

    name: str = "node-drained"
    lane: str = "kubelet"
    hold: Span = (5, 20)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        names = scene.kubectl("get", "nodes", "--output=name").split()
        node = draw.choice(sorted(names)).removeprefix("node/")
        scene.kubectl("cordon", node)
        force = ("--disable-eviction", "--force", "--ignore-daemonsets", "--delete-emptydir-data")
        # A client has a minute to end, which is more than the drain waits for.
        with suppress(CommandFailed, subprocess.TimeoutExpired):
            scene.kube.run("kubectl", "drain", node, *force, "--timeout=15s", timeout=20)
        return Begun(node, lambda: scene.kubectl("uncordon", node))


@dataclass(frozen=True)
class CampaignDeleted:
    """The campaign is deleted: nothing of it may stay, and the rest of its faults is left out."""

    name: str = "campaign-deleted"
    lane: str = "campaign"
    hold: Span = (0, 0)

    def begin(self, scene: Scene, draw: Random) -> Begun:
        where = f"--namespace={NAMESPACE}"
        scene.kubectl("delete", "campaign", scene.campaign, where, "--wait=false")
        return Begun(scene.campaign)


def running(daemon: Daemon) -> set[int]:
    """The processes of a daemon of the cluster; NotThere without any."""
    pids = processes.of(daemon.group, daemon.binary)
    if not pids:
        raise NotThere(f"{daemon.name} does not run")
    return pids


def one(scene: Scene, role: Role, draw: Random) -> Container:
    """One of a role's containers; NotThere if none is running."""
    found = scene.containers(role)
    if not found:
        raise NotThere(f"no {role.component} is running")
    return draw.choice(found)


def soon(what: str, look: Callable[[], T | None]) -> T:
    """What `look` finds within SOUGHT seconds; otherwise NotThere."""
    until = time.monotonic() + SOUGHT
    while True:
        found = look()
        if found is not None:
            return found
        if time.monotonic() > until:
            raise NotThere(f"there is no {what}")
        time.sleep(0.1)


def _filled(scene: Scene, volume: str, target: str) -> Begun:
    disk = disks.of_volume(scene.layout, volume)
    if disk is None:
        raise NotThere(f"the volume of {target} is not one of ours")
    disk.fill()
    return Begun(target, disk.free)


def _restore(limit: Path, before: str) -> None:
    """The container, and with it the file, may be gone."""
    try:
        limit.write_text(before)
    except OSError:
        if limit.exists():
            raise


def _in_pod(uid: str, act: Callable[[int], object]) -> None:
    """Do something to a process of a pod, which holds the pod's namespaces; none may be left."""
    pid = min(pids_of(uid), default=None)
    if pid is not None:
        act(pid)


def _restore_network(uid: str) -> None:
    with suppress(subprocess.CalledProcessError):  # the pod ended just now
        _in_pod(uid, network.restore)


def _control_plane() -> list[Fault]:
    return [
        DaemonKilled("api-server-killed", "kube-apiserver", (2, 40)),
        DaemonFrozen("api-server-frozen", "kube-apiserver", (2, 30)),
        # Longer than a Lease lasts: leaders and nodes have lost theirs when it comes back.
        DaemonKilled("api-server-away", "kube-apiserver", (100, 130)),
        DaemonKilled("etcd-killed", "etcd", (1, 20)),
        DaemonFrozen("etcd-frozen", "etcd", (2, 20)),
        DaemonKilled("kubelet-killed", "kubelet", (1, 30), "kubelet"),
        # Beyond 40 s Kubernetes gives a node up, which `make e2e-nodes` tests.
        DaemonFrozen("kubelet-frozen", "kubelet", (2, 30), "kubelet"),
    ]


def _installation() -> list[Fault]:
    return [
        ContainerKilled("operator-killed", OPERATOR, "operator"),
        KilledAtTheRecord(),
        ContainerFrozen("operator-frozen", OPERATOR, "operator", (2, 30)),
        Scaled("operator-away", OPERATOR_SET, 0, "operator", (5, 30)),
        Scaled("operator-doubled", OPERATOR_SET, 2, "operator", (5, 30)),
        ContainerKilled("store-killed", STORE, "store"),
        ContainerFrozen("store-frozen", STORE, "store", (2, 30)),
        Scaled("store-away", STORE_SET, 0, "store", (5, 40)),
        StoreDiskFull(),
        ContainerKilled("prometheus-killed", PROMETHEUS, "prometheus"),
        ContainerFrozen("prometheus-frozen", PROMETHEUS, "prometheus", (2, 30)),
    ]


def _benchmark() -> list[Fault]:
    return [
        ContainerKilled("database-killed", DATABASE, "database"),
        ContainerFrozen("database-frozen", DATABASE, "database", (1, 15)),
        PodDeleted("database-deleted", DATABASE, "database"),
        DatabaseDiskFull(),
        ContainerKilled("client-killed", CLIENT, "client"),
        PodDeleted("client-deleted", CLIENT, "client"),
        PodDeleted("client-removed", CLIENT, "client", ("--grace-period=0", "--force")),
        ScratchFull(),
        MemoryPressure("database-memory", DATABASE, "database"),
        MemoryPressure("operator-memory", OPERATOR, "operator"),
        NodeDrained(),
        CampaignDeleted(),
    ]


def _networks() -> list[Fault]:
    roles = {"database": DATABASE, "client": CLIENT, "operator": OPERATOR, "store": STORE}
    rules: dict[str, Callable[[int], object]] = {
        "loss": lambda pid: network.drop(pid, network.LOSS),
        "delay": network.narrow,
        "partition": lambda pid: network.drop(pid, network.ALL),
    }
    return [
        Worsened(f"{lane}-{name}", role, lane, rule)
        for lane, role in roles.items()
        for name, rule in rules.items()
    ]


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (*_control_plane(), *_installation(), *_benchmark(), *_networks())
}
"""All faults by name."""
