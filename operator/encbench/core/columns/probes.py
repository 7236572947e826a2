"""The rows that prove column encryption: one of each table. Standard library only: the agent's.

In TPC-C's tables they are loaded rows that no transaction changes, found by their keys. The digest
leaves out columns that some transaction changes, because our client reads the same rows before its
first transaction and after its last (docs/design/0007-columns.md, "The client's lines"). In any
other table it is the first row, which both of the agent's sessions read on a server at rest.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NULL = b"\\N"
SEPARATOR = b"\x1f"
SAMPLE = 16
"""Tables that the agent reads around a trial; a full proof reads all. At its twentieth of a core,
250 tables take several seconds."""
ABSENT = "absent"
"""Stands for the digest of a row that does not exist."""


class RowProbe(NamedTuple):
    """One table's row."""

    table: str
    where: str
    """What follows the table's name in the statement."""
    changing: frozenset[str] = frozenset()
    """Columns that the digest leaves out."""
    may_go: bool = False
    """Whether a transaction may delete the row."""


TPCC: tuple[RowProbe, ...] = (
    RowProbe("bmsql_config", "WHERE cfg_name = 'warehouses'"),
    RowProbe("bmsql_warehouse", "WHERE w_id = 1", frozenset({"w_ytd"})),
    RowProbe(
        "bmsql_district", "WHERE d_w_id = 1 AND d_id = 1", frozenset({"d_ytd", "d_next_o_id"})
    ),
    RowProbe(
        "bmsql_customer",
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        frozenset({"c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data"}),
    ),
    RowProbe("bmsql_history", "ORDER BY hist_id LIMIT 1"),
    RowProbe(
        "bmsql_new_order", "WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 3000", may_go=True
    ),
    RowProbe("bmsql_oorder", "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 1"),
    RowProbe(
        "bmsql_order_line", "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1"
    ),
    RowProbe("bmsql_item", "WHERE i_id = 1"),
    RowProbe(
        "bmsql_stock",
        "WHERE s_w_id = 1 AND s_i_id = 1",
        frozenset({"s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"}),
    ),
)
_KNOWN = {probe.table: probe for probe in TPCC}
MAY_GO = frozenset(probe.table for probe in TPCC if probe.may_go)


def probe_of(table: str) -> RowProbe:
    """How to read one row of a table of that name."""
    return _KNOWN.get(table.lower(), RowProbe(table, "LIMIT 1"))


def digest(
    probe: RowProbe, names: Sequence[str], values: Sequence[bytes | None] | None
) -> str | None:
    """The digest that our client prints for this row; None for a table that it does not read."""
    if probe.table not in _KNOWN:
        return None
    if values is None:
        return ABSENT
    kept = [
        NULL if value is None else value
        for name, value in zip(names, values, strict=True)
        if name.lower() not in probe.changing
    ]
    return digest_of(kept)


def digest_of(values: Iterable[bytes]) -> str:
    """The digest of a row's plaintext, as clients print it."""
    return hashlib.sha256(SEPARATOR.join(values)).hexdigest()
