"""What KWOK does to pods, as data: the kubelet's part of them, but for what runs in them.

A pod runs as soon as it has a node, at an address of its own on loopback. A load ends at once. The
end of a trial's client is left to the stand-ins, who know when it has uploaded.
"""

import json
from typing import Any, Final

from encbench.kube import labels

ADDRESSES: Final = "127.64.0.1/10"
"""Of the pods: all of 127.0.0.0/8 is loopback on Linux, so the stand-ins answer at each of them."""
LOADS: Final = "load"
"""Component of a pod that loads a dataset."""

_NOW: Final = "{{ $now := Now }}{{ $root := . }}\n"
_READY: Final = """\
phase: Running
startTime: {{ $now | Quote }}
conditions:
{{ range $type := ( splitList " " "Initialized ContainersReady Ready" ) }}
- {type: {{ $type }}, status: "True", lastTransitionTime: {{ $now | Quote }}}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ printf "sha256:%064d" 1 | Quote }}
  ready: true
  restartCount: 0
  state: {running: {startedAt: {{ $now | Quote }}}}
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ printf "sha256:%064d" 1 | Quote }}
  ready: true
  restartCount: 0
  state: {terminated: {exitCode: 0, reason: Completed, finishedAt: {{ $now | Quote }}}}
{{ end }}
hostIP: 127.0.0.1
{{ $ips := PodIPsWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace }}
podIP: {{ index $ips 0 | Quote }}
podIPs:
- ip: {{ index $ips 0 | Quote }}
"""
_ENDED: Final = """\
phase: Succeeded
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ printf "sha256:%064d" 1 | Quote }}
  ready: false
  restartCount: 0
  state: {terminated: {exitCode: 0, reason: Completed, finishedAt: {{ $now | Quote }}}}
{{ end }}
"""


def document() -> str:
    """KWOK's configuration."""
    alive = _expression(".metadata.deletionTimestamp", "DoesNotExist")
    pending = _expression(".status.phase", "In", "Pending")
    loads = _expression(f'.metadata.labels["{labels.COMPONENT}"]', "In", LOADS)
    running = _expression(".status.phase", "In", "Running")
    found = [
        _stage("Pod", "run", [alive, pending], {"statusTemplate": _NOW + _READY}),
        _stage("Pod", "load", [alive, running, loads], {"statusTemplate": _NOW + _ENDED}),
        _stage(
            "Pod",
            "delete",
            [_expression(".metadata.deletionTimestamp", "Exists")],
            {"delete": True},
        ),
        # Nodes are ready from their creation. Without a stage of theirs KWOK takes its own.
        _stage("Node", "none", [_expression(".metadata.name", "In", "none")], {"delete": True}),
    ]
    return "\n---\n".join(json.dumps(stage) for stage in found)


def _stage(kind: str, name: str, when: list[Any], then: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": f"{kind.lower()}-{name}"},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": kind},
            "selector": {"matchExpressions": when},
            "next": then,
        },
    }


def _expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}
