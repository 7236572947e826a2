"""The tables that studies of column encryption publish, with their headers, from our own rows.

Each table can be compared with the published one of the same header. Every computed column follows
from figures beside it by its stated formula, and `kubectl encbench audit` reads both tables. The
title says what a table compares. Plain is the arm through the proxy with nothing encrypted and the
plain driver, if there is one, because the published databases have their proxy layer in plaintext
as well. Otherwise it is the campaign's baseline.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from encbench.api.campaign import Resolved
from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.core.columns import selection
from encbench.core.statistics.intervals import Sense
from encbench.core.statistics.rounding import rounded
from encbench.report.analysis import enclave
from encbench.report.document import StudyColumn, StudyTable
from encbench.report.document.group import Group

Cell = str | int | float | None
_ALGORITHMS = {"AES_128_GCM": "aes", "SM4_128_GCM": "sm4"}


@dataclass(frozen=True)
class StudiedArms:
    """The conditions of one workload, and the roles of their arms in column encryption."""

    workload: str
    groups: tuple[Group, ...]
    modes: Mapping[str, EncryptionModeSpec]

    @property
    def encrypting(self) -> dict[str, Columns]:
        """Arms behind the proxy that encrypt columns, by ratio or by a list.

        Those of another topology than plain's pay for another hop, and are in no table.
        """
        hop = self.modes[self._plain.mode_ref].proxy
        modes = ((arm.name, self.modes[arm.mode_ref].proxy) for arm in self._arms)
        return {
            name: columns
            for name, columns in modes
            if columns and columns.encrypts and (hop is None or hop.by_socket == columns.by_socket)
        }

    def shares(self) -> dict[str, dict[str, float]]:
        """Percentage of TPC-C's columns that each of them encrypts, by algorithm.

        It is the mode's ratio, or what its list is of all columns.
        """
        found: dict[str, dict[str, float]] = {}
        for name, columns in self.encrypting.items():
            listed = round(100 * selection.share("tpcc", columns).fraction, 1)
            share: float = listed if columns.ratio is None else columns.ratio
            found.setdefault(columns.algorithm, {})[name] = share
        return found

    @property
    def plain(self) -> str:
        """Name of the arm without encryption."""
        return self._plain.name

    @property
    def _plain(self) -> Arm:
        own = (arm for arm in self._arms if _is_pass_through(self.modes[arm.mode_ref]))
        return next(own, self.groups[0].baseline)

    @property
    def swaps(self) -> list[tuple[str, str]]:
        """Pairs of arms that encrypt nothing and differ in the driver: plain, encrypting."""
        steps = (step for group in self.groups for step in group.steps)
        return list(dict.fromkeys((s.before, s.arm) for s in steps if s.layers == ("driver",)))

    @property
    def _arms(self) -> list[Arm]:
        arms = (arm for group in self.groups for arm in group.arms if arm.role != "control")
        return list({arm.name: arm for arm in arms}.values())


def studies(groups: Sequence[Group], resolved: Resolved) -> tuple[StudyTable, ...]:
    """Four kinds of table for each TPC-C workload, and those of sysbench's workloads together."""
    measured = [group for group in groups if group.counted_blocks]
    found: list[StudyTable] = []
    names, modes = dict.fromkeys(group.workload for group in measured), resolved.modes
    tpcc = [name for name in names if resolved.workloads[name].tpcc]
    for name in tpcc:
        own = _in_order([group for group in measured if group.workload == name])
        found += _tpcc(StudiedArms(name, own, modes), f"{name}-" if len(tpcc) > 1 else "")
    suites = _in_order([group for group in measured if group.workload not in tpcc])
    if suites:
        found += _sysbench(StudiedArms("sysbench", suites, modes))
    found += enclave.tables(suites, resolved)
    return tuple(found)


