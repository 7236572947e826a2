"""sysbench's command lines. They hold no secret: user and password are in the options file."""

from encbench.api.workload import Load, Sysbench, WorkloadSpec
from encbench.core.certificates import FOLDER
from encbench.core.connection import Connection
from encbench.core.offered import shares
from encbench.core.tls import suite
from encbench.tools.context import seed_of
from encbench.tools.sysbench import enclave
from encbench.tools.turns import MARGIN

# Mount points: of the options file, of the user's own script, of encbench's.
CREDENTIALS = "/etc/encbench/sysbench"
SCRIPTS = "/etc/encbench/script"
SESSION = "/etc/encbench/session"

OPTIONS_FILE = "sysbench.conf"
"""Entry of the credentials Secret: user and password, which the engine writes because it creates
the user. sysbench 1.0.20 reads `name=value` lines (`--config-file`) without quoting: in tests with
real logins it lost blanks, quotes, commas and a leading `#`, and cut lines near 256 bytes.
Passwords in hexadecimal digits are safe."""
SESSION_SCRIPT = "session.lua"
"""Runs the workload's script and reports what its session negotiated."""
VACUUM_SCRIPT = "vacuum.lua"
"""Vacuums the tables of a load."""
AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY = "cacert.pem", "client-cert.pem", "client-key.pem"
"""Files in `FOLDER` under the names that sysbench expects in its working directory with MySQL's
protocol. It needs all three; libpq gets the path of the first."""

IGNORED_ERRORS = "1213,1020,1205"
"""Deadlock, row changed since it was read, lock wait timeout: the client of a loaded database has
to try again. They are counted and reported. Every other error, such as a lost connection, ends the
run."""


def script_argument(sysbench: Sysbench) -> str:
    """The built-in script's name, or the path of encbench's or the user's own."""
    if sysbench.script_config_map_ref is not None:
        return f"{SCRIPTS}/{sysbench.script_config_map_ref.key}"
    assert sysbench.script is not None  # noqa: S101 - the model has one of the two
    return sysbench.script if sysbench.enclave_workload is None else f"{SESSION}/{enclave.SCRIPT}"


def environment(connection: Connection) -> dict[str, str]:
    """The settings that libpq takes only from the environment; none for MySQL's protocol.

    By default libpq negotiates TLS whenever the server offers it, and sysbench has no option to
    prevent that. libpq has no setting for a suite, so the server offers only one.
    """
    if connection.driver == "mysql":
        return {}
    if connection.tls is None:
        return {"PGSSLMODE": "disable", "PGGSSENCMODE": "disable"}
    return {
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": f"{FOLDER}/{AUTHORITY}",
        "PGSSLMINPROTOCOLVERSION": connection.tls.version,
        "PGSSLMAXPROTOCOLVERSION": connection.tls.version,
        "PGGSSENCMODE": "disable",
    }


def run_seconds(workload: WorkloadSpec) -> int:
    """Duration of a sequential trial's load in seconds, including the warm-up."""
    load = workload.load
    margin = 0 if workload.recovery is None else MARGIN
    return int(load.warmup_seconds) + int(load.duration_seconds) + margin


def _connection(connection: Connection, credentials: str) -> list[str]:
    driver, tls, encryption = connection.driver, connection.tls, list[str]()
    if driver == "mysql":
        on = [] if tls is None else [f"--mysql-ssl-cipher={suite(tls)}"]
        encryption = [f"--mysql-ssl={'on' if on else 'off'}", *on]
    return [
        f"--config-file={credentials}/{OPTIONS_FILE}",
        f"--db-driver={driver}",
        f"--{driver}-host={connection.host}",
        f"--{driver}-port={connection.port}",
        f"--{driver}-db={connection.database}",
        *encryption,
    ]


def unverified(connection: Connection) -> str | None:
    """Observed with 1.0.20: it refuses another CA's certificate, but not one for another name."""
    if connection.tls is None or connection.driver != "mysql":
        return None
    authority = "a CA of the Secret's ca.crt" if connection.outside else "the campaign's CA"
    return f"its names, because sysbench verifies only that {authority} has signed it"


def _dataset(sysbench: Sysbench, options: dict[str, str]) -> list[str]:
    return [
        f"--tables={sysbench.tables}",
        f"--table-size={sysbench.table_size}",
        *(f"--{name}={value}" for name, value in sorted(options.items())),
    ]


def _load_options(sysbench: Sysbench) -> dict[str, str]:
    """A script that is not the user's draws k by `rand-*`, which a load leaves out.

    Workloads that differ in these options share a testbed (`core.dataset`), so the data must not
    depend on which of them loads it.
    """
    if sysbench.script_config_map_ref is not None:
        return sysbench.options
    named = sysbench.options.items()
    return {name: value for name, value in named if not name.startswith(("rand-", "rand_"))}


def load_command(
    sysbench: Sysbench, connection: Connection, threads: int, credentials: str = CREDENTIALS
) -> list[str]:
    """The command line, to which `cleanup` or `prepare` is appended."""
    return [
        "sysbench",
        *_connection(connection, credentials),
        *_dataset(sysbench, _load_options(sysbench)),
        *enclave.arguments(sysbench, connection),
        f"--threads={threads}",
        script_argument(sysbench),
    ]


def vacuum_command(
    connection: Connection, threads: int, credentials: str = CREDENTIALS
) -> list[str]:
    """The command line that ends a load into PostgreSQL."""
    return [
        "sysbench",
        *_connection(connection, credentials),
        f"--threads={threads}",
        f"{SESSION}/{VACUUM_SCRIPT}",
        "vacuum",
    ]


def run_command(
    workload: WorkloadSpec,
    connection: Connection,
    credentials: str = CREDENTIALS,
    seconds: int | None = None,
) -> list[str]:
    """The command line that all replicas share, to which `replica_arguments` are appended.

    `seconds` is how long the load lasts in an interleaved block.
    """
    load, sysbench = workload.load, workload.sysbench_test
    warmup = int(load.warmup_seconds)
    checkpoint = [f"--report-checkpoints={warmup}"] if warmup else []
    # With PostgreSQL sysbench always ignores 40P01, 40001 and 23505.
    ignored = [f"--mysql-ignore-errors={IGNORED_ERRORS}"] if connection.driver == "mysql" else []
    return [
        "sysbench",
        *_connection(connection, credentials),
        *ignored,
        *_dataset(sysbench, sysbench.options),
        *enclave.arguments(sysbench, connection),
        f"--time={run_seconds(workload) if seconds is None else seconds}",
        *checkpoint,
        "--report-interval=1",
        "--percentile=95",
        "--histogram=on",
        f"{SESSION}/{SESSION_SCRIPT}",
        "run",
    ]


def replica_arguments(load: Load, concurrency: int, seed: int, replicas: int) -> list[list[str]]:
    """For each replica, its share of threads and of the rate, and its own seed.

    The shares add up to the whole and differ by one at most.
    """
    threads = shares(concurrency, replicas)
    rates = shares(load.rate, replicas) if load.rate is not None else None
    return [
        [
            f"--threads={threads[index]}",
            f"--rand-seed={seed_of(seed, index)}",
            *([f"--rate={rates[index]}"] if rates else []),
        ]
        for index in range(replicas)
    ]
