"""Whether columns have the encrypted types that a mode asks for, and the boundary its cost.

The agent's facts (`sidecars.agent.enclave`) are judged here: the types of every column, the indexes
and their use, a row that the key opens, a marker whose plaintext is in no file, and the simulated
boundary, measured now. This proof joins that of the engine, which finds the extension where the
mode asks for it and nowhere else. Every summary says that the boundary is simulated.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from encbench.api.columns import Columns
from encbench.api.testbed import Dataset, TestbedSpec
from encbench.core.columns import enclave
from encbench.core.evidence import Proof
from encbench.proofs.check import Comparison, conclude, equals, holds, joined, none
from encbench.proofs.evidence import Evidence, SearchedFile, count

ROW_TABLE = f"{enclave.TABLE}1"
"""The table whose row 0 belongs to no workload."""
TOLERANCE = 0.05
"""By how much a measured cost may differ from the one that was asked for."""
ANSWERED = "statements over encrypted values"
FREE_NS = 1_000
"""A crossing that costs nothing takes less than this."""
OPERATORS = {
    "Single": {"enc_int4": "enc_int4_ops", "enc_text": "enc_text_ops"},
    "PageBatch": {"enc_int4": "enc_int4_batch_ops", "enc_text": "enc_text_batch_ops"},
}
PLAIN_OPERATORS = "int4_ops"
MOST_BATCHED = 8
"""Crossings of a search that are batched by page: one a page, and an index of all integers has five
levels. Compared one by one, a thousand rows take ten at the least."""
INDEX_SCANS = frozenset({"Index Scan", "Index Only Scan", "Bitmap Index Scan"})


class _Index(Evidence):
    table: str
    name: str
    column: str
    operator_class: str


class _Plan(Evidence):
    lookup: str
    workload: str
    nodes: list[str]
    indexes: list[str]


class _Search(Evidence):
    lookup: str
    transitions: int


class _Row(Evidence):
    table: str
    found: bool
    digest: str | None
    wrong: Mapping[str, str]


class _Calibration(Evidence):
    transition_asked: float
    transition: float
    value_asked: float
    value: float


class _Sealed(Evidence):
    path: str
    size: int = Field(alias="bytes")
    found: bool


class _Enclave(Evidence):
    types: Mapping[str, Mapping[str, str]]
    indexes: list[_Index]
    plans: list[_Plan]
    searches: list[_Search] | None = None
    """None from an agent of an earlier version."""
    row: _Row
    calibration: _Calibration
    overrides: tuple[str, ...] = ()
    """Settings of single roles and databases, from an agent of an earlier version; the engine's
    proof has those of a newer one."""
    marker: list[_Sealed]
    refused: str | None = None


class _Files(Evidence):
    files: list[SearchedFile]


def judge(proof: Proof, evidence: Mapping[str, Any], spec: TestbedSpec) -> Proof:
    """The proof so far, joined with that of encrypted column types where the mode has any."""
    columns = spec.mode.enclave
    if columns is None:
        return proof
    name = _name(columns)
    seen, all_files = _Enclave.read(evidence.get("enclave") or {}, "enclave"), _Files.read(evidence)
    if isinstance(seen, Comparison) or isinstance(all_files, Comparison):
        wrong = [part for part in (seen, all_files) if isinstance(part, Comparison)]
        return joined(conclude(name, "", wrong[:1], evidence), proof)
    answered = holds(ANSWERED, seen.refused is None, "answered", seen.refused or "")
    if seen.refused is not None:
        return joined(conclude(name, "", [answered], evidence), proof)
    checks = [
        answered,
        *_typed(seen, columns, spec.dataset),
        *_indexed(seen, columns, spec.dataset),
        *_batched(seen, columns, spec.dataset),
        *_opened(seen),
        *_unreadable(seen, all_files.files),
        *_calibrated(seen, columns),
        *_overridden(seen),
    ]
    figures = seen.calibration
    found = (
        f"{count(len(seen.types), 'table')} with the types asked for, and a crossing took "
        f"{figures.transition / 1000:.2f} µs and {figures.value / 1000:.2f} µs a value "
        f"({enclave.SIMULATION})"
    )
    return joined(conclude(name, found, checks, evidence), proof)


def digests(evidence: Mapping[str, Any]) -> dict[str, str]:
    """The digest that a client must print of the row; empty without valid evidence."""
    seen = _Enclave.read(evidence.get("enclave") or {})
    if isinstance(seen, Comparison) or seen.row.digest is None:
        return {}
    return {seen.row.table: seen.row.digest}


def _name(columns: Columns) -> str:
    """The mode for a proof's summary."""
    return f"encrypted column types ({', '.join(enclave.encrypted(columns))})"


