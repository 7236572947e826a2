"""The shape of the published tables: one treatment against the baseline, threads down.

Published studies use two formulas, the loss 1 - encrypted/plain and the ratio plain/encrypted. TPS
has both, each under a heading that says which; what is judged is the loss. Markdown and the page
both draw these.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.report.document import Comparison, Figure, Group, Report
from encbench.report.words import text

VERDICT = "verdict"
"""The heading of columns whose cells are verdicts."""


@dataclass(frozen=True)
class Line:
    """One concurrency."""

    group: Group
    plain: Row
    treated: Row
    comparison: Comparison


@dataclass(frozen=True)
class Section:
    """The conditions of one workload on one instance, and what was compared in them."""

    instance: str
    workload: str
    groups: tuple[Group, ...]
    baseline: Arm
    treatments: tuple[Arm, ...]

    @property
    def is_recovery(self) -> bool:
        """Whether it is about the way back of a stopped server."""
        return self.groups[0].primary == "recovery"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """All arms in the order of the plan."""
        return self.groups[0].arms

    def lines(self, arm: Arm) -> list[Line]:
        """The table of one treatment, in the order of its concurrency."""
        return [
            Line(group, group.row(self.baseline.name), group.row(arm.name), comparison)
            for group in self.groups
            if (comparison := group.comparison(arm.name)) is not None
        ]


def sections(report: Report) -> list[Section]:
    """In the order of the plan."""
    found: dict[tuple[str, str], list[Group]] = {}
    for group in report.groups:
        found.setdefault((group.cell, group.workload), []).append(group)
    return [
        Section(
            instance=groups[0].instance,
            workload=groups[0].workload,
            groups=tuple(sorted(groups, key=lambda group: group.concurrency)),
            baseline=groups[0].baseline,
            treatments=tuple(arm for arm in groups[0].arms if arm.role == "treatment"),
        )
        for groups in found.values()
    ]


@dataclass(frozen=True)
class Column:
    """One column: what it belongs to, its heading, which names its formula, and its cells."""

    group: str
    heading: str
    cells: tuple[str, ...]
    numeric: bool = True

    @property
    def title(self) -> str:
        """Group and heading in one, for where a table has only one line of headings."""
        return f"{self.group}: {self.heading}" if self.group else self.heading


def throughput(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """TPS of both, the loss with its interval, and the verdict."""
    digits = text.rate_digits(row.tps for line in lines for row in (line.plain, line.treated))
    losses = [line.comparison.loss for line in lines]
    return [
        _threads(lines),
        Column("TPS", plain, tuple(text.number(line.plain.tps, digits) for line in lines)),
        Column("TPS", treated, tuple(text.number(line.treated.tps, digits) for line in lines)),
        Column(
            "TPS",
            f"loss = 1 − {treated}/{plain}",
            tuple(text.percent(loss.estimate if loss else None) for loss in losses),
        ),
        Column("TPS", "95 % interval", tuple(text.bounds(loss) for loss in losses)),
        Column("TPS", f"ratio = {plain}/{treated}", tuple(_ratio(line) for line in lines)),
        *_new_orders(lines, plain, treated),
        *_disk_reads(lines, plain, treated),
        Column("", "noise floor ±", tuple(text.percent(line.group.noise_floor) for line in lines)),
        Column("", "blocks", tuple(f"{line.comparison.blocks:,}" for line in lines)),
        Column("", "limited by", tuple(_limit(line) for line in lines), numeric=False),
        Column("", VERDICT, tuple(line.comparison.verdict for line in lines), numeric=False),
    ]


def recovery(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """Seconds of both from the new server's start to its first answer, and from what it came."""
    answer = "start to first answer, s"
    seconds = [(line.plain.recovery_seconds, line.treated.recovery_seconds) for line in lines]
    return [
        _threads(lines),
        *_increase(lines, plain, treated, answer, "recovery_seconds", 3),
        Column(
            answer,
            f"ratio = {treated}/{plain}",
            tuple(text.number(b / a, 3) if a and b else text.ABSENT for a, b in seconds),
        ),
        *_levels(lines, plain, treated, "signal to end, s", "stop_seconds", 3),
        *_levels(lines, plain, treated, "log to recover, MiB", "redo_mib", 1),
        *_levels(lines, plain, treated, "TPS before the stop", "tps", 1),
        Column("", "noise floor ±", tuple(text.percent(line.group.noise_floor) for line in lines)),
        Column("", "blocks", tuple(f"{line.comparison.blocks:,}" for line in lines)),
    ]


