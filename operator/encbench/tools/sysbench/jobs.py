"""The Jobs that load a dataset and drive a trial with sysbench."""

import math
from pathlib import Path

from encbench.api.scalars import parse_duration
from encbench.api.workload import Sysbench
from encbench.core import certificates
from encbench.core.certificates import FOLDER
from encbench.kube import labels, pods
from encbench.ports import Body
from encbench.tools import pod
from encbench.tools.context import LoadContext, TrialContext, load_job_name
from encbench.tools.sysbench import command
from encbench.tools.sysbench.options import FILE_NAME
from encbench.wire import environment as names

_LOADER = Path(__file__).with_name("load.sh").read_text()
_SESSION = Path(__file__).with_name(command.SESSION_SCRIPT).read_text()

SESSION_ANNOTATION = "encbench.io/session.lua"
"""The pod carries our script as an annotation, because each sysbench thread reads it from a file
and the image does not contain it."""


def load_job(context: LoadContext) -> Body:
    """The Job `<testbed>-load`: cleanup and prepare, with as many tables in parallel as useful."""
    dataset = context.spec.dataset
    client, sysbench = dataset.client, dataset.sysbench_test
    cores = math.ceil(client.resources.cores)
    threads = min(sysbench.tables, 2 * cores, context.spec.max_connections)
    words = command.load_command(sysbench, context.connection, threads)
    own = labels.metadata(
        load_job_name(context.testbed), context.namespace, context.labels, context.owner
    )
    mounts = [
        pods.mount("credentials", command.CREDENTIALS),
        *_script_mount(sysbench),
        *_tls_mount(context),
    ]
    container = {
        **pod.tool_container(client, pod.shell(_LOADER, "load.sh", words), mounts),
        **_working_directory(context),
        "env": pods.environment(command.environment(context.connection)),
    }
    volumes = [
        pods.secret_volume("credentials", context.credentials_secret, {FILE_NAME: FILE_NAME}),
        *_script_volume(sysbench, dataset.script_config_map),
        *_tls_volume(context),
    ]
    return pod.single_job(own, context.labels, pod.pod_spec(client, [container], volumes))


def trial_job(context: TrialContext) -> Body:
    """The indexed Job of a trial, with the trial's name."""
    spec, workload = context.spec, context.spec.workload
    client, load, sysbench = workload.client, workload.load, workload.sysbench_test
    words = command.run_command(workload, context.connection)
    limit = command.run_seconds(workload) + parse_duration(spec.step_deadlines.overrun)
    mounts = [
        pods.mount("run", pod.RUN, read_only=False),
        pods.mount("credentials", command.CREDENTIALS),
        pods.mount("session", command.SESSION),
        *_script_mount(sysbench),
        *_tls_mount(context),
    ]
    own = command.replica_arguments(load, spec.concurrency, spec.seed, client.replicas)
    tool = {
        **pod.tool_container(client, pod.wrapped(math.ceil(limit), words), mounts),
        **_working_directory(context),
        "env": pods.environment(
            {
                names.RUN_DIR: pod.RUN,
                **command.environment(context.connection),
                **command.session_environment(sysbench),
                **{f"ENCBENCH_REPLICA_{n}": " ".join(some) for n, some in enumerate(own)},
            }
        ),
    }
    recorder = pod.recorder_container(context, "sysbench", client.resources)
    volumes = [
        *pod.recorder_volumes(context),
        pods.secret_volume("credentials", context.credentials_secret, {FILE_NAME: FILE_NAME}),
        pod.annotation_volume("session", SESSION_ANNOTATION, command.SESSION_SCRIPT),
        *_script_volume(sysbench, spec.script_config_map),
        *_tls_volume(context),
    ]
    annotations = {SESSION_ANNOTATION: _SESSION}
    return pod.client_job(context, [tool, recorder], volumes, annotations)


def _script_mount(sysbench: Sysbench) -> list[Body]:
    if sysbench.script_config_map_ref is None:
        return []
    return [pods.mount("script", command.SCRIPTS)]


def _script_volume(sysbench: Sysbench, config_map: str | None) -> list[Body]:
    """The frozen copy of the user's script, or the user's own ConfigMap if there is no copy."""
    ref = sysbench.script_config_map_ref
    if ref is None:
        return []
    return [pod.config_map_volume("script", config_map or ref.name, ref.key)]


def _tls_mount(context: LoadContext | TrialContext) -> list[Body]:
    return [] if context.connection.tls is None else [pods.mount("tls", FOLDER)]


def _tls_volume(context: LoadContext | TrialContext) -> list[Body]:
    """The CA and the client's own certificate, under the names that sysbench expects."""
    if context.connection.tls is None:
        return []
    entries = {
        certificates.AUTHORITY: command.AUTHORITY,
        certificates.CLIENT_CERTIFICATE: command.CLIENT_CERTIFICATE,
        certificates.CLIENT_KEY: command.CLIENT_KEY,
    }
    return [pods.secret_volume("tls", context.credentials_secret, entries)]


def _working_directory(context: LoadContext | TrialContext) -> Body:
    """The only folder in which sysbench looks for certificates."""
    return {} if context.connection.tls is None else {"workingDir": FOLDER}
