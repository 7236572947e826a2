"""The Jobs that load a TPC-C dataset and drive a trial over JDBC."""

import math
from pathlib import Path

from encbench.api.scalars import parse_duration
from encbench.api.tpcc import Tpcc
from encbench.api.workload import Client
from encbench.core.certificates import AUTHORITY, FOLDER
from encbench.core.offered import shares
from encbench.kube import pods
from encbench.ports import Body
from encbench.tools import gathering, pod
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.tpcc import drivers, props, trust
from encbench.tools.tpcc.memory import benchmarksql_heap_mib, heap_mib
from encbench.tools.tpcc.props import CA_FILE, CREDENTIALS, OWN_OPTIONS, SCRATCH, kind_of
from encbench.tools.turns import load_seconds
from encbench.wire import environment as names

CLIENT = Path(__file__).with_name("client.sh").read_text()
PROCESS = "java"
SCRATCH_LIMIT = "64Mi"
TERMINAL_SEED = "ENCBENCH_TERMINAL_SEED"
"""A variable, which clients before it ignore, as BenchmarkSQL does: a campaign under way keeps its
client through an upgrade."""


def load_job(context: LoadContext) -> Body:
    """The Job `<testbed>-load`: drop the old tables, create new ones and fill them."""
    dataset = context.spec.dataset
    tpcc, client = _loader(dataset.tpcc_test, dataset.client)
    # What an external server allows is its own.
    most = None if context.spec.instance.is_external else context.spec.max_connections
    if tpcc.own_load and most is not None and context.index_builds is not None:
        # Its workers build the indexes, while BenchmarkSQL builds one after the other.
        most = min(most, context.index_builds + 1)
    written = props.load_props(tpcc, context.connection, client.resources.cores, most)
    files = _files(context)
    tool = pod.tool_container(
        client,
        pod.shell(CLIENT, "client.sh", [kind_of(tpcc), "load"]),
        pod.mounts(files),
        {
            **_environment(tpcc, written, client),
            # For other databases the agent checks the tables.
            **({"ENCBENCH_CHECK": "true"} if context.spec.instance.is_external else {}),
        },
        context.spec.cpu_share,
    )
    share = context.spec.cpu_share
    first = trust.init_containers(context, tpcc.driver, files, client.resources.cpu, share)
    return pod.load_job(context, tool, files.values(), first=first)


def trial_job(context: TrialContext) -> Body:
    """The indexed Job of a trial, with the trial's name."""
    spec, workload = context.spec, context.spec.workload
    tpcc, load, client = workload.tpcc_test, workload.load, workload.client
    connection, files = context.connection, _files(context)
    seconds = load_seconds(spec)
    written = props.run_props(
        *(tpcc, load, connection, client.resources.cores), None if spec.turns is None else seconds
    )
    limit = seconds + parse_duration(spec.step_deadlines.overrun)
    own = props.replica_props(tpcc, spec.concurrency, spec.seed, client.replicas)
    replicas = [[f"{name}={value}" for name, value in one.items()] for one in own]
    words, counting, install = pod.in_turns(
        context,
        ["sh", "-c", CLIENT, "client.sh", kind_of(tpcc), "run"],
        shares(spec.concurrency, client.replicas)[0],
    )
    variables = {
        **counting,
        **gathering.environment(spec),
        **_environment(tpcc, written, client),
        **drivers.environment(connection),
    }
    if spec.terminal_seed is not None:
        variables[TERMINAL_SEED] = str(spec.terminal_seed)
    tool = pod.tool_container(
        client,
        pod.wrapped(math.ceil(limit), words),
        [
            pods.mount("run", pod.RUN, read_only=False),
            *pod.mounts(files),
            *drivers.mounts(connection),
        ],
        pod.run_environment(variables, replicas),
        context.share,
    )
    volumes = [*files.values(), *drivers.volumes(connection)]
    first = [
        *drivers.init_containers(context),
        *trust.init_containers(context, tpcc.driver, files, client.resources.cpu, context.share),
        *install,
    ]
    return pod.client_job(context, "tpcc", tool, volumes, process=PROCESS, first=first)


def _loader(tpcc: Tpcc, client: Client) -> tuple[Tpcc, Client]:
    """The dataset as its load Job sees it: our own client's, where that loads for BenchmarkSQL."""
    if tpcc.benchmarksql is None or not tpcc.own_load:
        return tpcc, client
    options = {name: value for name, value in tpcc.options.items() if name in OWN_OPTIONS}
    own = {"benchmarksql": None, "dialect": 5, "options": options}
    image = {"image": tpcc.benchmarksql.load_image}
    return tpcc.model_copy(update=own), client.model_copy(update=image)


def _environment(tpcc: Tpcc, written: props.Props, client: Client) -> dict[str, str]:
    """The environment of `client.sh`. It holds no secret."""
    values = {
        "ENCBENCH_PROPS": props.text(written),
        names.CREDENTIALS: CREDENTIALS,
        "ENCBENCH_SCRATCH": SCRATCH,
    }
    if tpcc.benchmarksql is not None:
        values["ENCBENCH_BENCHMARKSQL"] = tpcc.benchmarksql.home
        values["ENCBENCH_HEAP_MIB"] = str(benchmarksql_heap_mib(client))
    else:
        values["TPCC_JAVA_OPTIONS"] = f"-Xmx{heap_mib(client)}m"
    return values


def _files(context: LoadContext | TrialContext) -> dict[str, Body]:
    """Volumes of both Jobs by the paths of their mounts."""
    secret, login = context.credentials_secret, {"username": "username", "password": "password"}
    files: dict[str, Body] = {
        SCRATCH: {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": SCRATCH_LIMIT}},
        CREDENTIALS: pods.secret_volume("credentials", secret, login),
    }
    if context.connection.tls is not None:
        files[FOLDER] = pods.secret_volume("tls", secret, {AUTHORITY: Path(CA_FILE).name})
    return files
