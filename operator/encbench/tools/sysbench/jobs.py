"""The Jobs that load a dataset and drive a trial with sysbench."""

import math
import shlex
from pathlib import Path

from encbench.api.scalars import parse_duration
from encbench.api.workload import Sysbench
from encbench.core import certificates
from encbench.core.certificates import FOLDER
from encbench.core.columns import layout
from encbench.core.connection import Connection
from encbench.core.offered import shares
from encbench.kube import pods
from encbench.ports import Body
from encbench.tools import gathering, pod
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.sysbench import command, enclave
from encbench.tools.turns import load_seconds

_LOADER = Path(__file__).with_name("load.sh").read_text()
_SESSION = Path(__file__).with_name(command.SESSION_SCRIPT).read_text()
_VACUUM = Path(__file__).with_name(command.VACUUM_SCRIPT).read_text()
_COUNTERS = Path(__file__).with_name("counters.lua").read_text()


def loader(connection: Connection, threads: int, credentials: str = command.CREDENTIALS) -> str:
    """The script that loads: cleanup, prepare, and on PostgreSQL a vacuum of the tables."""
    if connection.driver != "pgsql":
        return _LOADER
    last = command.vacuum_command(connection, threads, credentials)
    return f"{_LOADER}step {shlex.join(last)}\n"


def load_job(context: LoadContext) -> Body:
    """The Job `<testbed>-load`, with as many tables in parallel as useful."""
    dataset = context.spec.dataset
    client, sysbench = dataset.client, dataset.sysbench_test
    cores = math.ceil(client.resources.cores)
    threads = min(sysbench.tables, 2 * cores, context.spec.max_connections)
    if context.index_builds is not None:
        # Each thread builds an index at the end of each of its tables.
        threads = min(threads, context.index_builds)
    words = command.load_command(sysbench, context.connection, threads)
    own = enclave.texts() if sysbench.enclave_workload else {}
    if context.connection.driver == "pgsql":
        own |= {command.VACUUM_SCRIPT: _VACUUM}
    files = {**_login(context), **_files(context, sysbench, dataset.script_config_map)}
    if own:
        files[command.SESSION] = pod.annotation_volume(own)
    tool = pod.tool_container(
        client,
        pod.shell(loader(context.connection, threads), "load.sh", words),
        pod.mounts(files),
        command.environment(context.connection),
        context.spec.cpu_share,
    )
    annotations = {pod.annotation(name): text for name, text in own.items()}
    return pod.load_job(context, _at_certificates(tool, context), files.values(), annotations)


def trial_job(context: TrialContext) -> Body:
    """The indexed Job of a trial, with the trial's name."""
    spec, workload = context.spec, context.spec.workload
    client, sysbench = workload.client, workload.sysbench_test
    seconds = command.run_seconds(workload)
    if spec.turns is not None:
        seconds = math.ceil(load_seconds(spec))
    replicas = command.replica_arguments(
        workload.load, spec.concurrency, spec.seed, client.replicas
    )
    words, counting, first = pod.in_turns(
        context,
        command.run_command(workload, context.connection, seconds=seconds),
        shares(spec.concurrency, client.replicas)[0],
    )
    limit = gathering.gather_seconds(spec) + seconds + parse_duration(spec.step_deadlines.overrun)
    # Session and counters are one file, because the second wraps what the first has loaded.
    own = {command.SESSION_SCRIPT: _SESSION + (_COUNTERS if counting else "")}
    if sysbench.enclave_workload:
        own |= enclave.texts()
    files = {
        **_login(context),
        command.SESSION: pod.annotation_volume(own),
        **_files(context, sysbench, spec.script_config_map),
    }
    variables = {
        **counting,
        **command.environment(context.connection),
        # What our own script runs.
        "ENCBENCH_SCRIPT": command.script_argument(sysbench),
        **gathering.environment(spec),
    }
    tool = pod.tool_container(
        client,
        pod.wrapped(math.ceil(limit), words),
        [pods.mount("run", pod.RUN, read_only=False), *pod.mounts(files)],
        pod.run_environment(variables, replicas),
        context.share,
    )
    return pod.client_job(
        context,
        "sysbench",
        _at_certificates(tool, context),
        files.values(),
        annotations={pod.annotation(name): text for name, text in own.items()},
        first=first,
    )


def _login(context: LoadContext | TrialContext) -> dict[str, Body]:
    entries = {command.OPTIONS_FILE: command.OPTIONS_FILE}
    return {
        command.CREDENTIALS: pods.secret_volume("credentials", context.credentials_secret, entries)
    }


def _files(
    context: LoadContext | TrialContext, sysbench: Sysbench, config_map: str | None
) -> dict[str, Body]:
    """Volumes of the user's own script, of certificates and key, by the paths of their mounts."""
    files: dict[str, Body] = {}
    if (ref := sysbench.script_config_map_ref) is not None:
        # The frozen copy of the user's script, or the user's own ConfigMap if there is no copy.
        files[command.SCRIPTS] = pods.config_map_volume("script", config_map or ref.name, ref.key)
    if context.connection.tls is not None:
        # The CA and the client's own certificate, under the names that sysbench expects.
        entries = {
            certificates.AUTHORITY: command.AUTHORITY,
            certificates.CLIENT_CERTIFICATE: command.CLIENT_CERTIFICATE,
            certificates.CLIENT_KEY: command.CLIENT_KEY,
        }
        files[FOLDER] = pods.secret_volume("tls", context.credentials_secret, entries)
    key = context.connection.mek
    if context.connection.enclave is not None and key is not None:
        entries = {key.entry: layout.MEK}
        files[layout.MEK_FOLDER] = pods.secret_volume("mek", key.secret, entries)
    return files


def _at_certificates(tool: Body, context: LoadContext | TrialContext) -> Body:
    """The tool, started in the only folder in which sysbench looks for certificates."""
    return tool if context.connection.tls is None else {**tool, "workingDir": FOLDER}
