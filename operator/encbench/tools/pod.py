"""The common parts of all tools' pods: the wrapper, the recorder, placement.

The parts that they share with the databases' pods are in `kube.pods`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from encbench.api.workload import Client
from encbench.kube import affinity, labels, pods
from encbench.ports import Body
from encbench.tools.context import LoadContext, TrialContext, load_job_name
from encbench.wire import environment as names
from encbench.wire.files import COUNTERS, SLICES, TIMETABLE
from encbench.wire.sidecar import mounted

RUN = "/run/encbench"
TURNSTILE = "turnstile"
REACH = "reach"
RECORDER_PORT = 9471
"""Metrics, in the clear."""
RECORDER_CONTROL_PORT = 9473
"""The rest, by TLS."""
RECORDER_CPU = "100m"
RECORDER_MEMORY = "64Mi"
RECORDER_CREDENTIALS = "/etc/encbench/recorder"
OUTPUT_LIMIT = "1Gi"
GRACE_SECONDS = 60
"""From the pod's deletion to its end: the recorder's time to store the results."""
LOAD_GRACE_SECONDS = 1
"""The same of a load, which has nothing to store and whose shells take no notice of SIGTERM. An
external database outlives it, and others may be loading by then."""

_WRAPPER = Path(__file__).with_name("run.sh").read_text()


def shell(script: str, name: str, arguments: list[str]) -> list[str]:
    """The command of a container that runs a packaged POSIX shell script."""
    return [pods.verbatim(word) for word in ["sh", "-c", script, name, *arguments]]


def wrapped(seconds: int, command: list[str]) -> list[str]:
    """The command of a container that runs a tool under `run.sh`, for at most that long."""
    return shell(_WRAPPER, "run.sh", [str(seconds), *command])


def may_run(pod: Body) -> float | None:
    """Seconds for which the tool of a client's pod may run; None if its spec does not say."""
    tools = (one for one in pod.get("containers") or () if one["name"] == "tool")
    match next((one.get("command") or [] for one in tools), []):
        case [_, _, _, "run.sh", seconds, *_] if seconds.isdigit():
            return float(seconds)
    return None


def annotation_volume(files: Iterable[str]) -> Body:
    """The volume `session`: annotations of the pod as files, as `annotation` names them."""
    items = [
        {"path": file, "fieldRef": {"fieldPath": f"metadata.annotations['{annotation(file)}']"}}
        for file in files
    ]
    return {"name": "session", "downwardAPI": {"defaultMode": 0o444, "items": items}}


def annotation(file: str) -> str:
    """The annotation that carries a file of encbench's own.

    Each thread of a tool reads such a file by its path, and the tool's image does not contain it.
    """
    return f"encbench.io/{file}"


def pod_spec(
    context: LoadContext | TrialContext, client: Client, containers: list[Body], volumes: list[Body]
) -> Body:
    """The pod of a load or of a trial's client, with the workload's placement."""
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": pods.pod_security(),
        "containers": containers,
        "volumes": volumes,
        **pods.placing(
            client.placement,
            context.programs.marks,
            client.image_pull_secrets,
            context.programs.pull_secrets,
        ),
    }


def mounts(files: Mapping[str, Body]) -> list[Body]:
    """The mount of each volume at its path. A tool writes to empty folders only."""
    return [
        pods.mount(volume["name"], path, read_only="emptyDir" not in volume)
        for path, volume in files.items()
    ]


def tool_container(
    client: Client,
    command: list[str],
    own_mounts: list[Body],
    variables: Mapping[str, str],
    share: int = 1,
) -> Body:
    """The tool's own image.

    Of `share` pods that take turns, or that load side by side unmeasured, each requests a part.
    """
    return pods.container(
        "tool",
        (client.image, client.image_pull_policy),
        command,
        pods.resources(client.resources.cpu, client.resources.memory, share),
        own_mounts,
        env=pods.environment(variables),
    )


def run_environment(
    variables: Mapping[str, str], replicas: Sequence[Iterable[str]]
) -> dict[str, str]:
    """These, and what `run.sh` reads: its folder, and what each replica adds to the command."""
    own = {f"ENCBENCH_REPLICA_{index}": " ".join(words) for index, words in enumerate(replicas)}
    return {names.RUN_DIR: RUN, **variables, **own}


def in_turns(
    context: TrialContext, words: list[str], threads: int
) -> tuple[list[str], dict[str, str], list[Body]]:
    """A tool's command that takes turns, its variables and init containers; else it is unchanged.

    `threads` is the most that one replica has. The turnstile ends with the tool's exit code.
    """
    if context.spec.turns is None:
        return words, {}, []
    own = [
        *(f"{RUN}/{TURNSTILE}", "run", "--timetable", f"{RUN}/{TIMETABLE}"),
        *("--summary", f"{RUN}/{SLICES}", "--counters", f"{RUN}/{COUNTERS}"),
        *("--threads", str(threads), "--"),
    ]
    install = pods.container(
        TURNSTILE,
        context.programs.turnstile,
        [f"/{TURNSTILE}", "install", f"{RUN}/{TURNSTILE}"],
        pods.resources("50m", "16Mi"),
        [pods.mount("run", RUN, read_only=False)],
    )
    return [*own, *words], {names.COUNTERS: f"{RUN}/{COUNTERS}"}, [install]


