"""TPC-C's Stock-Level on PostgreSQL, whose plan changes when orders pile up (docs/tpcc.md)."""

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.engines.facts import facts

MANY_ORDERS = 100_000
"""New orders of a warehouse, which is loaded with 30,000. With 265,000 PostgreSQL 15 was seen with
the other plan; where it changes depends on statistics and settings."""


def plan_changes(instance: InstanceTemplateSpec, workload: WorkloadSpec) -> bool:
    """Whether an arm may get the other plan at another time than the arms beside it.

    Lean statements do not have it, and the arms on an external database share their data.
    """
    return (
        workload.tpcc is not None
        and workload.tpcc.sent == "benchmarksql"
        and facts(instance.engine).package == "postgresql"
        and not instance.is_external
    )