def published(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """What the published studies of encryption at rest have, side by side in one table.

    Encrypted first, then plain; a ratio above 1 means that the encrypted one is slower, of TPS as
    of latency; CPU is the server's, of its limit.
    """
    rates = text.rate_digits(row.tps for line in lines for row in (line.plain, line.treated))
    losses = [line.comparison.loss for line in lines]
    return [
        _threads(lines),
        Column("TPS", treated, tuple(text.number(line.treated.tps, rates) for line in lines)),
        Column("TPS", plain, tuple(text.number(line.plain.tps, rates) for line in lines)),
        Column("TPS", f"ratio = {plain}/{treated}", tuple(_ratio(line) for line in lines)),
        Column(
            "TPS",
            f"loss = 1 − {treated}/{plain}",
            tuple(text.percent(loss.estimate if loss else None) for loss in losses),
        ),
        *_figure(lines, plain, treated, "average latency, ms", "latency_average_ms", 2),
        Column(
            "average latency, ms",
            f"ratio = {treated}/{plain}",
            tuple(
                _quotient(line.treated.latency_average_ms, line.plain.latency_average_ms)
                for line in lines
            ),
        ),
        *_figure(lines, plain, treated, "server CPU, % of limit", "database_cpu_percent", 1),
        Column(
            "server CPU, % of limit",
            f"points = {treated} − {plain}",
            tuple(text.signed(line.treated.database_cpu_points) for line in lines),
        ),
    ]


def _figure(
    lines: Sequence[Line], plain: str, treated: str, group: str, field: str, digits: int
) -> list[Column]:
    """Both figures side by side, the encrypted one first."""
    return list(reversed(_levels(lines, plain, treated, group, field, digits)))


def _quotient(of: float | None, by: float | None) -> str:
    return text.ABSENT if not of or not by else text.number(of / by, 3)


def _ratio(line: Line) -> str:
    """The other formula of published studies, from the same two figures."""
    return _quotient(line.plain.tps, line.treated.tps)


def _new_orders(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """Of TPC-C only: tpmC / 60, where TPS is of all transactions."""
    rows = [row for line in lines for row in (line.plain, line.treated)]
    if all(row.new_orders_per_second is None for row in rows):
        return []
    return _levels(lines, plain, treated, "New Orders a second", "new_orders_per_second", 1)


def _disk_reads(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """Beside TPS, so that a reader sees whether a case was about the disk at all."""
    field = "disk_read_kib_per_transaction"
    rows = [row for line in lines for row in (line.plain, line.treated)]
    if all(getattr(row, field) is None for row in rows):
        return []
    return _levels(lines, plain, treated, "read from disk, KiB per transaction", field, 1)


LIMITS = {
    "DatabaseBound": "server CPU",
    "ClientBound": "client CPU",
    "Both": "server and client CPU",
    "Neither": "neither CPU",
    "NotMeasured": text.ABSENT,
}
"""What limited TPS, in words."""


def _limit(line: Line) -> str:
    """The plain arm's and the treated one's, once where it is the same."""
    found = [LIMITS[row.saturation or "NotMeasured"] for row in (line.plain, line.treated)]
    return " → ".join(dict.fromkeys(found))


def latency(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """Average and 95th percentile of both, with the increase."""
    return [
        _threads(lines),
        *_increase(lines, plain, treated, "average, ms", "latency_average_ms", 2),
        *_increase(lines, plain, treated, "95th percentile, ms", "latency_p95_ms", 2),
    ]


def cpu(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """CPU per transaction with its increase, and utilisation in percentage points."""
    return [
        _threads(lines),
        *_increase(
            *(lines, plain, treated),
            *("server, ms per transaction", "database_cpu_ms_per_transaction", 3),
        ),
        *_proxy(lines, plain, treated),
        *_levels(
            *(lines, plain, treated),
            *("client, ms per transaction", "client_cpu_ms_per_transaction", 3),
        ),
        *_points(lines, plain, treated, "server, % of limit", "database"),
        *_points(lines, plain, treated, "client, % of limit", "client"),
        *_points(lines, plain, treated, "node, % of all cores", "node"),
    ]


def _proxy(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """Of the proxy that encrypts columns, beside the server's; only where an arm has one."""
    rows = [row for line in lines for row in (line.plain, line.treated)]
    if all(row.proxy_cpu_ms_per_transaction is None for row in rows):
        return []
    fields = "proxy, ms per transaction", "proxy_cpu_ms_per_transaction"
    return _levels(lines, plain, treated, *fields, 3)


def disk(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """What the database read from its disk and wrote to it, per transaction."""
    return [
        _threads(lines),
        *_levels(
            *(lines, plain, treated),
            *("read, KiB per transaction", "disk_read_kib_per_transaction", 2),
        ),
        *_levels(
            *(lines, plain, treated),
            *("written, KiB per transaction", "disk_write_kib_per_transaction", 2),
        ),
    ]


def client(lines: Sequence[Line], plain: str, treated: str) -> list[Column]:
    """What one client replica took: CPU and memory, of its limit and in cores and MiB."""
    return [
        _threads(lines),
        *_points(lines, plain, treated, "CPU, % of limit", "client"),
        *_levels(lines, plain, treated, "CPU, cores", "client_cpu_cores", 3),
        *_levels(lines, plain, treated, "memory, % of limit", "client_memory_percent", 1),
        *_levels(lines, plain, treated, "memory, MiB", "client_memory_mib", 1),
    ]


def noise(groups: Sequence[Group]) -> list[Column]:
    """What the baseline mode seems to cost against itself, by figure, and the blocks behind it."""
    floors = "noise floor ±, largest bound of A′"
    names: tuple[tuple[str, Figure], ...] = (
        ("TPS", "tps"),
        ("average latency", "latencyAverage"),
        ("95th percentile", "latencyP95"),
        ("CPU per transaction", "cpuPerTransaction"),
    )
    if all(group.primary == "recovery" for group in groups):
        names = (("recovery time", "recovery"),)
    return [
        Column("", "threads", tuple(f"{group.concurrency:,}" for group in groups)),
        *(
            Column(floors, name, tuple(text.percent(g.noise_floors.get(figure)) for g in groups))
            for name, figure in names
        ),
        Column(
            *("", "valid blocks"),
            tuple(f"{g.counted_blocks:,} of {g.planned_blocks:,}" for g in groups),
        ),
        Column("", "because", tuple(g.blocks_why for g in groups), numeric=False),
    ]


NAMES: dict[Figure, str] = {
    "tps": "loss of TPS",
    "latencyAverage": "average latency, increase",
    "latencyP95": "95th percentile, increase",
    "cpuPerTransaction": "CPU per transaction, increase",
    "recovery": "recovery time, increase",
}


def judged(lines: Sequence[Line]) -> list[Column]:
    """How every figure was judged: what it had to exceed, p-values after Holm, and why."""
    pairs = [(line, finding) for line in lines for finding in line.comparison.findings]
    found = [finding for _, finding in pairs]
    changes = [f.change.estimate if f.change else None for f in found]
    return [
        Column("", "threads", tuple(f"{line.group.concurrency:,}" for line, _ in pairs)),
        Column("", "figure", tuple(NAMES[f.figure] for f in found), numeric=False),
        Column("", "change", tuple(text.signed_percent(change) for change in changes)),
        Column("", "95 % interval", tuple(text.bounds(f.change) for f in found)),
        Column("", "90 % interval", tuple(text.bounds(f.change90) for f in found)),
        Column("", "bar = larger of margin and floor", tuple(text.percent(f.bar) for f in found)),
        Column(
            "p by Holm", "at most the bar", tuple(text.probability(f.overhead_p) for f in found)
        ),
        Column(
            "p by Holm", "at least ±margin", tuple(text.probability(f.equivalent_p) for f in found)
        ),
        Column("", VERDICT, tuple(f.verdict for f in found), numeric=False),
        Column("", "because", tuple(f.why for f in found), numeric=False),
    ]


def _threads(lines: Sequence[Line]) -> Column:
    return Column("", "threads", tuple(f"{line.group.concurrency:,}" for line in lines))


_OVERHEADS = {
    "latency_average_ms": "latency_average_overhead",
    "latency_p95_ms": "latency_p95_overhead",
    "database_cpu_ms_per_transaction": "cpu_per_transaction_overhead",
    "recovery_seconds": "recovery_overhead",
}


FIGURES: dict[str, Figure] = {
    "latency_average_ms": "latencyAverage",
    "latency_p95_ms": "latencyP95",
    "database_cpu_ms_per_transaction": "cpuPerTransaction",
    "recovery_seconds": "recovery",
}
"""What the report calls the increase of a field of `Row`."""


def _increase(
    lines: Sequence[Line], plain: str, treated: str, group: str, field: str, digits: int
) -> list[Column]:
    found = [getattr(line.treated, _OVERHEADS[field]) for line in lines]
    return [
        Column(group, plain, tuple(text.number(getattr(i.plain, field), digits) for i in lines)),
        Column(
            group, treated, tuple(text.number(getattr(i.treated, field), digits) for i in lines)
        ),
        Column(
            group,
            f"increase = {treated}/{plain} − 1",
            tuple(text.signed_percent(i.estimate if i else None) for i in found),
        ),
        Column(group, "95 % interval", tuple(text.bounds(i) for i in found)),
        Column(group, VERDICT, tuple(_verdict(i, field) for i in lines), numeric=False),
    ]


def _levels(
    lines: Sequence[Line], plain: str, treated: str, group: str, field: str, digits: int
) -> list[Column]:
    """Both figures side by side."""
    return [
        Column(group, plain, tuple(text.number(getattr(i.plain, field), digits) for i in lines)),
        Column(
            group, treated, tuple(text.number(getattr(i.treated, field), digits) for i in lines)
        ),
    ]


def _verdict(line: Line, field: str) -> str:
    found = line.comparison.finding(FIGURES[field])
    return found.verdict if found else "NoData"


def _points(lines: Sequence[Line], plain: str, treated: str, group: str, part: str) -> list[Column]:
    level, points = f"{part}_cpu_percent", f"{part}_cpu_points"
    return [
        Column(group, plain, tuple(text.number(getattr(i.plain, level), 1) for i in lines)),
        Column(group, treated, tuple(text.number(getattr(i.treated, level), 1) for i in lines)),
        Column(
            group,
            f"points = {treated} − {plain}",
            tuple(text.signed(getattr(i.treated, points)) for i in lines),
        ),
    ]