def _recorder(context: TrialContext, tool: str, process: str) -> Body:
    load, limits = context.spec.workload.load, context.spec.workload.client.resources
    values = {
        names.TOOL: tool,
        names.PROCESS: process,
        names.PREFIX: context.storage_prefix,
        names.STORE: context.store,
        names.WARMUP: f"{load.warmup_seconds:g}",
        names.CPU_LIMIT: f"{limits.cores:g}",
        names.MEMORY_LIMIT: str(limits.memory_bytes),
        names.RUN_DIR: RUN,
        names.CREDENTIALS: RECORDER_CREDENTIALS,
        names.PORT: str(RECORDER_PORT),
        names.CONTROL_PORT: str(RECORDER_CONTROL_PORT),
        names.GRACE: str(GRACE_SECONDS - 5),  # the rest is for its own end
    }
    if context.store_authority is not None:
        values[names.STORE_AUTHORITY] = context.store_authority
    return pods.container(
        "recorder",
        context.programs.operator,
        ["python3", "-m", "encbench.sidecars.recorder"],
        pods.resources(RECORDER_CPU, RECORDER_MEMORY, context.share),
        [
            pods.mount("run", RUN, read_only=False),
            pods.mount("recorder-credentials", RECORDER_CREDENTIALS),
        ],
        env=pods.environment(values),
        ports=pods.ports({"metrics": RECORDER_PORT, "control": RECORDER_CONTROL_PORT}),
    )


def client_job(
    context: TrialContext,
    name: str,
    tool: Body,
    volumes: Iterable[Body],
    *,
    process: str | None = None,
    annotations: dict[str, str] | None = None,
    first: Sequence[Body] = (),
) -> Body:
    """The indexed Job with one pod per replica, without retries: a rerun is a new trial.

    The recorder runs beside `tool`, of that name, with whose pod it shares the volume `run`.
    `process` is the name of the tool's process, if it differs; `first` are init containers.
    """
    client, own = context.spec.workload.client, mounted("recorder")
    shared = [
        {"name": "run", "emptyDir": {"sizeLimit": OUTPUT_LIMIT}},
        pods.secret_volume("recorder-credentials", context.credentials_secret, own),
    ]
    containers = [tool, _recorder(context, name, process or name)]
    spec = {
        **pod_spec(context, client, containers, [*shared, *volumes]),
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "affinity": affinity.of_client(
            context.spec, context.name, context.database_node, keeps_off=context.database_keeps_off
        ),
    }
    if first:
        spec["initContainers"] = list(first)
    if client.replicas > 1:
        spec["topologySpreadConstraints"] = affinity.spread(context.name)
    return _job(
        labels.metadata(context.name, context.namespace, context.labels, context.owner),
        {
            "completionMode": "Indexed",
            "completions": client.replicas,
            "parallelism": client.replicas,
            "podReplacementPolicy": "Failed",
        },
        pods.template_metadata(
            {**context.labels, labels.SCRAPE: "true"}, context.programs.marks, annotations
        ),
        spec,
    )


def load_job(
    context: LoadContext,
    tool: Body,
    volumes: Iterable[Body],
    annotations: Mapping[str, str] | None = None,
    *,
    first: Sequence[Body] = (),
) -> Body:
    """The Job `<testbed>-load` of one pod, without retries.

    Its first connection may be retried, in a container before the tool's; `first` are further ones.
    """
    name = load_job_name(context.testbed)
    metadata = labels.metadata(name, context.namespace, context.labels, context.owner)
    spec = {
        **pod_spec(context, context.spec.dataset.client, [tool], [*volumes]),
        "terminationGracePeriodSeconds": LOAD_GRACE_SECONDS,
        "initContainers": [_reach(context), *first],
        "affinity": affinity.of_load(context.spec, context.testbed),
    }
    template = pods.template_metadata(context.labels, context.programs.marks, annotations)
    return _job(metadata, {}, template, spec)


def reached(pod: Body) -> tuple[str, str]:
    """Host, in small letters, and port that a load's pod connects to; empty if it does not say."""
    first = (pod.get("spec") or {}).get("initContainers") or ()
    words: list[str] = next((one["command"] for one in first if one["name"] == REACH), [])
    return (words[-2].lower(), words[-1]) if words else ("", "")


def _reach(context: LoadContext) -> Body:
    """The wait for the first connection, with less than a trial's client of this tool has."""
    connection, cpu = context.connection, context.spec.dataset.client.resources.cpu
    words = [
        *("python3", "-m", "encbench.sidecars.reach"),
        *(connection.host, str(connection.port)),
    ]
    return pods.container(
        REACH,
        context.programs.operator,
        [pods.verbatim(word) for word in words],
        pods.resources(cpu, RECORDER_MEMORY, context.spec.cpu_share),
    )


def _job(metadata: Body, more: dict[str, Any], pod_metadata: Body, pod: Body) -> Body:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"backoffLimit": 0, **more, "template": {"metadata": pod_metadata, "spec": pod}},
    }