def _in_order(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Groups by instance and workload in the order of the plan, then by rising concurrency."""
    places = list(dict.fromkeys((g.cell, g.workload) for g in groups))
    return tuple(sorted(groups, key=lambda g: (places.index((g.cell, g.workload)), g.concurrency)))


def _tpcc(place: StudiedArms, prefix: str) -> Iterable[StudyTable]:
    shares = place.shares()
    for algorithm, arms in shares.items():
        suffix = _ALGORITHMS[algorithm]
        whole = [arm for arm, share in arms.items() if share == 100]
        for arm in whole:
            named = suffix if len(whole) == 1 else f"{suffix}-{arm}"
            yield _tps(place, arm, f"{prefix}tpcc-tps-{named}")
            yield _client_cpu(place, arm, f"{prefix}client-cpu-{named}")
    for before, after in place.swaps:
        name = f"{prefix}driver-cpu" if len(place.swaps) == 1 else f"{prefix}driver-cpu-{after}"
        yield _driver_cpu(place, before, after, name)
    for algorithm, ratios in shares.items():
        yield _ratio(place, ratios, f"{prefix}ratio-{_ALGORITHMS[algorithm]}")


class Found(NamedTuple):
    """A condition with its plain row and the encrypted one."""

    group: Group
    plain: Row
    own: Row


class Made(NamedTuple):
    """A column of a study's table, and how its cells are made."""

    column: StudyColumn
    cell: Callable[[Found], Cell]


def _field(name: str, of: str, field: str, unit: str = "") -> Made:
    """A measured figure: a field of the condition, of its plain row, or of the encrypted one."""
    return Made(StudyColumn(name=name, unit=unit), lambda found: getattr(getattr(found, of), field))


def _change(sense: Sense, name: str, own: str, plain: str, field: str) -> Made:
    """A loss or increase in percent; `own` and `plain` name the columns that it follows from."""
    formula = f"(1 − {own}/{plain})" if sense == "loss" else f"({own}/{plain} − 1)"

    def cell(found: Found) -> float | None:
        before, after = getattr(found.plain, field), getattr(found.own, field)
        if after is None or not before:
            return None
        ratio = after / before
        return rounded(100 * (1 - ratio if sense == "loss" else ratio - 1))

    return Made(StudyColumn(name=name, formula=f"100 × {formula}"), cell)


def _empty(where: str, made: Made) -> Made:
    """Empty for a condition of which this property of the group is true."""
    column, cell = made
    return Made(column, lambda found: None if getattr(found.group, where) else cell(found))


_closed = partial(_empty, "pauses")
"""Empty where the workload offers a rate or think times pace it. Its clients pause, so that their
response times do not follow from rate and threads as those of the published tables do."""
_judged = partial(_empty, "as_offered")
"""Empty where the load decides TPS."""
_loss, _increase = partial(_change, "loss"), partial(_change, "increase")
_CONDITION = (
    _field("instance", "group", "instance"),
    _field("concurrency", "group", "concurrency", "terminals"),
)
_PUBLISHED = "published_overhead_percent"
_OF_LIMIT = "percent of the client's CPU limit"


def _table(
    name: str,
    title: str,
    place: StudiedArms,
    arms: Sequence[str],
    columns: Sequence[Made],
    plain: str | None = None,
) -> StudyTable:
    """One line for each condition with the plain arm, for each of these arms that it has."""
    plain = plain or place.plain
    return StudyTable(
        name=name,
        title=f"{place.workload}{title}",
        columns=tuple(made.column for made in columns),
        rows=tuple(
            tuple(made.cell(Found(group, group.row(plain), group.row(arm))) for made in columns)
            for group in place.groups
            for arm in arms
            if {arm, plain} <= {known.name for known in group.arms}
        ),
    )


def _tps(place: StudiedArms, arm: str, name: str) -> StudyTable:
    title = f", TPS by concurrency: plaintext is {place.plain}, encrypted is {arm}"
    columns = [
        *_CONDITION,
        _field("plaintext_tps", "plain", "tps", "all transactions, tpmTOTAL/60"),
        _field("encrypted_100pct_tps", "own", "tps", "tpmTOTAL/60"),
        _judged(_loss(_PUBLISHED, "encrypted_100pct_tps", "plaintext_tps", "tps")),
    ]
    return _table(name, title, place, [arm], columns)


def _client_cpu(place: StudiedArms, arm: str, name: str) -> StudyTable:
    before, after = "client_cpu_before_percent", "client_cpu_100pct_encrypted_percent"
    title = (
        f", CPU of the client before and after encryption: before is {place.plain}, "
        f"100 % encrypted is {arm}"
    )
    columns = [
        *_CONDITION,
        _field(before, "plain", "client_cpu_percent", _OF_LIMIT),
        _field(after, "own", "client_cpu_percent", _OF_LIMIT),
        _increase("published_cpu_increase_percent", after, before, "client_cpu_percent"),
    ]
    return _table(name, title, place, [arm], columns)


def _driver_cpu(place: StudiedArms, before: str, after: str, name: str) -> StudyTable:
    title = f", the driver alone, nothing encrypted: JDBC is {before}, EncJDBC is {after}"
    cpu, memory = "client_cpu_percent", "client_memory_mib"
    jdbc, encjdbc = "jdbc_memory_mb", "encjdbc_memory_mb"
    columns = [
        *_CONDITION,
        _field(f"jdbc_{cpu}", "plain", cpu, _OF_LIMIT),
        _field(f"encjdbc_{cpu}", "own", cpu, _OF_LIMIT),
        _increase("published_cpu_increase_percent", f"encjdbc_{cpu}", f"jdbc_{cpu}", cpu),
        _field(jdbc, "plain", memory, "most resident, MiB"),
        _field(encjdbc, "own", memory, "most resident, MiB"),
        _increase("published_memory_change_percent", encjdbc, jdbc, memory),
    ]
    return _table(name, title, place, [after], columns, before)


def _ratio(place: StudiedArms, ratios: Mapping[str, float], name: str) -> StudyTable:
    shares = ", ".join(f"{ratio:g} % is {arm}" for arm, ratio in ratios.items())
    title = f", by share of encrypted columns: {shares}; plaintext is {place.plain}"
    share = StudyColumn(name="encrypted_columns_percent", unit="as the mode's ratio")
    columns = [
        *_CONDITION,
        Made(share, lambda found: ratios[found.own.arm]),
        _field("client_cpu_percent", "own", "client_cpu_percent", _OF_LIMIT),
        _field("tps", "own", "tps", "tpmTOTAL/60"),
        # The study's table has it in another file, which is made for arms that encrypt everything.
        _field("plaintext_tps", "plain", "tps", "tpmTOTAL/60"),
        _judged(_loss(_PUBLISHED, "tps", "plaintext_tps", "tps")),
    ]
    return _table(name, title, place, list(ratios), columns)


def _sysbench(place: StudiedArms) -> Iterable[StudyTable]:
    """One for each arm that encrypts; the plain figures are the baseline's."""
    plain, encrypted, average = "plain_response_ms", "encrypted_response_ms", "latency_average_ms"
    columns = [
        _field("instance", "group", "instance"),
        _field("workload", "group", "workload"),
        _field("threads", "group", "concurrency"),
        _field("plain_qps", "plain", "qps"),
        _field("encrypted_qps", "own", "qps"),
        _judged(_loss("qps_overhead_percent", "encrypted_qps", "plain_qps", "qps")),
        _closed(_field(plain, "plain", average, "average of a transaction")),
        _closed(_field(encrypted, "own", average, "average of a transaction")),
        _closed(_increase("response_increase_percent", encrypted, plain, average)),
    ]
    for arm in place.encrypting:
        title = f" by threads: plain is {place.plain}, encrypted is {arm}"
        yield _table(f"sysbench-{arm}", title, place, [arm], columns)


def _is_pass_through(mode: EncryptionModeSpec) -> bool:
    """Whether a mode goes through the proxy and does nothing else."""
    return mode.is_plaintext and mode.proxy is not None and mode.driver is None
