"""Nodes as a cluster has them."""

from encbench.kube.pods import LINUX
from encbench.ports import Body


def node(name: str, cpu: str = "8") -> Body:
    """A node with room for so many cores."""
    versions = {"kubeletVersion": "v1.33.1", "containerRuntimeVersion": "containerd://v2"}
    info = {"kernelVersion": "6.1.0", "osImage": "Some OS 12", **versions}
    offered = {"cpu": cpu, "memory": "32Gi"}
    status = {"allocatable": offered, "nodeInfo": info}
    return {"metadata": {"name": name, "labels": LINUX}, "status": status}
