"""The conditions of one workload on one instance, and the pairs of rows that its tables compare."""

from collections.abc import Iterable
from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.report.document import Report
from encbench.report.document.group import Comparison, Group


@dataclass(frozen=True)
class Line:
    """One concurrency."""

    group: Group
    plain: Row
    treated: Row
    comparison: Comparison


@dataclass(frozen=True)
class Versus:
    """A treatment against the baseline, in the order of concurrency."""

    treated: str
    plain: str
    is_recovery: bool
    lines: tuple[Line, ...]

    @property
    def names(self) -> tuple[str, str]:
        """The plain arm and the treated one."""
        return self.plain, self.treated

    @property
    def pairs(self) -> list[tuple[Row, Row]]:
        """The rows of both arms, in the same order."""
        return [(line.plain, line.treated) for line in self.lines]

    @property
    def rows(self) -> Iterable[Row]:
        """The rows of both arms, one after the other."""
        return (row for pair in self.pairs for row in pair)

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
