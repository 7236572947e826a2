"""What an agent shows of encrypted column types that are as a mode asks for."""

from typing import Any

from encbench.api.columns import Columns
from encbench.core.columns import enclave
from encbench.wire import agent as wire

DIGEST = "5e" * 32
"""Of the row that no workload touches."""
OPERATORS = {
    "Single": {"enc_int4": "enc_int4_ops", "enc_text": "enc_text_ops"},
    "PageBatch": {"enc_int4": "enc_int4_batch_ops", "enc_text": "enc_text_batch_ops"},
}


def seen(columns: Columns, tables: int = 1) -> wire.EnclaveSeen:
    """The evidence's `enclave`."""
    kinds, boundary = enclave.types(columns), columns.boundary
    names = [f"sbtest{number}" for number in range(1, tables + 1)]
    operators = OPERATORS[boundary.index]
    return {
        "types": {name: dict(kinds) for name in names},
        "indexes": [
            wire.EnclaveIndexRow(
                table=name,
                name=f"{name}_pkey" if column == "id" else f"k_{name.removeprefix('sbtest')}",
                column=column,
                operatorClass=operators.get(kinds[column], "int4_ops"),
            )
            for name in names
            for column in ("id", "k")
        ],
        "plans": [
            wire.EnclavePlanRow(
                lookup=lookup, workload=workload, nodes=["Index Scan"], indexes=[index]
            )
            for lookup, index in (("id", "sbtest1_pkey"), ("k", "k_1"))
            for workload in ("point", "range")
        ],
        "searches": [
            wire.EnclaveSearchRow(
                lookup=lookup, transitions=3 if boundary.index == "PageBatch" else 24
            )
            for lookup in ("id", "k")
            if kinds[lookup] in operators
        ],
        "row": {"table": "sbtest1", "found": True, "digest": DIGEST, "wrong": {}},
        "calibration": {
            "transitionAsked": float(boundary.transition_ns),
            "transition": boundary.transition_ns * 1.004 or 130.0,
            "valueAsked": float(boundary.value_ns),
            "value": boundary.value_ns * 0.998 or 110.0,
        },
        "marker": [
            {"path": f"base/16387/{number}", "bytes": 8192, "found": False}
            for number in (16401, 16405)
        ],
        "refused": None,
    }


def evidence(columns: Columns, tables: int = 1) -> dict[str, Any]:
    """As much of an agent's answer as the proof of the types reads."""
    return {"files": [], "enclave": seen(columns, tables)}