def _typed(seen: _Enclave, columns: Columns, dataset: Dataset) -> Iterator[Comparison]:
    wanted, wrong = enclave.types(columns), list[str]()
    for table, own in seen.types.items():
        wrong += [
            f"{table}.{name} is {own.get(name, 'not there')} instead of {kind}"
            for name, kind in wanted.items()
            if own.get(name) != kind
        ]
    tables = dataset.sysbench_test.tables
    yield equals("tables", str(tables), str(len(seen.types)))
    yield none("columns of another type", wrong)


def _indexed(seen: _Enclave, columns: Columns, dataset: Dataset) -> Iterator[Comparison]:
    """Each table has its indexes, and the statements of the workloads use them."""
    sysbench, kinds = dataset.sysbench_test, enclave.types(columns)
    by_place = {(one.table, one.column): one for one in seen.indexes}
    operators = OPERATORS[columns.boundary.index]
    wrong = []
    for column in enclave.indexed(sysbench):
        wanted = operators.get(kinds[column], PLAIN_OPERATORS)
        for number in range(1, sysbench.tables + 1):
            found = by_place.get((f"{enclave.TABLE}{number}", column))
            if found is None:
                wrong.append(f"{enclave.TABLE}{number}.{column} has none")
            elif found.operator_class != wanted:
                wrong.append(f"{found.name} has {found.operator_class} instead of {wanted}")
    yield none("indexes that are missing or of another operator class", wrong)
    lookup = enclave.lookup(sysbench)
    named = {one.name for one in seen.indexes if one.column == lookup}
    plans = [plan for plan in seen.plans if plan.lookup == lookup]
    past = [
        f"{plan.workload} by {lookup} ({', '.join(plan.nodes)})"
        for plan in plans
        if not INDEX_SCANS & {*plan.nodes} or not named & {*plan.indexes}
    ]
    yield none("statements that do not use the index", past)
    yield holds("plans of the statements", bool(plans), "there", "missing")


def _batched(seen: _Enclave, columns: Columns, dataset: Dataset) -> Iterator[Comparison]:
    """Searches of encrypted indexes cross as seldom as page batching makes them.

    The extension compares one by one what it cannot recognise, such as the pages of a table that is
    not logged, whatever the operator class.
    """
    if columns.boundary.index != "PageBatch" or seen.searches is None:
        return
    took = {one.lookup: one.transitions for one in seen.searches}
    for column in enclave.indexed(dataset.sysbench_test):
        if column in enclave.encrypted(columns):
            found = took.get(column)
            few = found is not None and found <= MOST_BATCHED
            observed = "not measured" if found is None else str(found)
            name = f"crossings of a search by {column}"
            yield Comparison(name, f"{MOST_BATCHED} at most", observed, few)


def _opened(seen: _Enclave) -> Iterator[Comparison]:
    row = seen.row
    yield holds(f"row 0 of {row.table}", row.found, "there", "not there")
    wrong = [f"{row.table}.{name} ({why})" for name, why in row.wrong.items()]
    yield none("values that the key does not open", wrong)
    yield holds("digest of the row", row.digest is not None, "known", "unknown")


def _unreadable(seen: _Enclave, searched: list[SearchedFile]) -> Iterator[Comparison]:
    """The sealed marker's plaintext is in no file. A full proof has searched all of them."""
    read = [one for one in seen.marker if one.size > 0]
    yield holds("heap and index of the sealed marker", len(read) > 1, "read", "not read")
    hits = [one.path for one in seen.marker if one.found]
    hits += [one.path for one in searched if one.echoed]
    yield none("files in which the sealed marker is readable", list(dict.fromkeys(hits)))


def _calibrated(seen: _Enclave, columns: Columns) -> Iterator[Comparison]:
    own, boundary = seen.calibration, columns.boundary
    for name, wanted, asked, took in (
        ("transition", boundary.transition_ns, own.transition_asked, own.transition),
        ("value", boundary.value_ns, own.value_asked, own.value),
    ):
        yield equals(f"cost of a {name}, as the server has it", f"{wanted} ns", f"{asked:.0f} ns")
        if wanted:
            near = abs(took / wanted - 1) <= TOLERANCE
            within = f"{wanted} ns within {TOLERANCE:.0%}"
            yield Comparison(f"cost of a {name}, measured", within, f"{took:.0f} ns", near)
        elif name == "transition":
            most = f"less than {FREE_NS} ns"
            yield Comparison(f"cost of a {name}, measured", most, f"{took:.0f} ns", took < FREE_NS)


def _overridden(seen: _Enclave) -> Iterator[Comparison]:
    if seen.overrides:
        yield none("settings of single roles or databases", seen.overrides)
