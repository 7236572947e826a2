"""Whether the columns that a mode chooses, and no others, are encrypted on their way to a client.

The agent reads the same rows in two sessions (`sidecars.agent.columns`). Each chosen column must be
an envelope of the mode's algorithm, which the mode's key opens to the server's value. Every other
column must arrive with the server's value; with a ratio of 0 that is every column. This proof joins
those of the engine and the volume, because all of them must hold.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from encbench.api.columns import Columns
from encbench.api.testbed import Dataset, TestbedSpec
from encbench.core.columns import selection
from encbench.core.columns.probes import MAY_GO, SAMPLE
from encbench.core.evidence import Proof
from encbench.proofs.check import Comparison, conclude, exempt, holds, joined, none
from encbench.proofs.evidence import Evidence, count


class ReadTable(Evidence):
    """One table's row, as the agent reports it."""

    table: str
    row: bool
    digest: str | None = None
    """What our TPC-C client prints of that row when it decrypts it right."""
    plain: Sequence[str] = ()
    encrypted: Mapping[str, list[str]] = {}
    null: Sequence[str] = ()
    wrong: Mapping[str, str] = {}


class ReadTables(Evidence):
    """The agent's part of the evidence."""

    tables: list[ReadTable]


def judge(proof: Proof, evidence: Mapping[str, Any], spec: TestbedSpec, *, full: bool) -> Proof:
    """The proof so far, joined with the proof of the columns where the mode has any."""
    columns = spec.mode.proxy
    if columns is None:
        return proof
    name = _name(columns)
    seen = ReadTables.read(evidence.get("columns") or {}, "columns")
    if isinstance(seen, Comparison):
        return joined(conclude(name, "", [seen], evidence), proof)
    expected = _Expected(columns, spec.dataset)
    checks = _checks(seen, expected, columns, full=full)
    return joined(conclude(name, _found(seen, columns), checks, evidence), proof)


def digests(evidence: Mapping[str, Any]) -> dict[str, str]:
    """The digest that our TPC-C client must print for each table; empty without valid evidence."""
    seen = ReadTables.read(evidence.get("columns") or {})
    if isinstance(seen, Comparison):
        return {}
    return {one.table.lower(): one.digest for one in seen.tables if one.digest is not None}


def _name(columns: Columns) -> str:
    """The mode for a proof's summary."""
    if not columns.encrypts:
        return "the confidential proxy without encryption"
    return f"column encryption with {columns.algorithm}"


class _Expected:
    """The tables and columns that a testbed must have; names in lower case."""

    def __init__(self, columns: Columns, dataset: Dataset) -> None:
        schema = selection.schema_of(tpcc=dataset.tpcc is not None)
        tables = dataset.tables
        self.chosen = {n.lower() for n in selection.for_proxy(schema, columns, tables)}
        self.named = {n.partition(".")[0] for n in self.chosen} | {
            n.lower().partition(".")[0] for n in selection.for_proxy_all(schema, tables)
        }
        # The user's own script makes tables that no list knows.
        known = dataset.script_config_map is None
        names = selection.for_proxy_all(schema, tables) if known else ()
        self.tables = {name.lower().partition(".")[0] for name in names}

    def unseen(self, tables: Sequence[ReadTable]) -> set[str]:
        """Chosen columns that are in no table: a slip of the pen leaves another one in plaintext.

        Of tables that were not read, or have no row to look at, other checks tell.
        """
        shown = set[str]()
        for one in tables:
            columns = [
                *one.plain,
                *one.null,
                *one.wrong,
                *chain.from_iterable(one.encrypted.values()),
            ]
            shown |= {name.lower() for name in _named(one, columns)}
        read = {one.table.lower() for one in tables}
        unknown = {one.table.lower() for one in tables if not one.row} | (self.tables - read)
        return {n for n in self.chosen - shown if n.partition(".")[0] not in unknown}


def _checks(
    seen: ReadTables, expected: _Expected, columns: Columns, *, full: bool
) -> list[Comparison]:
    read = {one.table.lower() for one in seen.tables}
    wrong, open_, closed, other, null, absent = (list[str]() for _ in range(6))
    sealed = 0
    for one in seen.tables:
        table = one.table.lower()
        if not one.row and table in expected.tables - MAY_GO:
            wrong.append(f"{one.table} (it has no row to look at)")
        elif not one.row:
            absent.append(one.table)
        wrong += [f"{one.table}.{name} ({why})" for name, why in one.wrong.items()]
        open_ += [n for n in _named(one, one.plain) if n.lower() in expected.chosen]
        null += [n for n in _named(one, one.null) if n.lower() in expected.chosen]
        for algorithm, names in one.encrypted.items():
            own = _named(one, names)
            sealed += len(own)
            # To a strict proxy, columns of an unknown table are of unknown origin.
            if table in expected.named or not columns.strict:
                closed += [n for n in own if n.lower() not in expected.chosen]
            other += [n for n in own if algorithm != columns.algorithm]
    missing = sorted(expected.unseen(seen.tables)) if full else []
    wanted = len(expected.tables) if full else min(len(expected.tables), SAMPLE)
    known = len(read & expected.tables) if expected.tables else len(read)
    least = max(wanted, 1)
    checks = [
        Comparison("tables that were read", f"{least} or more", str(known), known >= least),
        none("values that neither equal the server's nor open to them", wrong),
        none("chosen columns in plaintext", open_),
        none("chosen columns that no table has", missing),
        none("columns that are encrypted without being chosen", closed),
        none(f"values of another algorithm than {columns.algorithm}", other),
    ]
    if columns.encrypts:
        checks.append(holds("encrypted values", sealed > 0, "some", "none"))
    if null:
        checks.append(exempt("NULL", f"NULL stays NULL in {', '.join(null)}"))
    if absent:
        checks.append(exempt("empty tables", f"no row in {', '.join(absent)}"))
    return checks


def _named(table: ReadTable, columns: Sequence[str]) -> list[str]:
    return [f"{table.table}.{column}" for column in columns]


def _found(seen: ReadTables, columns: Columns) -> str:
    plain = sum(len(one.plain) for one in seen.tables)
    sealed = sum(len(names) for one in seen.tables for names in one.encrypted.values())
    tables = count(len(seen.tables), "table")
    if not columns.encrypts:
        return f"{plain} values of {tables} came through the proxy as the server has them"
    return (
        f"in {tables} the key opened {sealed} values to the server's own, and {plain} came as the "
        "server has them"
    )
