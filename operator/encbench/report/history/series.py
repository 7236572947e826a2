"""The history of overheads: a series for each condition and arm, over all campaigns that have it.

Campaigns are joined where they asked the same question of the same kind of machine: equal specs
behind the names of the condition, and equal facts about the machines, as `compare` has them. Any
other configuration is a series of its own, because its level says nothing about this one's.

All series that have the newest campaign of their condition are tested side by side, so each is
held to LEVEL / their number (Bonferroni): if nothing ever changed, the chance that any change of
theirs is shown is at most LEVEL. The others are tested at the same level, and decide nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from encbench.api.overheadreport import FigureKey, Interval, Row
from encbench.core.statistics.changes import LEVEL, Course, LevelChange, course, levels, needed
from encbench.report.compare.likeness import (
    NOT_RECORDED,
    Configuration,
    Difference,
    MatchKey,
    apart,
    configuration,
    overhead,
)
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.figures import JUDGED, JudgedFigure


@dataclass(frozen=True)
class HistoryPoint:
    """What one campaign says."""

    report: Report
    group: Group
    row: Row
    overhead: Interval | None
    """None where it has no data."""
    blocks: int
    """Behind the overhead: fewer than the row's where a figure was withheld."""
    verdict: str

    @property
    def uid(self) -> str:
        """The campaign's."""
        return self.report.campaign.uid

    @property
    def campaign(self) -> str:
        """Its name."""
        return self.report.campaign.name

    @property
    def time(self) -> str:
        """When it started, by RFC 3339."""
        return self.report.started


@dataclass(frozen=True)
class HistorySeries:
    """One condition and arm in one configuration."""

    condition: MatchKey
    figure: JudgedFigure
    number: int
    """Of the configuration among those of the condition, in the order of time, from 1."""
    differs: tuple[Difference, ...]
    """How the configuration differs from the first of the condition."""
    points: tuple[HistoryPoint, ...]
    """The oldest campaign first."""
    course: Course
    """Of the measured points."""
    current: bool
    """It has the newest campaign of its condition; other configurations are measured no more."""

    @property
    def measured(self) -> list[tuple[HistoryPoint, Interval]]:
        """The points that have an overhead. `course` counts these."""
        return [(point, one) for point in self.points if (one := point.overhead) is not None]

    @property
    def levels(self) -> list[float]:
        """The median of its part of the series, for each measured point."""
        values = [one.estimate for _, one in self.measured]
        parts = levels(values, [change.place for change in self.course.changes])
        return [middle for part, middle in parts for _ in part]

    @property
    def last(self) -> LevelChange | None:
        """The newest change."""
        return self.course.changes[-1] if self.course.changes else None

    @property
    def rose(self) -> bool:
        """Whether the newest change made the overhead larger."""
        return self.last is not None and self.last.after > self.last.before


@dataclass(frozen=True)
class History:
    """All series, in the order in which their conditions first appeared."""

    reports: tuple[Report, ...]
    """The oldest campaign first."""
    series: tuple[HistorySeries, ...]
    level: float
    """At which each series is tested."""

    @property
    def needed(self) -> int:
        """The least measured campaigns with which a change can be shown."""
        return needed(self.level)


class _Found(NamedTuple):
    condition: MatchKey
    figure: JudgedFigure
    configuration: Configuration
    points: list[HistoryPoint]


def history(
    reports: Iterable[Report], figure: FigureKey | None = None, *, allow_unlike: bool = False
) -> History:
    """The history of these reports; of `figure`, or else of what each verdict rests on.

    A campaign that is given twice counts once. `allow_unlike` joins all configurations.
    """
    known = {report.campaign.uid: report for report in reports}
    ordered = sorted(known.values(), key=lambda it: (it.started, it.campaign.name))
    found = _series(ordered, figure, allow_unlike=allow_unlike)
    # Also one without a figure yet replaces an earlier one.
    shown = [
        (it, now)
        for it, now in zip(found, _current(found, ordered), strict=True)
        if any(point.overhead for point in it.points)
    ]
    found, current = [it for it, _ in shown], [now for _, now in shown]
    values = [[p.overhead.estimate for p in it.points if p.overhead is not None] for it in found]
    long = (len(own) >= needed() for own, now in zip(values, current, strict=True) if now)
    level = LEVEL / max(1, sum(long))
    first: dict[tuple[MatchKey, str], list[Configuration]] = {}
    made = []
    for one, own, now in zip(found, values, current, strict=True):
        before = first.setdefault((one.condition, one.figure.key), [])
        before.append(one.configuration)
        made.append(
            HistorySeries(
                condition=one.condition,
                figure=one.figure,
                number=len(before),
                differs=tuple(apart(before[0], one.configuration)),
                points=tuple(one.points),
                course=course(own, level),
                current=now,
            )
        )
    made.sort(key=lambda it: list(first).index((it.condition, it.figure.key)))
    return History(tuple(ordered), tuple(made), level)


def _series(
    reports: Sequence[Report], wanted: FigureKey | None, *, allow_unlike: bool
) -> list[_Found]:
    found: list[_Found] = []
    for report in reports:
        for group in report.groups:
            figure = JUDGED[wanted or group.primary]
            for row in (row for row in group.rows if row.role == "treatment"):
                condition = MatchKey(row.instance, row.workload, row.concurrency, row.arm)
                like = {} if allow_unlike else configuration(report, condition)
                same = (it for it in reversed(found) if it[:2] == (condition, figure))
                own = next((it for it in same if not any(apart(it.configuration, like))), None)
                if own is None:
                    own = _Found(condition, figure, {}, [])
                    found.append(own)
                _learn(own.configuration, like)
                own.points.append(_point(report, group, row, figure))
    return found


def _current(found: Sequence[_Found], ordered: Sequence[Report]) -> list[bool]:
    """Whether each has the newest campaign of its condition."""
    places = {report.campaign.uid: place for place, report in enumerate(ordered)}
    last = [places[it.points[-1].uid] for it in found]
    newest: dict[MatchKey, int] = {}
    for it, place in zip(found, last, strict=True):
        newest[it.condition] = max(place, newest.get(it.condition, 0))
    return [newest[it.condition] == place for it, place in zip(found, last, strict=True)]


def _learn(known: Configuration, more: Configuration) -> None:
    """Facts that earlier campaigns of the series did not record."""
    known |= {it: more[it] for it in more if known.get(it, NOT_RECORDED) == NOT_RECORDED}


def _point(report: Report, group: Group, row: Row, figure: JudgedFigure) -> HistoryPoint:
    comparison = group.comparison(row.arm)
    finding = comparison.finding(figure.key) if comparison else None
    verdict = finding.verdict if finding else row.verdict if figure.key == group.primary else ""
    blocks = finding.blocks if finding else row.blocks
    return HistoryPoint(report, group, row, overhead(group, row, figure), blocks, verdict)
