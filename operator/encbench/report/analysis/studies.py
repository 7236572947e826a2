"""The tables that studies of column encryption publish, with their headers, from our own rows.

Each can be laid beside the published one of the same header, and every column that is computed
follows from figures beside it by the formula that stands with it; `kubectl encbench audit` reads
both. What a table compares is in its title. Plain is the arm through the proxy with nothing
encrypted and the plain driver, where there is one: the published databases have their proxy layer
in plaintext as well. Elsewhere it is the campaign's baseline.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.report.analysis.views import rounded
from encbench.report.document.columns import StudyColumn, StudyTable
from encbench.report.document.group import Group

Cell = str | int | float | None
_ALGORITHMS = {"AES_128_GCM": "aes", "SM4_128_GCM": "sm4"}


@dataclass(frozen=True)
class Place:
    """The conditions of one workload with the arms that have something to do with columns."""

    workload: str
    groups: tuple[Group, ...]
    modes: Mapping[str, EncryptionModeSpec]

    def encrypting(self, ratio: int | None = None) -> dict[str, list[Arm]]:
        """Arms that encrypt that share of columns (any where None), by algorithm."""
        found: dict[str, list[Arm]] = {}
        for arm in self._arms:
            columns = self._columns(arm)
            if columns is None or not columns.encrypts or columns.ratio is None:
                continue
            if ratio in (None, columns.ratio):
                found.setdefault(columns.algorithm, []).append(arm)
        return found

    def ratio(self, arm: Arm) -> int:
        """Percent of the columns by the mode's word."""
        columns = self._columns(arm)
        return (columns.ratio if columns else None) or 0

    @property
    def plain(self) -> str:
        """Name of the arm without encryption."""
        own = (arm for arm in self._arms if (mode := self.modes.get(arm.mode_ref)) and _plain(mode))
        return next((arm.name for arm in own), self.groups[0].baseline.name)

    @property
    def swaps(self) -> list[tuple[str, str]]:
        """Plain and encrypting driver with nothing encrypted: names of the two arms."""
        steps = (step for group in self.groups for step in group.steps)
        return list(dict.fromkeys((s.before, s.arm) for s in steps if s.layers == ("driver",)))

    @property
    def _arms(self) -> list[Arm]:
        arms = (arm for group in self.groups for arm in group.arms if arm.role != "control")
        return list({arm.name: arm for arm in arms}.values())

    def _columns(self, arm: Arm) -> Columns | None:
        mode = self.modes.get(arm.mode_ref)
        return mode.columns if mode else None


def studies(
    groups: Sequence[Group],
    modes: Mapping[str, EncryptionModeSpec],
    workloads: Mapping[str, WorkloadSpec],
) -> tuple[StudyTable, ...]:
    """Of each TPC-C workload the four tables, of all sysbench workloads together one."""
    measured = [group for group in groups if group.counted_blocks]
    found: list[StudyTable] = []
    tpcc = [name for name in dict.fromkeys(g.workload for g in measured) if workloads[name].tpcc]
    for name in tpcc:
        own = _in_order([group for group in measured if group.workload == name])
        found += _tpcc(Place(name, own, modes), f"{name}-" if len(tpcc) > 1 else "")
    suites = [group for group in measured if group.workload not in tpcc]
    if suites:
        found += _sysbench(Place("sysbench", _in_order(suites), modes))
    return tuple(found)


