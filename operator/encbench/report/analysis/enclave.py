"""The tables of the published study of encrypted types, with their headers, from our own rows.

Scenarios 1 and 2 find rows by id: the table names, the TPS in thousands and the overhead are the
study's (`kubectl encbench audit` reads both). Scenario 3 finds rows by k and has three TPS: without
encrypted types, with them, and with page batching. The study publishes no overhead for it.
"""

from collections.abc import Iterator, Sequence

from encbench.api.campaign import Resolved
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Row
from encbench.core.columns.enclave import LOOKUPS, SIMULATION, encrypted, lookup
from encbench.core.statistics.rounding import rounded
from encbench.report.document import StudyColumn, StudyTable
from encbench.report.document.group import Group

NAMES = {("k", "c", "pad"): "pk_plain", ("id", "k", "c", "pad"): "all_columns"}
"""What the study calls its tables, by the encrypted columns."""
BY_K = "all_columns_by_k"
_PUBLISHED = (
    StudyColumn(name="table"),
    StudyColumn(name="threads"),
    StudyColumn(name="disabled_ktps", unit="thousand TPS"),
    StudyColumn(name="enabled_ktps", unit="thousand TPS"),
)
_OVERHEAD = StudyColumn(
    name="published_overhead_percent", formula="100 × (1 − enabled_ktps/disabled_ktps)"
)
_BATCHED = StudyColumn(name="index_extension_ktps", unit="thousand TPS, page batching")

Line = tuple[str | int | float | None, ...]


def tables(groups: Sequence[Group], resolved: Resolved) -> Iterator[StudyTable]:
    """One for each arm under the workloads by id, and one for those by k."""
    own = [group for group in groups if _workload(group, resolved) is not None]
    by_id = [group for group in own if _lookup(group, resolved) == LOOKUPS[0]]
    names = {arm.name: arm for group in by_id for arm in group.arms if arm.role == "treatment"}
    for name, arm in names.items():
        mode = resolved.modes[arm.mode_ref]
        if mode.enclave is None:
            continue
        found = [group for group in by_id if any(one.name == name for one in group.arms)]
        stem = NAMES.get(encrypted(mode.enclave), name)
        yield StudyTable(
            name=f"enclave-{name}",
            title=f"encrypted types, thousands of TPS by threads: disabled is "
            f"{_baselines(found)}, enabled is {name}; {SIMULATION}",
            columns=(*_PUBLISHED, _OVERHEAD),
            rows=tuple(
                _line(group, name, stem, resolved, several=_several(own)) for group in found
            ),
        )
    by_k = [group for group in own if _lookup(group, resolved) != LOOKUPS[0]]
    lines = [line for group in by_k for line in _lines_by_k(group, resolved, _several(own))]
    if lines:
        yield StudyTable(
            name="enclave-by-k",
            title="encrypted types, rows found by k, thousands of TPS by threads: disabled, "
            f"enabled, and enabled with encbench's own page batching; {SIMULATION}",
            columns=(*_PUBLISHED, _BATCHED),
            rows=tuple(lines),
        )


def _workload(group: Group, resolved: Resolved) -> str | None:
    """point, range or write; None for a workload of another kind."""
    sysbench = resolved.workloads[group.workload].sysbench
    return sysbench.enclave_workload if sysbench else None


def _lookup(group: Group, resolved: Resolved) -> str:
    return lookup(resolved.workloads[group.workload].sysbench_test)


def _several(groups: Sequence[Group]) -> bool:
    """Whether a table's name has to tell instances apart."""
    return len({group.instance for group in groups}) > 1


def _baselines(groups: Sequence[Group]) -> str:
    return ", ".join(dict.fromkeys(group.baseline.name for group in groups))


def _label(group: Group, stem: str, resolved: Resolved, *, several: bool) -> str:
    name = f"{stem}_{_workload(group, resolved)}"
    return f"{group.instance}_{name}" if several else name


def _ktps(row: Row) -> float | None:
    return None if row.tps is None else rounded(row.tps / 1000)


def _line(group: Group, arm: str, stem: str, resolved: Resolved, *, several: bool) -> Line:
    plain, own = group.row(group.baseline.name), group.row(arm)
    overhead = None
    if plain.tps and own.tps is not None and not group.as_offered:
        overhead = rounded(100 * (1 - own.tps / plain.tps))
    label = _label(group, stem, resolved, several=several)
    return (label, group.concurrency, _ktps(plain), _ktps(own), overhead)


def _lines_by_k(group: Group, resolved: Resolved, several: bool) -> Iterator[Line]:
    """One for each arm that compares one by one and has one beside it that batches, else alike.

    Where no arm batches, every arm has a line, and no third figure.
    """
    modes = {
        arm.name: resolved.modes[arm.mode_ref] for arm in group.arms if arm.role == "treatment"
    }
    batching = {
        name: next((n for n, other in modes.items() if _batches(other, mode)), None)
        for name, mode in modes.items()
        if _index(mode) == "Single"
    }
    shown = {name: batched for name, batched in batching.items() if batched} or batching
    for name, batched in shown.items():
        stem = BY_K if len(shown) == 1 else f"{name}_by_k"
        yield (
            _label(group, stem, resolved, several=several),
            group.concurrency,
            _ktps(group.row(group.baseline.name)),
            _ktps(group.row(name)),
            None if batched is None else _ktps(group.row(batched)),
        )


def _index(mode: EncryptionModeSpec) -> str | None:
    return mode.enclave.boundary.index if mode.enclave else None


def _batches(mode: EncryptionModeSpec, single: EncryptionModeSpec) -> bool:
    """Whether a mode differs from another one in page batching alone."""
    return _index(mode) == "PageBatch" and _single(mode) == _single(single)


def _single(mode: EncryptionModeSpec) -> EncryptionModeSpec:
    """The mode without page batching."""
    columns = mode.enclave
    assert columns is not None  # noqa: S101 - it has an index class
    boundary = columns.boundary.model_copy(update={"index": "Single"})
    return mode.model_copy(update={"columns": columns.model_copy(update={"enclave": boundary})})
