"""What faults act on: the cluster's daemons, and the containers of its pods, as processes."""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any

from tests.cluster import bring_up, cgroups, components, nodes, processes
from tests.cluster.daemon import Daemon
from tests.cluster.layout import Layout
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, Kube

PATIENCE = 6
"""Seconds that a question to the API server may take while faults are on."""

Body = dict[str, Any]


class NotThere(Exception):
    """What the fault would hit does not exist now, or cannot be found."""


@dataclass(frozen=True)
class Role:
    """A container by the component that its pod is labelled with."""

    component: str
    container: str


OPERATOR = Role("operator", "operator")
STORE = Role("minio", "minio")
PROMETHEUS = Role("prometheus", "prometheus")
DATABASE = Role("database", "server")
CLIENT = Role("client", "tool")


@dataclass(frozen=True)
class Container:
    """A running container."""

    pod: str
    uid: str
    """Of the pod."""
    id: str
    name: str

    def pids(self) -> set[int]:
        """Its processes; the runtime names their control group after the container."""
        return {pid for pid in cgroups.members() if f"/{self.id}" in groups(pid)}

    def group(self, controller: str) -> Path:
        """Its folder in a controller's tree."""
        for pid in self.pids():
            for line in groups(pid).splitlines():
                _, controllers, path = line.split(":", 2)
                if controller in controllers.split(","):
                    return Path("/sys/fs/cgroup", controller, path.lstrip("/"))
                if not controllers and not Path("/sys/fs/cgroup", controller).exists():
                    return Path("/sys/fs/cgroup", path.lstrip("/"))
        raise NotThere(f"{self.name} of {self.pod} has ended")


@dataclass(frozen=True)
class Scene:
    """The cluster and the campaign that runs on it."""

    kube: Kube
    layout: Layout
    campaign: str = ""

    def kubectl(self, *arguments: str) -> str:
        """Run kubectl; NotThere if the API server gives no answer soon."""
        command = ("kubectl", f"--request-timeout={PATIENCE - 1}s", *arguments)
        try:
            return self.kube.run(*command, timeout=PATIENCE)
        except (CommandFailed, subprocess.TimeoutExpired) as error:
            raise NotThere(str(error)[:200]) from error

    def objects(self, what: str, selector: str = "", namespace: str = NAMESPACE) -> list[Body]:
        """All objects with these labels."""
        chosen = [f"--selector={selector}"] if selector else []
        text = self.kubectl("get", what, f"--namespace={namespace}", "--output=json", *chosen)
        items: list[Body] = json.loads(text)["items"]
        return items

    def containers(self, role: Role) -> list[Container]:
        """The running containers of a role; of databases and clients the campaign's own."""
        selector = f"app.kubernetes.io/component={role.component}"
        if role in (DATABASE, CLIENT):
            selector += f",encbench.io/campaign={self.campaign}"
        return [
            Container(
                pod=pod["metadata"]["name"],
                uid=pod["metadata"]["uid"],
                id=status["containerID"].partition("://")[2],
                name=status["name"],
            )
            for pod in sorted(
                self.objects("pods", selector), key=lambda one: one["metadata"]["name"]
            )
            if "deletionTimestamp" not in pod["metadata"]
            for status in pod["status"].get("containerStatuses", [])
            if status["name"] == role.container and "running" in status["state"]
        ]

    def daemon(self, name: str) -> Daemon:
        """A daemon of the first node, by its name."""
        there = components.daemons(self.layout, nodes.existing(self.layout))
        return next(daemon for daemon in there if daemon.name == name)

    def restart(self, daemon: Daemon) -> None:
        """Start a daemon again."""
        bring_up.start_daemon(self.layout, daemon)


def signal(pids: Iterable[int], number: Signals) -> None:
    """Signal processes of the cluster; those that have ended are none any more."""
    for pid in pids:
        processes.send(pid, number)


def pids_of(pod: str) -> set[int]:
    """The processes of a pod; the kubelet names its control group after its UID."""
    return {pid for pid in cgroups.members() if f"/pod{pod}/" in groups(pid)}


def groups(pid: int) -> str:
    """The control groups of a process; empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return ""
