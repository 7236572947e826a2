"""The Jobs that load a TPC-C dataset and drive a trial over JDBC."""

import math
from pathlib import Path

from encbench.api.scalars import parse_duration
from encbench.api.tpcc import Tpcc
from encbench.api.workload import Client
from encbench.core.certificates import AUTHORITY, FOLDER
from encbench.core.connection import Connection
from encbench.kube import labels, pods
from encbench.ports import Body
from encbench.tools import pod
from encbench.tools.context import LoadContext, TrialContext, load_job_name
from encbench.tools.tpcc import drivers, jdbc, props
from encbench.tools.tpcc.client import CA_FILE, CREDENTIALS, SCRATCH, kind_of
from encbench.wire import environment as names

CLIENT = Path(__file__).with_name("client.sh").read_text()
PROCESS = "java"
SCRATCH_LIMIT = "64Mi"
HEAP_MIB = 192
"""The default of our own client, which is enough for 1,024 terminals."""


def load_job(context: LoadContext) -> Body:
    """The Job `<testbed>-load`: drop the old tables, create new ones and fill them."""
    dataset = context.spec.dataset
    tpcc, client = _tpcc(dataset.tpcc), dataset.client
    written = props.load_props(tpcc, context.connection, client.resources.cores)
    container = {
        **pod.tool_container(client, _load_command(tpcc), _mounts(context.connection)),
        "env": pods.environment(
            {
                **_environment(tpcc, context.connection, written, client),
                # For other databases the agent checks the tables.
                **({"ENCBENCH_CHECK": "true"} if context.spec.instance.is_external else {}),
            }
        ),
    }
    own = labels.metadata(
        load_job_name(context.testbed), context.namespace, context.labels, context.owner
    )
    volumes = _volumes(context.connection, context.credentials_secret)
    return pod.single_job(own, context.labels, pod.pod_spec(client, [container], volumes))


def trial_job(context: TrialContext) -> Body:
    """The indexed Job of a trial, with the trial's name."""
    spec, workload = context.spec, context.spec.workload
    tpcc, load, client = _tpcc(workload.tpcc), workload.load, workload.client
    written = props.run_props(tpcc, load, context.connection, client.resources.cores)
    limit = (
        load.warmup_seconds + load.duration_seconds + parse_duration(spec.step_deadlines.overrun)
    )
    tool = {
        **pod.tool_container(
            client,
            pod.wrapped(math.ceil(limit), ["sh", "-c", CLIENT, "client.sh", kind_of(tpcc), "run"]),
            [
                pods.mount("run", pod.RUN, read_only=False),
                *_mounts(context.connection),
                *drivers.mounts(context.connection),
            ],
        ),
        "env": pods.environment(
            {
                names.RUN_DIR: pod.RUN,
                **_environment(tpcc, context.connection, written, client),
                **drivers.environment(context.connection),
                **_replicas(tpcc, context, client),
            }
        ),
    }
    recorder = pod.recorder_container(context, "tpcc", client.resources, PROCESS)
    volumes = [
        *pod.recorder_volumes(context),
        *_volumes(context.connection, context.credentials_secret),
        *drivers.volumes(context.connection),
    ]
    first = drivers.init_containers(context)
    return pod.client_job(context, [tool, recorder], volumes, first=first)


def _tpcc(tpcc: Tpcc | None) -> Tpcc:
    assert tpcc is not None  # noqa: S101 - the registry chose us by it
    return tpcc


def _load_command(tpcc: Tpcc) -> list[str]:
    return pod.shell(CLIENT, "client.sh", [kind_of(tpcc), "load"])


def _environment(
    tpcc: Tpcc, connection: Connection, written: props.Props, client: Client
) -> dict[str, str]:
    """The environment of `client.sh`. It holds no secret."""
    values = {
        "ENCBENCH_PROPS": props.text(written),
        names.CREDENTIALS: CREDENTIALS,
        "ENCBENCH_SCRATCH": SCRATCH,
    }
    if tpcc.benchmarksql is not None:
        values["ENCBENCH_BENCHMARKSQL"] = tpcc.benchmarksql.home
    else:
        heap = max(HEAP_MIB, client.resources.memory_bytes // 2**21)
        values["TPCC_JAVA_OPTIONS"] = f"-Xmx{heap}m"
    driver = jdbc.driver(connection.engine, tpcc.driver)
    if connection.tls is not None and driver.needs_trust_store:
        values |= {
            "ENCBENCH_CA": CA_FILE,
            "ENCBENCH_TRUST_STORE": jdbc.TRUST_STORE,
            "ENCBENCH_TRUST_STORE_PASSWORD": jdbc.TRUST_STORE_PASSWORD,
        }
    return values


def _replicas(tpcc: Tpcc, context: TrialContext, client: Client) -> dict[str, str]:
    spec = context.spec
    own = props.replica_props(tpcc, spec.concurrency, spec.seed, client.replicas)
    return {
        f"ENCBENCH_REPLICA_{index}": " ".join(f"{name}={value}" for name, value in some.items())
        for index, some in enumerate(own)
    }


def _mounts(connection: Connection) -> list[Body]:
    mounts = [
        pods.mount("scratch", SCRATCH, read_only=False),
        pods.mount("credentials", CREDENTIALS),
    ]
    return mounts if connection.tls is None else [*mounts, pods.mount("tls", FOLDER)]


def _volumes(connection: Connection, secret: str) -> list[Body]:
    entries = {"username": "username", "password": "password"}
    volumes = [
        {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": SCRATCH_LIMIT}},
        pods.secret_volume("credentials", secret, entries),
    ]
    if connection.tls is None:
        return volumes
    return [*volumes, pods.secret_volume("tls", secret, {AUTHORITY: Path(CA_FILE).name})]
