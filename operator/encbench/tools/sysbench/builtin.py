"""Options of sysbench 1.0.20 as its own help prints them (Debian 1.0.20+ds-5), as data.

`sysbench --help` and `sysbench <script> help`; the contract tests compare this with the real
program. Names are in the form with underscores, which sysbench treats as dashes.
"""

from typing import Literal

from encbench.api.workload import Sysbench

Kind = Literal["number", "integer", "flag", "text"]
"""What sysbench takes: N, [=on|off] or STRING. Its help writes N for both numbers: those of scripts
may have a fraction, and of its own only rand-pareto-h."""

COMMON: dict[str, Kind] = {
    "auto_inc": "flag",
    "create_secondary": "flag",
    "delete_inserts": "number",
    "distinct_ranges": "number",
    "index_updates": "number",
    "mysql_storage_engine": "text",
    "non_index_updates": "number",
    "order_ranges": "number",
    "pgsql_variant": "text",
    "point_selects": "number",
    "range_selects": "flag",
    "range_size": "number",
    "secondary": "flag",
    "simple_ranges": "number",
    "skip_trx": "flag",
    "sum_ranges": "number",
    "table_size": "number",
    "tables": "number",
}
"""Declared by oltp_common.lua, which every built-in script includes."""

_OLTP = (
    "oltp_common oltp_delete oltp_insert oltp_point_select oltp_read_only oltp_read_write "
    "oltp_update_index oltp_update_non_index oltp_write_only"
)
SCRIPTS: dict[str, dict[str, Kind]] = {
    **dict.fromkeys(_OLTP.split(), COMMON),
    "select_random_points": {**COMMON, "random_points": "number"},
    "select_random_ranges": {**COMMON, "number_of_ranges": "number", "delta": "number"},
}

GENERAL: dict[str, Kind] = {
    "db_ps_mode": "text",
    "rand_pareto_h": "number",
    "rand_spec_iter": "integer",
    "rand_spec_pct": "integer",
    "rand_spec_res": "integer",
    "rand_type": "text",
}
"""sysbench's own options that a workload may set with any script."""

CHOICES: dict[str, tuple[str, ...]] = {
    "db_ps_mode": ("auto", "disable"),
    "rand_type": ("uniform", "gaussian", "special", "pareto"),
}
RANGES: dict[str, tuple[float, float]] = {
    "rand_pareto_h": (0.0001, 0.9999),
    "rand_spec_iter": (1, 2**31 - 1),
    "rand_spec_pct": (1, 100),
    "rand_spec_res": (0, 99),
}
"""Values with which sysbench draws ids of the table. It takes any other and computes with it, by
which it divides by zero or draws from beyond the table's ends."""

OWNED: dict[str, str] = {
    "db_debug": "it would change what is measured",
    "debug": "it would change what is measured",
    "help": "it would start no test",
    "max_requests": "the run ends by time: write load.duration",
    "max_time": "write load.duration",
    "num_threads": "write load.concurrency",
    "thread_stack_size": "it would change what is measured",
    "tx_rate": "write load.rate",
    "validate": "it would change what is measured",
    "verbosity": "the operator reads the output",
    "version": "it would start no test",
}
"""Options of sysbench that a workload may not set, in addition to those that the API itself refuses
(`api.workload.OWNED_OPTIONS`), and the alternatives."""


def prepares(sysbench: Sysbench) -> bool:
    """Whether sysbench prepares a script's statements instead of sending them as text."""
    return sysbench.option("db-ps-mode", "auto") != "disable"
