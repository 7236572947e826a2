"""Pods as the kubelet and the other controllers would leave them."""

import json
from collections.abc import Mapping
from typing import Any

from encbench.ports import Body

DATABASE_NODE, CLIENT_NODE = "node-1", "node-2"
JAR_DIGEST = f"sha256:{'0a' * 32}"
"""Of the jar that a mode's own driver is, as its init container says."""


def pod(owner: Body, name: str, template: Body, node: str, **labels: str) -> Body:
    """A pod that its controller has just made and the scheduler has placed."""
    meta = owner["metadata"]
    asked, kept = template["spec"], ("name", "image", "resources")
    containers = [{key: c[key] for key in kept if key in c} for c in asked["containers"]]
    as_asked = ("nodeSelector", "tolerations", "initContainers")
    where = {key: asked[key] for key in as_asked if key in asked}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "labels": {**template["metadata"]["labels"], **labels},
            "annotations": dict(template["metadata"].get("annotations") or {}),
            "ownerReferences": [
                {
                    "apiVersion": owner["apiVersion"],
                    "kind": owner["kind"],
                    "name": meta["name"],
                    "uid": meta["uid"],
                    "controller": True,
                }
            ],
        },
        "spec": {"nodeName": node, "containers": containers, **where},
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "True"}],
            "containerStatuses": [
                container(c["name"], waiting={"reason": "ContainerCreating"}) for c in containers
            ],
        },
    }


def container(name: str, *, ready: bool = False, restarts: int = 0, **state: Any) -> Body:
    """One container's status; `state` is running, waiting or terminated."""
    return {
        "name": name,
        "ready": ready,
        "restartCount": restarts,
        "state": state,
        "imageID": f"sha256:{name}",
    }


def running(body: Body, ip: str, *, prepared: str = "") -> Body:
    """The status of a pod all of whose containers run and are ready.

    `prepared` is the message of its golden copy's container.
    """
    return {
        "phase": "Running",
        "podIP": ip,
        "conditions": [{"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [
            container(c["name"], ready=True, running={}) for c in body["spec"]["containers"]
        ],
        "initContainerStatuses": _begun(body, prepared),
    }


def _begun(body: Body, prepared: str = "") -> list[Body]:
    """The init containers once the others run: native sidecars do too, the rest have ended."""
    ended_well = {"exitCode": 0, "reason": "Completed", "message": ""}
    found = []
    for one in body["spec"].get("initContainers", ()):
        lasts = one.get("restartPolicy") == "Always"
        said = {"prepare": prepared, "driver": json.dumps({"jar": JAR_DIGEST})}.get(one["name"], "")
        ended: Body = {"terminated": {**ended_well, "message": said}}
        found.append(container(one["name"], ready=True, **({"running": {}} if lasts else ended)))
    return found


def unprepared(body: Body, message: str) -> Body:
    """The status of a pod whose golden copy fails again and again."""
    failed = {"exitCode": 1, "reason": "Error", "message": message}
    return {
        **body["status"],
        "initContainerStatuses": [
            {
                **container("prepare", restarts=3, waiting={"reason": "CrashLoopBackOff"}),
                "lastState": {"terminated": failed},
            }
        ],
    }


def ended(body: Body, ends: Mapping[str, tuple[int, str]]) -> Body:
    """The status of a pod whose containers have ended, each with exit code and message."""
    return {
        "phase": "Succeeded" if not any(code for code, _ in ends.values()) else "Failed",
        "conditions": [{"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [
            container(name, terminated={"exitCode": code, "reason": "Completed", "message": text})
            for name, (code, text) in ends.items()
        ],
        "initContainerStatuses": _begun(body),
    }