def _in_order(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Instances and workloads as they were written, the concurrency rising within."""
    places = list(dict.fromkeys((g.cell, g.workload) for g in groups))
    return tuple(sorted(groups, key=lambda g: (places.index((g.cell, g.workload)), g.concurrency)))


def _tpcc(place: Place, prefix: str) -> Iterable[StudyTable]:
    for algorithm, arms in place.encrypting(100).items():
        suffix = _ALGORITHMS[algorithm]
        for arm in arms:
            named = suffix if len(arms) == 1 else f"{suffix}-{arm.name}"
            yield _tps(place, arm, f"{prefix}tpcc-tps-{named}")
            yield _client_cpu(place, arm, f"{prefix}client-cpu-{named}")
    for before, after in place.swaps:
        name = f"{prefix}driver-cpu" if len(place.swaps) == 1 else f"{prefix}driver-cpu-{after}"
        yield _driver_cpu(place, before, after, name)
    for algorithm, arms in place.encrypting().items():
        yield _ratio(place, arms, f"{prefix}ratio-{_ALGORITHMS[algorithm]}")


_CONDITION = (
    StudyColumn(name="instance"),
    StudyColumn(name="concurrency", unit="terminals"),
)
_OVERHEAD = "100 × (1 − {}/{})"
_INCREASE = "100 × ({}/{} − 1)"
_OF_LIMIT = "percent of the client's CPU limit"


def _tps(place: Place, arm: Arm, name: str) -> StudyTable:
    def cells(group: Group, plain: Row) -> Iterable[Cell]:
        own = group.row(arm.name)
        return (plain.tps, own.tps, _loss(own.tps, plain.tps))

    return StudyTable(
        name=name,
        title=f"{place.workload}, TPS by concurrency: plaintext is {place.plain}, encrypted is "
        f"{arm.name}",
        columns=(
            *_CONDITION,
            StudyColumn(name="plaintext_tps", unit="all transactions, tpmTOTAL/60"),
            StudyColumn(name="encrypted_100pct_tps", unit="tpmTOTAL/60"),
            StudyColumn(
                name="published_overhead_percent",
                formula=_OVERHEAD.format("encrypted_100pct_tps", "plaintext_tps"),
            ),
        ),
        rows=_rows(place, (arm.name,), cells),
    )


def _client_cpu(place: Place, arm: Arm, name: str) -> StudyTable:
    def cells(group: Group, plain: Row) -> Iterable[Cell]:
        before, after = plain.client_cpu_percent, group.row(arm.name).client_cpu_percent
        return (before, after, _increase(after, before))

    return StudyTable(
        name=name,
        title=f"{place.workload}, CPU of the client before and after encryption: before is "
        f"{place.plain}, 100 % encrypted is {arm.name}",
        columns=(
            *_CONDITION,
            StudyColumn(name="client_cpu_before_percent", unit=_OF_LIMIT),
            StudyColumn(name="client_cpu_100pct_encrypted_percent", unit=_OF_LIMIT),
            StudyColumn(
                name="published_cpu_increase_percent",
                formula=_INCREASE.format(
                    "client_cpu_100pct_encrypted_percent", "client_cpu_before_percent"
                ),
            ),
        ),
        rows=_rows(place, (arm.name,), cells),
    )


def _driver_cpu(place: Place, before: str, after: str, name: str) -> StudyTable:
    def cells(group: Group, _: Row) -> Iterable[Cell]:
        jdbc, encjdbc = group.row(before), group.row(after)
        return (
            jdbc.client_cpu_percent,
            encjdbc.client_cpu_percent,
            _increase(encjdbc.client_cpu_percent, jdbc.client_cpu_percent),
            jdbc.client_memory_mib,
            encjdbc.client_memory_mib,
            _increase(encjdbc.client_memory_mib, jdbc.client_memory_mib),
        )

    return StudyTable(
        name=name,
        title=f"{place.workload}, the driver alone, nothing encrypted: JDBC is {before}, EncJDBC "
        f"is {after}",
        columns=(
            *_CONDITION,
            StudyColumn(name="jdbc_client_cpu_percent", unit=_OF_LIMIT),
            StudyColumn(name="encjdbc_client_cpu_percent", unit=_OF_LIMIT),
            StudyColumn(
                name="published_cpu_increase_percent",
                formula=_INCREASE.format("encjdbc_client_cpu_percent", "jdbc_client_cpu_percent"),
            ),
            StudyColumn(name="jdbc_memory_mb", unit="most resident, MiB"),
            StudyColumn(name="encjdbc_memory_mb", unit="most resident, MiB"),
            StudyColumn(
                name="published_memory_change_percent",
                formula=_INCREASE.format("encjdbc_memory_mb", "jdbc_memory_mb"),
            ),
        ),
        rows=_rows(place, (before, after), cells),
    )


def _ratio(place: Place, arms: Sequence[Arm], name: str) -> StudyTable:
    def cells(arm: Arm) -> Callable[[Group, Row], Iterable[Cell]]:
        def of(group: Group, plain: Row) -> Iterable[Cell]:
            own = group.row(arm.name)
            loss = _loss(own.tps, plain.tps)
            return (place.ratio(arm), own.client_cpu_percent, own.tps, loss)

        return of

    by_arm = [_rows(place, (arm.name,), cells(arm)) for arm in arms]
    rows = [row for found in by_arm for row in found]
    order = [(group.instance, group.concurrency) for group in place.groups]
    rows.sort(key=lambda row: order.index((str(row[0]), int(row[1] or 0))))
    shares = ", ".join(f"{place.ratio(arm)} % is {arm.name}" for arm in arms)
    return StudyTable(
        name=name,
        title=f"{place.workload}, by share of encrypted columns: {shares}; plaintext is "
        f"{place.plain}",
        columns=(
            *_CONDITION,
            StudyColumn(name="encrypted_columns_percent", unit="as the mode's ratio"),
            StudyColumn(name="client_cpu_percent", unit=_OF_LIMIT),
            StudyColumn(name="tps", unit="tpmTOTAL/60"),
            StudyColumn(
                name="published_overhead_percent",
                formula=_OVERHEAD.format("tps", "plaintext_tps"),
            ),
        ),
        rows=tuple(rows),
    )


def _sysbench(place: Place) -> Iterable[StudyTable]:
    """One for each arm that encrypts; the plain figures are the baseline's."""
    for arm in (arm for arms in place.encrypting().values() for arm in arms):
        yield StudyTable(
            name=f"sysbench-{arm.name}",
            title=f"sysbench by threads: plain is {place.plain}, encrypted is {arm.name}",
            columns=(
                StudyColumn(name="instance"),
                StudyColumn(name="workload"),
                StudyColumn(name="threads"),
                StudyColumn(name="plain_qps"),
                StudyColumn(name="encrypted_qps"),
                StudyColumn(
                    name="qps_overhead_percent",
                    formula=_OVERHEAD.format("encrypted_qps", "plain_qps"),
                ),
                StudyColumn(name="plain_response_ms", unit="average of a transaction"),
                StudyColumn(name="encrypted_response_ms", unit="average of a transaction"),
                StudyColumn(
                    name="response_increase_percent",
                    formula=_INCREASE.format("encrypted_response_ms", "plain_response_ms"),
                ),
            ),
            rows=tuple(_suite(place, arm)),
        )


def _suite(place: Place, arm: Arm) -> Iterable[tuple[Cell, ...]]:
    for group, plain in _conditions(place, (arm.name,)):
        own = group.row(arm.name)
        yield (
            *(group.instance, group.workload, group.concurrency),
            *(plain.qps, own.qps, _loss(own.qps, plain.qps)),
            *(plain.latency_average_ms, own.latency_average_ms),
            _increase(own.latency_average_ms, plain.latency_average_ms),
        )


def _rows(
    place: Place, arms: Sequence[str], cells: Callable[[Group, Row], Iterable[Cell]]
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (group.instance, group.concurrency, *cells(group, plain))
        for group, plain in _conditions(place, arms)
    )


def _conditions(place: Place, arms: Sequence[str]) -> Iterable[tuple[Group, Row]]:
    """Those that have all of these arms, each with its plain row."""
    for group in place.groups:
        if {*arms, place.plain} <= {arm.name for arm in group.arms}:
            yield group, group.row(place.plain)


def _plain(mode: EncryptionModeSpec) -> bool:
    """Through the proxy, and nothing else."""
    return mode.is_plaintext and mode.columns is not None and mode.driver is None


def _loss(own: float | None, plain: float | None) -> float | None:
    return None if own is None or not plain else rounded(100 * (1 - own / plain))


def _increase(own: float | None, plain: float | None) -> float | None:
    return None if own is None or not plain else rounded(100 * (own / plain - 1))
