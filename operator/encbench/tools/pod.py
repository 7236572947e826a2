"""The common parts of all tools' pods: the wrapper, the recorder, placement.

The parts that they share with the databases' pods are in `kube.pods`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from encbench.api.base import Placement, Resources
from encbench.api.workload import Client
from encbench.kube import labels
from encbench.kube.pods import (
    container_security,
    environment,
    mount,
    pod_security,
    resources,
    secret_volume,
    verbatim,
)
from encbench.ports import Body
from encbench.tools.context import TrialContext
from encbench.wire import environment as names

RUN = "/run/encbench"
RECORDER_PORT = 9471
RECORDER_CPU = "100m"
RECORDER_MEMORY = "64Mi"
TOKEN = "/etc/encbench/recorder"  # noqa: S105 - a folder
OUTPUT_LIMIT = "1Gi"
GRACE_SECONDS = 60
"""From the pod's deletion to its end: the recorder's time to store the results."""
_GRACE_RESERVE = 5

_WRAPPER = Path(__file__).with_name("run.sh").read_text()


def shell(script: str, name: str, arguments: list[str]) -> list[str]:
    """The command of a container that runs a packaged POSIX shell script."""
    return [verbatim(word) for word in ["sh", "-c", script, name, *arguments]]


def wrapped(seconds: int, command: list[str]) -> list[str]:
    """The command of a container that runs a tool under `run.sh`, for at most that long."""
    return shell(_WRAPPER, "run.sh", [str(seconds), *command])


def config_map_volume(name: str, config_map: str, entry: str) -> Body:
    """A volume with only this entry of a ConfigMap, as a file of the same name."""
    items = [{"key": entry, "path": entry}]
    return {"name": name, "configMap": {"name": config_map, "defaultMode": 0o444, "items": items}}


def annotation_volume(name: str, annotation: str, path: str) -> Body:
    """A volume with one annotation of the pod as a file."""
    field = {"fieldPath": f"metadata.annotations['{annotation}']"}
    items = [{"path": path, "fieldRef": field}]
    return {"name": name, "downwardAPI": {"defaultMode": 0o444, "items": items}}


def pod_spec(client: Client, containers: list[Body], volumes: list[Body]) -> Body:
    """The pod of a load or of a trial's client, with the workload's placement."""
    spec: Body = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": pod_security(),
        **_placement(client.placement),
        "containers": containers,
        "volumes": volumes,
    }
    if client.image_pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in client.image_pull_secrets]
    return spec


def _placement(placement: Placement) -> Body:
    spec: Body = {}
    if placement.node_selector:
        spec["nodeSelector"] = dict(placement.node_selector)
    if placement.tolerations:
        spec["tolerations"] = [toleration.to_dict() for toleration in placement.tolerations]
    return spec


def tool_container(client: Client, command: list[str], mounts: list[Body]) -> Body:
    """The tool's own image. If it fails, the end of its log becomes the message for people."""
    return {
        "name": "tool",
        "image": client.image,
        "imagePullPolicy": client.image_pull_policy,
        "command": command,
        "resources": resources(client.resources.cpu, client.resources.memory),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": mounts,
    }


def recorder_container(
    context: TrialContext, tool: str, limits: Resources, process: str | None = None
) -> Body:
    """The recorder. It mounts the volumes `run` and `recorder-token`.

    `process` is the name of the tool's process, if it differs from the tool's.
    """
    load = context.spec.workload.load
    values = {
        names.TOOL: tool,
        names.PROCESS: process or tool,
        names.PREFIX: context.storage_prefix,
        names.WARMUP: f"{load.warmup_seconds:g}",
        names.CPU_LIMIT: f"{limits.cores:g}",
        names.MEMORY_LIMIT: str(limits.memory_bytes),
        names.RUN_DIR: RUN,
        names.TOKEN_FILE: f"{TOKEN}/token",
        names.PORT: str(RECORDER_PORT),
        names.GRACE: str(GRACE_SECONDS - _GRACE_RESERVE),
    }
    return {
        "name": "recorder",
        "image": context.sidecar_image,
        "imagePullPolicy": context.sidecar_pull_policy,
        "command": ["python3", "-m", "encbench.sidecars.recorder"],
        "env": environment(values),
        "ports": [{"name": "metrics", "containerPort": RECORDER_PORT, "protocol": "TCP"}],
        "resources": resources(RECORDER_CPU, RECORDER_MEMORY),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [mount("run", RUN, read_only=False), mount("recorder-token", TOKEN)],
    }


def recorder_volumes(context: TrialContext) -> list[Body]:
    """The volume that tool and recorder share, and the recorder's token."""
    return [
        {"name": "run", "emptyDir": {"sizeLimit": OUTPUT_LIMIT}},
        secret_volume("recorder-token", context.credentials_secret, {"token": "token"}),
    ]


def away_from(selector: dict[str, str]) -> Body:
    """An affinity that keeps a pod away from nodes with pods of these labels."""
    term = {"labelSelector": {"matchLabels": selector}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def client_job(
    context: TrialContext,
    containers: list[Body],
    volumes: list[Body],
    annotations: dict[str, str] | None = None,
    first: Sequence[Body] = (),
) -> Body:
    """The indexed Job with one pod per replica, without retries: a rerun is a new trial.

    `first` are init containers.
    """
    client = context.spec.workload.client
    spec = {
        **pod_spec(client, containers, volumes),
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
    }
    if first:
        spec["initContainers"] = list(first)
    if not context.spec.allow_colocation:
        spec["affinity"] = away_from(context.database_selector)
    return _job(
        labels.metadata(context.name, context.namespace, context.labels, context.owner),
        {
            "completionMode": "Indexed",
            "completions": client.replicas,
            "parallelism": client.replicas,
            "podReplacementPolicy": "Failed",
        },
        {
            "labels": {**context.labels, labels.SCRAPE: "true"},
            **({"annotations": annotations} if annotations else {}),
        },
        spec,
    )


def single_job(metadata: Body, pod_labels: dict[str, str], spec: Body) -> Body:
    """A Job of one pod, without retries."""
    return _job(metadata, {}, {"labels": pod_labels}, spec)


def _job(metadata: Body, more: dict[str, Any], pod_metadata: Body, pod: Body) -> Body:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"backoffLimit": 0, **more, "template": {"metadata": pod_metadata, "spec": pod}},
    }
