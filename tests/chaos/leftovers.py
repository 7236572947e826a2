"""Undoing what a run that was killed has left, before anything else.

Nothing is recorded for it: what a fault changed is found by looking at the cluster's processes,
their network namespaces, our disks and our own objects.
"""

from pathlib import Path
from signal import SIGCONT

from tests.chaos import disks, network
from tests.chaos.faults import OPERATOR_SET, STORE_SET
from tests.chaos.scene import signal
from tests.cluster import cgroups
from tests.cluster.layout import Layout
from tests.support.install import NAMESPACE
from tests.support.kube import Kube


def undo_on_machine(layout: Layout) -> list[str]:
    """What needs no API server, which may be one of those that stand still; what there was."""
    stopped = {pid for pid in cgroups.members() if state(pid) == "T"}
    signal(stopped, SIGCONT)
    found = [f"stopped process {pid}" for pid in sorted(stopped)]
    found += [f"rule {one}" for one in network.restore_all()]
    found += [f"full disk {disk.name}" for disk in disks.disks(layout) if disk.free()]
    return found


def undo_in_cluster(kube: Kube) -> list[str]:
    """Closed nodes, and replicas that are not what the chart says; what there was."""
    found = []
    for target in (OPERATOR_SET, STORE_SET):
        command = ("get", target, f"--namespace={NAMESPACE}", "--ignore-not-found")
        replicas = kube.kubectl(*command, "--output=jsonpath={.spec.replicas}")
        if replicas not in ("", "1"):
            kube.kubectl("scale", target, f"--namespace={NAMESPACE}", "--replicas=1")
            found.append(f"{replicas} replicas of {target}")
    for node in kube.kubectl("get", "nodes", "--output=name").split():
        if kube.kubectl("get", node, "--output=jsonpath={.spec.unschedulable}"):
            kube.kubectl("uncordon", node.removeprefix("node/"))
            found.append(f"closed {node}")
    return found


def undo_campaigns(kube: Kube) -> None:
    """Delete what campaigns there are: their pods may have lost memory, and hold our disks."""
    where = (f"--namespace={NAMESPACE}", "--timeout=200s", "--ignore-not-found")
    if kube.kubectl("get", "crd", "campaigns.encbench.io", "--ignore-not-found"):
        kube.kubectl("delete", "campaigns", "--all", *where)


def state(pid: int) -> str:
    """The state letter of proc(5); the name before it may contain anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return ""
