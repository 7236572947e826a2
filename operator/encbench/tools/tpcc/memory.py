"""The memory of encbench's own client: what its JVM's heap may take, and the least that it needs.

docs/design/0004-tpcc.md says what was measured. The kernel kills a client that runs out of memory,
so the need is estimated in advance. What BenchmarkSQL needs is not known.
"""

from collections.abc import Iterator

from encbench.api.kinds import WORKLOAD
from encbench.api.workload import Client, WorkloadSpec
from encbench.core.offered import shares
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions

MEBIBYTE, KIBIBYTE = 2**20, 2**10

HEAP_MIB = 192
"""The default of our own client, which is enough for 1,024 terminals."""
LEAST = (HEAP_MIB + 64) * MEBIBYTE
"""That heap, and code, classes and the JVM's own threads beside it."""
AT_REST = 160 * MEBIBYTE
MEMORY = SessionMemory(connection=192 * KIBIBYTE, statement=0)
"""Measured, heap included: 134 MiB resident with 8 terminals, 316 with 1,024."""


def heap_mib(client: Client) -> int:
    """What the heap may take: half of the container's limit, or its default."""
    return max(HEAP_MIB, client.resources.memory_bytes // (2 * MEBIBYTE))


def benchmarksql_heap_mib(client: Client) -> int:
    """What BenchmarkSQL's heap may take: 70 % of the container's limit."""
    return client.resources.memory_bytes * 7 // (10 * MEBIBYTE)


def problems(workload: WorkloadSpec) -> Iterator[Problem]:
    """A problem if the client's memory does not hold the JVM that loads or runs TPC-C."""
    tpcc, own = workload.tpcc_test, workload.client.resources
    if not tpcc.own_load:
        return
    loads_only = tpcc.benchmarksql is not None
    concurrency = 0 if loads_only else max(workload.load.concurrency)
    terminals = shares(concurrency, workload.client.replicas)[0]
    by_terminals = AT_REST + MEMORY.of(Sessions(terminals, 0))
    takes = max(LEAST, by_terminals)
    if takes <= own.memory_bytes:
        return
    heap = f"a heap of {heap_mib(workload.client)} MiB"
    fewer = ", more client.replicas, or a lower load.concurrency" if by_terminals > LEAST else ""
    text = (
        f"client.resources.memory of {own.memory} does not hold encbench's own client, which has "
        f"{heap}{f' and {terminals:,} terminals' if fewer else ''}: write "
        f"{-(-takes // MEBIBYTE)}Mi or more{fewer}"
    )
    yield Problem(WORKLOAD, Reason.MEMORY_TOO_SMALL, text)
