"""The conditions of one workload on one instance, and the pairs of rows that its tables compare."""

from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.report.document import Report
from encbench.report.document.group import Group, PairedComparison
from encbench.report.figures import JUDGED
from encbench.text.words import plural

Names = tuple[str, str]
"""What is compared with what: plain and treated, or before and after."""
RowPair = tuple[Row, Row]


@dataclass(frozen=True)
class Line:
    """One concurrency."""

    group: Group
    rows: RowPair
    comparison: PairedComparison

    @property
    def treated(self) -> Row:
        """Of the treatment."""
        return self.rows[1]

    @property
    def why(self) -> str:
        """`4 threads: Overhead of TPS, because …`."""
        threads, found = plural(self.group.concurrency, "thread"), self.comparison
        of = f"{found.verdict} of {JUDGED[self.group.primary].phrase}"
        return f"{threads}: {of}, because {found.why}."


@dataclass(frozen=True)
class Versus:
    """A treatment against the baseline, in the order of concurrency."""

    names: Names
    is_recovery: bool
    margin: float
    """What verdicts are held to."""
    lines: tuple[Line, ...]

    @property
    def rows(self) -> list[RowPair]:
        """Of both arms, by line."""
        return [line.rows for line in self.lines]

    @property
    def title(self) -> str:
        """`tde against plain`."""
        plain, treated = self.names
        return f"{treated} against {plain}"


@dataclass(frozen=True)
class Section:
    """The conditions of one workload on one instance, in the order of concurrency."""

    groups: tuple[Group, ...]
    margin: float
    """What verdicts are held to."""

    @property
    def first(self) -> Group:
        """At the lowest concurrency; instance, workload and arms are those of all."""
        return self.groups[0]

    @property
    def place(self) -> str:
        """In words."""
        return f"{self.first.workload} on {self.first.instance}"

    @property
    def is_recovery(self) -> bool:
        """Whether its subject is the recovery of a stopped server."""
        return self.first.primary == "recovery"

    @property
    def compared(self) -> list[Versus]:
        """Each treatment against the baseline."""
        return [self._versus(arm.name) for arm in self.first.treatments]

    def _versus(self, arm: str) -> Versus:
        plain = self.first.baseline.name
        lines = tuple(
            Line(group, (group.row(plain), group.row(arm)), comparison)
            for group in self.groups
            if (comparison := group.comparison(arm)) is not None
        )
        return Versus((plain, arm), self.is_recovery, self.margin, lines)


def sections(report: Report) -> list[Section]:
    """In the order of the plan."""
    found: dict[tuple[str, str], list[Group]] = {}
    for group in report.groups:
        found.setdefault((group.cell, group.workload), []).append(group)
    return [
        Section(tuple(sorted(own, key=lambda g: g.concurrency)), report.spec.margin)
        for own in found.values()
    ]
