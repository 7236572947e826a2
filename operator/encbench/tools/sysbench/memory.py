"""The memory of sysbench's threads: their own, and that of the statements that they prepare.

Each thread has a Lua state and a connection, and the OLTP scripts prepare each of their statements
for each table in each thread. The kernel kills a client that runs out of memory during a trial, so
the need is estimated in advance. A user's own script is assumed to prepare no statement.
"""

from collections.abc import Iterator

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import WORKLOAD
from encbench.api.workload import Sysbench, WorkloadSpec
from encbench.core.offered import shares
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions
from encbench.tools.sysbench import builtin, enclave

MEBIBYTE, KIBIBYTE = 2**20, 2**10

AT_REST = 16 * MEBIBYTE
MEMORY = SessionMemory(connection=384 * KIBIBYTE, statement=11 * KIBIBYTE)
"""Measured with 1.0.20 and MySQL's protocol: 368 KiB for each of 256 threads without prepared
statements, 10.5 KiB for each of 11 or 146 prepared statements, and 391 KiB for each of 2,048
threads. With libpq it is less: 307 KiB and 2.4 KiB."""
TLS_MEMORY = 112 * KIBIBYTE
"""Added for each thread: 92 KiB were measured with 256 threads."""


def statements(workload: WorkloadSpec) -> int:
    """Number of statements that each thread prepares."""
    sysbench = workload.sysbench_test
    if not builtin.prepares(sysbench):
        return 0
    each, once = _prepared(sysbench)
    return each * sysbench.tables + once


def problems(workload: WorkloadSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """A problem if the client's memory does not hold its threads."""
    own, load = workload.client.resources, workload.load
    threads = shares(max(load.concurrency), workload.client.replicas)[0]
    sessions = Sessions(threads, statements(workload))
    takes = AT_REST + MEMORY.of(sessions) + (TLS_MEMORY * threads if mode.in_transit else 0)
    if takes <= own.memory_bytes:
        return
    fewer = (
        "fewer sysbench.tables, "
        if sessions.statements and workload.sysbench_test.tables > 1
        else ""
    )
    text = (
        f"client.resources.memory of {own.memory} does not hold {sessions}: write "
        f"{-(-takes // MEBIBYTE)}Mi or more, more client.replicas, {fewer}or a lower "
        "load.concurrency"
    )
    yield Problem(WORKLOAD, Reason.MEMORY_TOO_SMALL, text)


def _prepared(sysbench: Sysbench) -> tuple[int, int]:
    """Per table, and in addition."""
    if sysbench.script is None:
        return 0, 0
    if sysbench.enclave_workload is not None:
        return enclave.STATEMENTS[sysbench.enclave_workload]
    ranges = 4 if sysbench.flag("range-selects", default=True) else 0
    changes = 4  # two updates, a deletion and an insertion
    transaction = 0 if sysbench.flag("skip-trx", default=False) else 2  # BEGIN and COMMIT
    known: dict[str, tuple[int, int]] = {
        "oltp_read_only": (1 + ranges, transaction),
        "oltp_read_write": (1 + ranges + changes, transaction),
        "oltp_write_only": (changes, transaction),
        "oltp_point_select": (1, 0),
        "oltp_update_index": (1, 0),
        "oltp_update_non_index": (1, 0),
        "oltp_delete": (1, 0),
        "oltp_insert": (0, 0),
        "select_random_points": (0, 1),
        "select_random_ranges": (0, 1),
    }
    return known[sysbench.script]
