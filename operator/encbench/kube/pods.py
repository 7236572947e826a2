"""What every pod of encbench has in common, whichever engine or tool it runs; pure.

All containers run as one user whatever their image, so no image's own user or entrypoint matters,
and a sidecar may read its neighbour's `/proc` entry and files. Every container, init containers
included, has requests equal to limits, because one without limits would make the pod Burstable
instead of Guaranteed; only clients of interleaved blocks, of which one runs at a time, share the
CPU that they request, and so do their databases where the campaign says so. The pods satisfy the
restricted Pod Security Standard.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from encbench.api.base import Placement
from encbench.api.scalars import parse_quantity

USER_ID = 10001

UNDISTURBED = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction": "true",
    "karpenter.sh/do-not-disrupt": "true",
    "linkerd.io/inject": "disabled",
}
"""Annotations by which cluster-autoscaler, the descheduler and Karpenter leave a pod, and with it
its node, alone. A PodDisruptionBudget holds off whoever asks the API server for an eviction.
Linkerd's is here too, because it goes by an annotation."""
OUT_OF_MESHES = {"sidecar.istio.io/inject": "false", "istio.io/dataplane-mode": "none"}
"""Labels by which Istio puts no proxy beside a pod or before it. One would encrypt once more what
is measured, and a Job's pod would not end while it runs."""
LINUX = {"kubernetes.io/os": "linux"}
"""Label of the nodes that run our images. Every kubelet sets it; nodes of Windows are often without
a taint."""

Part = dict[str, Any]
"""A part of a pod's spec as JSON."""


def pod_security() -> Part:
    """Security context of the pod. The group owns mounted Secrets and, where it can, volumes."""
    return {
        "runAsUser": USER_ID,
        "runAsGroup": USER_ID,
        "fsGroup": USER_ID,
        "fsGroupChangePolicy": "OnRootMismatch",
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


@dataclass(frozen=True)
class PodMarks:
    """Labels and annotations that a cluster's own policies ask of every pod, and its priority."""

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    priority_class: str = ""
    """Name of a PriorityClass; empty for the cluster's default."""


UNMARKED = PodMarks()


class Image(NamedTuple):
    """An image, and how a kubelet pulls it."""

    reference: str = ""
    """Empty where the installation names none."""
    policy: str = "IfNotPresent"


NO_IMAGE = Image()


@dataclass(frozen=True)
class Programs:
    """The installation's own programs in pods, and what every pod with one of them has."""

    operator: Image
    """Agent and recorder are in the operator's own."""
    volume: Image = NO_IMAGE
    """The FUSE file systems; without a reference where no pod may be privileged."""
    proxy: Image = NO_IMAGE
    """The confidential proxy."""
    turnstile: Image = NO_IMAGE
    pull_secrets: tuple[str, ...] = ()
    """Names of Secrets in each namespace, by which every pod may pull its images, besides those
    that its template or workload names."""
    marks: PodMarks = UNMARKED
    """What every pod of databases, loads and clients has besides encbench's own."""


def template_metadata(
    labels: Mapping[str, str], marks: PodMarks, annotations: Mapping[str, str] | None = None
) -> Part:
    """Metadata of a pod's template, which no other controller is to touch.

    Where `marks` has a name that is encbench's own, encbench's value counts.
    """
    return {
        "labels": {**marks.labels, **labels, **OUT_OF_MESHES},
        "annotations": {**marks.annotations, **UNDISTURBED, **(annotations or {})},
    }


def placing(placement: Placement, marks: PodMarks, *pull_secrets: Iterable[str]) -> Part:
    """Where a pod may run, its priority, and the Secrets that pull its images, each once."""
    found: Part = {}
    if secrets := dict.fromkeys(chain(*pull_secrets)):
        found["imagePullSecrets"] = [{"name": name} for name in secrets]
    found["nodeSelector"] = {**LINUX, **placement.node_selector}
    if placement.tolerations:
        found["tolerations"] = [entry.to_dict() for entry in placement.tolerations]
    if marks.priority_class:
        found["priorityClassName"] = marks.priority_class
    return found


def container_security() -> Part:
    """Security context of each container."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def resources(cpu: str, memory: str, share: int = 1) -> Part:
    """Requests and limits at once; of `share` pods that take turns each requests a part."""
    amounts = {"cpu": cpu, "memory": memory}
    part = cpu if share == 1 else f"{math.ceil(1000 * parse_quantity(cpu) / share)}m"
    return {"requests": {**amounts, "cpu": part}, "limits": amounts}


def container(
    name: str,
    image: tuple[str | None, str],
    command: Sequence[str],
    amounts: Part,
    mounts: Sequence[Part] = (),
    **more: Any,
) -> Part:
    """A container of an image, whose pull policy stands beside it, and of such `resources`.

    If it fails, the end of its log becomes the message for people.
    """
    reference, policy = image
    return {
        "name": name,
        "image": reference,
        "imagePullPolicy": policy,
        "command": list(command),
        **more,
        "resources": amounts,
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        **({"volumeMounts": list(mounts)} if mounts else {}),
    }


def mount(name: str, path: str, *, read_only: bool = True) -> Part:
    """A volume mount."""
    return {"name": name, "mountPath": path, "readOnly": read_only}


def ports(numbers: Mapping[str, int]) -> list[Part]:
    """A container's `ports`, by name."""
    return [
        {"name": name, "containerPort": number, "protocol": "TCP"}
        for name, number in numbers.items()
    ]


def verbatim(text: str) -> str:
    """The text, escaped so that Kubernetes passes it on unchanged.

    In command, args and env the kubelet replaces `$(NAME)` by a variable's value and `$$` by `$`.
    """
    return text.replace("$", "$$")


def environment(values: Mapping[str, str]) -> list[Part]:
    """A container's `env`."""
    return [{"name": name, "value": verbatim(value)} for name, value in values.items()]


def secret_volume(name: str, secret: str, entries: Mapping[str, str]) -> Part:
    """A volume with only these entries of a Secret, as files: file name by entry."""
    items = [{"key": key, "path": path} for key, path in entries.items()]
    return {"name": name, "secret": {"secretName": secret, "defaultMode": 0o440, "items": items}}


def config_map_volume(name: str, config_map: str, entry: str) -> Part:
    """A volume with only this entry of a ConfigMap, as a file of the same name."""
    items = [{"key": entry, "path": entry}]
    return {"name": name, "configMap": {"name": config_map, "defaultMode": 0o444, "items": items}}
