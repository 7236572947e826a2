"""When two workloads load the same data: then they are measured on the same testbeds."""

from encbench.api.tpcc import Tpcc
from encbench.api.workload import Sysbench, WorkloadSpec
from encbench.core.naming import digest

PREPARE_OPTIONS = frozenset(
    {"auto_inc", "create_secondary", "mysql_storage_engine", "pgsql_variant", "secondary"}
)
"""Options of sysbench's built-in scripts that decide what tables are made (oltp_common.lua)."""

FOREIGN_KEYS = "foreignKeys"
"""The one option of encbench's own TPC-C client that its tables depend on."""


def dataset_key(workload: WorkloadSpec) -> str:
    """The same for two workloads that load the same tables."""
    if workload.tpcc is not None:
        return _tpcc(workload.tpcc)
    return _sysbench(workload.sysbench_test)


def _sysbench(sysbench: Sysbench) -> str:
    """The built-in scripts share their tables.

    Of a built-in script's options only those count that its prepare command reads; what a script of
    the user's own does with its options is not known, so all of them count.
    """
    ref, options = sysbench.script_config_map_ref, sysbench.options
    if ref is None:
        options = {
            name: value
            for name, value in options.items()
            if name.replace("-", "_") in PREPARE_OPTIONS
        }
    script = ref.to_dict() if ref else "oltp"
    return digest([script, sysbench.tables, sysbench.table_size, options])[:12]


def _tpcc(tpcc: Tpcc) -> str:
    """Mix, terminals and length are the run's alone. Each client makes tables of its own."""
    if tpcc.benchmarksql is not None:
        client = ["benchmarksql", str(tpcc.dialect)]
    else:
        client = ["encbench", tpcc.options.get(FOREIGN_KEYS, "")]
    return digest(["tpcc", client, tpcc.warehouses])[:12]
