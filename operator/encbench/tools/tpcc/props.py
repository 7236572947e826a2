"""The client of a workload, the paths in its pod, and its props file.

encbench's own client takes BenchmarkSQL 5's properties and some more (docs/tpcc.md). The file holds
neither user nor password, which `client.sh` adds in the pod, and nothing that differs between
replicas: each replica gets its part of the terminals separately.
"""

import math
from collections.abc import Mapping
from typing import Literal

from encbench.api.tpcc import Tpcc
from encbench.api.workload import Load
from encbench.core.certificates import FOLDER
from encbench.core.connection import Connection
from encbench.core.offered import shares
from encbench.engines.facts import facts
from encbench.tools.tpcc import jdbc

Kind = Literal["own", "5", "6"]
"""encbench's own client, or BenchmarkSQL of that version."""

CREDENTIALS = "/etc/encbench/credentials"
"""Mount point of `username` and `password`."""
SCRATCH = "/tmp"  # noqa: S108 - an emptyDir in memory: the props file holds the password
RESULTS = f"{SCRATCH}/encbench/results"
"""BenchmarkSQL 6's result folder."""
CA_FILE = f"{FOLDER}/cacert.pem"
"""The CA's certificate, if the mode has TLS."""

OWN_OPTIONS = ("deadlineSeconds", "foreignKeys", "plainStatements")
"""Properties of encbench's own client without a field in the API (docs/tpcc.md)."""

Props = dict[str, str]


def kind_of(tpcc: Tpcc) -> Kind:
    """The client that drives this workload."""
    if tpcc.benchmarksql is None:
        return "own"
    return "6" if tpcc.dialect == 6 else "5"


def load_props(tpcc: Tpcc, connection: Connection, cores: float, connections: int | None) -> Props:
    """For loading. `cores` are the client's, and `connections` what the server has, if known."""
    workers = min(tpcc.load_workers or max(1, 2 * math.ceil(cores)), tpcc.warehouses)
    if connections is not None:
        # One connection makes the tables and stays open beside the workers'.
        workers = min(workers, connections - 1)
    return {
        **_common(tpcc, connection, measured=False),
        "loadWorkers": str(workers),
        **tpcc.options,
    }


def run_props(
    tpcc: Tpcc, load: Load, connection: Connection, cores: float, seconds: float | None = None
) -> Props:
    """For the measured run, as all replicas share it.

    `seconds` is how long the load lasts in an interleaved block.
    """
    kind = kind_of(tpcc)
    probe = kind == "own" and connection.columns
    return {
        **_common(tpcc, connection, measured=True),
        **(
            _benchmarksql_6(tpcc, load, cores)
            if kind == "6"
            else _terminals(kind, tpcc, load, seconds)
        ),
        # Clients before this property refuse it, and send what it stands for by default.
        **({"statements": tpcc.sent} if kind == "own" and tpcc.statements else {}),
        **({"probeColumns": "true"} if probe else {}),
        **tpcc.options,
    }


def replica_props(tpcc: Tpcc, concurrency: int, seed: int, replicas: int) -> list[Props]:
    """Properties of each replica beside those of the file: its part of the terminals, the seed."""
    kind, parts = kind_of(tpcc), shares(concurrency, replicas)
    if kind == "6":
        return [{"sutThreads": str(part), **_deliveries(tpcc, part)} for part in parts]
    limits = shares(tpcc.limit_txns_per_min or 0, replicas)  # 0 is none
    found = []
    for index, part in enumerate(parts):
        props = {"terminals": str(part), "limitTxnsPerMin": str(limits[index])}
        if kind == "own":
            props |= {
                "terminalOffset": str(sum(parts[:index])),
                "terminalsTotal": str(concurrency),
                # One for all: it decides the constant of last names (clause 2.1.6.1), and each
                # terminal has a stream of its own by its number.
                "seed": str(seed),
            }
        found.append(props)
    return found


def _deliveries(tpcc: Tpcc, connections: int) -> Props:
    """Three quarters of the connections may do deferred deliveries, as in its own samples.

    A workload's option is in the file, which these properties override.
    """
    if "maxDeliveryBGThreads" in tpcc.options:
        return {}
    return {"maxDeliveryBGThreads": str(max(1, connections * 3 // 4))}


def text(props: Mapping[str, str]) -> str:
    """The props as a file, values escaped as java.util.Properties reads them."""
    return "".join(f"{name}={_escaped(value)}\n" for name, value in props.items())


def _escaped(value: str) -> str:
    escaped = value.replace("\\", "\\\\")
    return f"\\{escaped}" if escaped.startswith(" ") else escaped


def _common(tpcc: Tpcc, connection: Connection, *, measured: bool) -> Props:
    kind = kind_of(tpcc)
    chosen = jdbc.driver(connection.engine, tpcc.driver)
    benchmarksql = kind != "own"
    parameters = {**(chosen.measured if benchmarksql and measured else {}), **tpcc.url_parameters}
    url = jdbc.url(chosen, connection, CA_FILE, batches=benchmarksql, parameters=parameters)
    return {
        "db": facts(connection.engine).tpcc[kind],
        "driver": jdbc.class_name(connection, tpcc.driver),
        # The URL of the user's own driver may hold a key: `client.sh` assembles it.
        **({} if jdbc.jar(connection) else {"conn": url}),
        "warehouses": str(tpcc.warehouses),
    }


def _terminals(kind: Kind, tpcc: Tpcc, load: Load, seconds: float | None) -> Props:
    """The window and the terminals of our own client, or of BenchmarkSQL 5."""
    warmup, length = load.warmup_seconds, load.duration_seconds
    if seconds is not None:
        length = math.ceil(seconds - warmup)
    window = {"warmupSeconds": f"{warmup:.0f}", "runSeconds": f"{length:.0f}"}
    if kind == "5":
        window = {"runTxnsPerTerminal": "0", "runMins": f"{length / 60:.0f}"}
    return {
        **window,
        "terminalWarehouseFixed": str(tpcc.terminal_warehouse_fixed).lower(),
        **{f"{name}Weight": f"{weight:g}" for name, weight in tpcc.mix.weights.items()},
    }


def _benchmarksql_6(tpcc: Tpcc, load: Load, cores: float) -> Props:
    weights = tpcc.mix.weights
    return {
        "application": "Generic",
        "monkeys": str(max(1, math.ceil(cores))),
        "maxDeliveryBGPerWarehouse": "1",
        "rampupMins": f"{load.warmup_seconds / 60:.0f}",
        "rampupSUTMins": "0",
        "rampupTerminalMins": "0",
        "runMins": f"{load.duration_seconds / 60:.0f}",
        "reportIntervalSecs": "1",  # as the other clients
        "restartSUTThreadProbability": "0.0",
        # No think time, as in the other clients; a workload's options may override it.
        "keyingTimeMultiplier": "0.0",
        "thinkTimeMultiplier": "0.0",
        "traceTerminalIO": "false",
        "resultDirectory": RESULTS,
        # New-Order gets the rest of 100.
        **{f"{name}Weight": f"{weights[name]:g}" for name in weights if name != "newOrder"},
    }
