"""The conditions of one workload on one instance, and the pairs of rows that its tables compare."""

from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.report.document import Report
from encbench.report.document.group import Group, PairedComparison

Names = tuple[str, str]
"""What is compared with what: plain and treated, or before and after."""
RowPair = tuple[Row, Row]


@dataclass(frozen=True)
class Line:
    """One concurrency."""

    group: Group
    plain: Row
    treated: Row
    comparison: PairedComparison

    @property
    def rows(self) -> RowPair:
        """Of both arms."""
        return self.plain, self.treated


@dataclass(frozen=True)
class Versus:
    """A treatment against the baseline, in the order of concurrency."""

    treated: str
    plain: str
    is_recovery: bool
    lines: tuple[Line, ...]

    @property
    def names(self) -> Names:
        """Of the two arms."""
        return self.plain, self.treated

    @property
    def rows(self) -> list[RowPair]:
        """Of both arms, by line."""
        return [line.rows for line in self.lines]

    @property
    def title(self) -> str:
        """`tde against plain`."""
        return f"{self.treated} against {self.plain}"


@dataclass(frozen=True)
class Section:
    """The conditions of one workload on one instance."""

    instance: str
    workload: str
    groups: tuple[Group, ...]
    baseline: Arm
    treatments: tuple[Arm, ...]

    @property
    def place(self) -> str:
        """In words."""
        return f"{self.workload} on {self.instance}"

    @property
    def is_recovery(self) -> bool:
        """Whether its subject is the recovery of a stopped server."""
        return self.groups[0].primary == "recovery"

    @property
    def arms(self) -> tuple[Arm, ...]:
        """All arms in the order of the plan."""
        return self.groups[0].arms

    @property
    def compared(self) -> list[Versus]:
        """Each treatment against the baseline."""
        return [self._versus(arm.name) for arm in self.treatments]

    def _versus(self, arm: str) -> Versus:
        plain = self.baseline.name
        lines = tuple(
            Line(group, group.row(plain), group.row(arm), comparison)
            for group in self.groups
            if (comparison := group.comparison(arm)) is not None
        )
        return Versus(arm, plain, self.is_recovery, lines)


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
