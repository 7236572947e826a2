"""Which data a workload loads, and how much.

Two workloads that load the same data are measured on the same testbeds.
"""

from collections.abc import Iterable

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.tpcc import Tpcc
from encbench.api.workload import Sysbench, WorkloadSpec
from encbench.core.columns import enclave
from encbench.core.naming import digest

PREPARE_OPTIONS = frozenset({"auto_inc", "create_secondary", "secondary"})
"""Options of sysbench's built-in scripts that decide which tables they make (oltp_common.lua). The
API refuses mysql_* and pgsql_*, and a load leaves out rand_*."""

ENCLAVE_OPTIONS = frozenset({"create_secondary", "lookup"})
"""The same of encbench's own scripts for encrypted types."""

FOREIGN_KEYS = "foreignKeys"
"""The only option of encbench's TPC-C client that its tables depend on."""

SYSBENCH_ROW_BYTES = 240
"""About what a row of sysbench's oltp tables takes with its secondary index."""
SEALED_VALUE_BYTES, SEALED_ENTRY_BYTES = 32, 36
"""What a value and an index entry of an encrypted type take more, the entry with its alignment."""
TPCC_WAREHOUSE_BYTES = 100 * 2**20
"""About what a freshly loaded warehouse of TPC-C takes with its indexes."""


def dataset_bytes(workload: WorkloadSpec, modes: Iterable[EncryptionModeSpec]) -> int | None:
    """About what the rows of a workload's tables take, in that of the modes where they take most.

    None for a script of the user's own.
    """
    if workload.own_script:
        return None
    if workload.tpcc is not None:
        return workload.tpcc.warehouses * TPCC_WAREHOUSE_BYTES
    test = workload.sysbench_test
    more = max((_sealed_bytes(test, mode) for mode in modes), default=0)
    return test.tables * test.table_size * (SYSBENCH_ROW_BYTES + more)


def _sealed_bytes(sysbench: Sysbench, mode: EncryptionModeSpec) -> int:
    """What a row takes more in that mode. Only encbench's own scripts make encrypted types."""
    if mode.enclave is None or sysbench.enclave_workload is None:
        return 0
    values = {*enclave.encrypted(mode.enclave)}
    entries = values.intersection(enclave.indexed(sysbench))
    return len(values) * SEALED_VALUE_BYTES + len(entries) * SEALED_ENTRY_BYTES


def dataset_key(workload: WorkloadSpec) -> str:
    """A key that two workloads share when they load the same tables."""
    if workload.tpcc is not None:
        return _tpcc(workload.tpcc)
    return _sysbench(workload.sysbench_test)


def _sysbench(sysbench: Sysbench) -> str:
    """The built-in scripts share their tables, and so do encbench's own.

    Only those options of a built-in script count that its prepare command reads. All options of
    the user's own script count, because its use of them is unknown.
    """
    ref, options = sysbench.script_config_map_ref, sysbench.options
    is_own = sysbench.enclave_workload is not None
    if ref is None:
        read = ENCLAVE_OPTIONS if is_own else PREPARE_OPTIONS
        options = {name: value for name, value in options.items() if name.replace("-", "_") in read}
    script = ref.to_dict() if ref else "enclave" if is_own else "oltp"
    return digest([script, sysbench.tables, sysbench.table_size, options])[:12]


def _tpcc(tpcc: Tpcc) -> str:
    """Mix, terminals and length affect the run only. Each client makes its own tables."""
    if tpcc.own_load:
        client = ["encbench", tpcc.options.get(FOREIGN_KEYS, "")]
    else:
        client = ["benchmarksql", str(tpcc.dialect)]
    return digest(["tpcc", client, tpcc.warehouses])[:12]
