"""sysbench's command lines. No secret stands in them: user and password are in the options file."""

from encbench.api.workload import Load, Sysbench, WorkloadSpec
from encbench.tools.sysbench.options import FILE_NAME

CREDENTIALS = "/etc/encbench/sysbench"
"""Where the options file is mounted."""
SCRIPTS = "/etc/encbench/script"
"""Where the user's own script is mounted."""
PORT = 3306

IGNORED_ERRORS = "1213,1020,1205"
"""Deadlock, row changed since it was read, lock wait timeout: the client's part in a loaded
database is to try again. Counted and reported; anything else, a lost connection above all, ends the
run."""

_MAX_SEED = 2**31 - 1


def script_argument(sysbench: Sysbench) -> str:
    """The built-in script's name, or the path of the user's own."""
    if sysbench.script_config_map_ref is not None:
        return f"{SCRIPTS}/{sysbench.script_config_map_ref.key}"
    assert sysbench.script is not None  # noqa: S101 - the model has one of the two
    return sysbench.script


def _connection(host: str, credentials: str) -> list[str]:
    return [
        f"--config-file={credentials}/{FILE_NAME}",
        "--db-driver=mysql",
        f"--mysql-host={host}",
        f"--mysql-port={PORT}",
        "--mysql-ssl=off",
    ]


def _dataset(sysbench: Sysbench) -> list[str]:
    return [
        f"--tables={sysbench.tables}",
        f"--table-size={sysbench.table_size}",
        *(f"--{name}={value}" for name, value in sorted(sysbench.options.items())),
    ]


def load_command(
    sysbench: Sysbench, host: str, threads: int, credentials: str = CREDENTIALS
) -> list[str]:
    """The command line that wants only `cleanup` or `prepare` at its end."""
    return [
        "sysbench",
        *_connection(host, credentials),
        *_dataset(sysbench),
        f"--threads={threads}",
        script_argument(sysbench),
    ]


def run_command(workload: WorkloadSpec, host: str, credentials: str = CREDENTIALS) -> list[str]:
    """The command line that all replicas share; `replica_arguments` are to be appended."""
    load = workload.load
    warmup, duration = int(load.warmup_seconds), int(load.duration_seconds)
    checkpoint = [f"--report-checkpoints={warmup}"] if warmup else []
    return [
        "sysbench",
        *_connection(host, credentials),
        f"--mysql-ignore-errors={IGNORED_ERRORS}",
        *_dataset(workload.sysbench),
        f"--time={warmup + duration}",
        *checkpoint,
        "--report-interval=1",
        "--percentile=95",
        "--histogram=on",
        script_argument(workload.sysbench),
        "run",
    ]


def replica_arguments(load: Load, concurrency: int, seed: int, replicas: int) -> list[list[str]]:
    """For each replica its share of threads and of the rate, and a seed of its own.

    The shares add up to the whole and differ by one at most.
    """
    threads = shares(concurrency, replicas)
    rates = shares(load.rate, replicas) if load.rate is not None else None
    return [
        [
            f"--threads={threads[index]}",
            f"--rand-seed={(seed + index - 1) % _MAX_SEED + 1}",
            *([f"--rate={rates[index]}"] if rates else []),
        ]
        for index in range(replicas)
    ]


def shares(whole: int, parts: int) -> list[int]:
    """A number in parts as equal as whole numbers allow, the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (index < rest) for index in range(parts)]
