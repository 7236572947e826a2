"""The shape of the published tables: one treatment against the baseline, threads down.

Published studies use two formulas, the loss 1 - encrypted/plain and the ratio plain/encrypted; here
it is always the loss, and every heading says so. Markdown and the page both draw these.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.report import text
from encbench.report.document import Comparison, Group, Report


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
        Column("", "noise floor ±", tuple(text.percent(line.group.noise_floor) for line in lines)),
        Column("", "blocks", tuple(f"{line.comparison.blocks:,}" for line in lines)),
        Column("", "verdict", tuple(line.comparison.verdict for line in lines), numeric=False),
    ]


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
        *_points(lines, plain, treated, "server, % of limit", "database"),
        *_points(lines, plain, treated, "client, % of limit", "client"),
        *_points(lines, plain, treated, "node, % of all cores", "node"),
    ]


def _threads(lines: Sequence[Line]) -> Column:
    return Column("", "threads", tuple(f"{line.group.concurrency:,}" for line in lines))


_OVERHEADS = {
    "latency_average_ms": "latency_average_overhead",
    "latency_p95_ms": "latency_p95_overhead",
    "database_cpu_ms_per_transaction": "cpu_per_transaction_overhead",
}


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
    ]


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
