"""Which columns each mode encrypts in the tables of each workload, and what share they are.

Both follow from the frozen mode and workload alone, by the lists of `core.columns`, so no record
holds them.
"""

from collections.abc import Sequence

from encbench.api.campaign import Resolved
from encbench.core.columns import selection
from encbench.report.document import EncryptedColumns
from encbench.report.document.group import Group


def encrypted_columns(groups: Sequence[Group], resolved: Resolved) -> tuple[EncryptedColumns, ...]:
    """One for each mode that encrypts and each workload under it, in the order of the plan."""
    found: dict[tuple[str, str], EncryptedColumns] = {}
    for group in groups:
        workload = resolved.workloads[group.workload]
        schema = selection.schema_of(tpcc=workload.tpcc is not None)
        tables = 1 if workload.tpcc is not None else workload.sysbench_test.tables
        for arm in group.arms:
            columns, key = resolved.modes[arm.mode_ref].columns, (arm.mode_ref, group.workload)
            if columns is None or not columns.encrypts or key in found:
                continue
            share = None if workload.own_script else selection.share(schema, columns, tables)
            found[key] = EncryptedColumns(
                mode=arm.mode_ref,
                workload=group.workload,
                algorithm=columns.algorithm,
                ratio=columns.ratio,
                columns=selection.chosen(schema, columns),
                of=share.total if share else None,
                share=share.fraction if share else None,
                strict=None if share else columns.strict,
            )
    return tuple(found.values())
