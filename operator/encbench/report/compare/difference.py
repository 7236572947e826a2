"""Two reports side by side: how much overheads differ, and what else did and could be why.

Conditions are matched by instance, workload, concurrency and arm. Two campaigns share no blocks, so
their overheads are independent, and the interval of a difference follows from the two intervals
alone, wherever they came from and however skewed they are: the method of variance estimates
recovery (Zou & Donner, "Construction of confidence limits about effect measures: a general
approach", Statistics in Medicine 27(10), 2008; for proportions Newcombe, Statistics in Medicine
17(8), 1998). For x with [l, u] each, the difference b − a lies between
(b − a) − √((b − lb)² + (ua − a)²) and (b − a) + √((ub − b)² + (a − la)²).

A campaign that never rebuilt its testbeds has their luck of placement in its overhead and not in
its interval. What it knows of that luck has one degree of freedom (`core.statistics.intervals`). A
difference is shown only where it also exceeds t(0.975; k) · √(sum of squared standard errors of
luck) of the k campaigns concerned, whose luck is taken to be of one size.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from encbench.api.overheadreport import Interval, Row
from encbench.report.compare.likeness import (
    MACHINE,
    MADE,
    MEASURED,
    NOT_RECORDED,
    Difference,
    MatchKey,
    facts,
    flat,
    overhead,
    specs,
    topic_of,
    unequal,
)
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.figures import RECOVERY, JudgedFigure, judged

T_QUANTILES = {1: 12.706204736174694, 2: 4.302652729749462}
"""t(0.975; k) for one campaign and for two: a laptop that compares reports need not have scipy."""

Says = Literal["higher", "lower", "not shown", "unknown"]
"""Of B against A: the whole interval lies on one side of 0, and the testbeds' luck cannot explain
that; or not; or there is nothing to judge it by."""


@dataclass(frozen=True)
class Delta:
    """One overhead in both reports, as fractions, and the difference B − A."""

    figure: JudgedFigure
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    luck: float | None = 0.0
    """What of the difference luck of placement can explain, as a fraction; None where a report does
    not know."""

    @property
    def says(self) -> Says:
        """What is shown of B."""
        if self.difference is None or self.difference.low is None or self.difference.high is None:
            return "unknown"
        low, high = self.difference.low, self.difference.high
        if low <= 0 <= high:
            return "not shown"
        if self.luck is None:
            return "unknown"
        if abs(self.difference.estimate) <= self.luck:
            return "not shown"
        return "higher" if low > 0 else "lower"

    @property
    def name(self) -> str:
        """`TPS loss`, `p95 latency increase`."""
        return f"{self.figure.title} {self.figure.sense}"


class Side(NamedTuple):
    """A condition in one of the reports, and the row of the arm."""

    group: Group
    row: Row
    one_set: bool
    """Each arm had one testbed of its own for the whole campaign."""

    @property
    def plain(self) -> float | None:
        """TPS of the baseline."""
        return self.group.row(self.group.baseline.name).tps


@dataclass(frozen=True)
class MatchedPair:
    """One condition that both reports have."""

    condition: MatchKey
    a: Side
    b: Side
    deltas: tuple[Delta, ...]


@dataclass(frozen=True)
class ComparedReports:
    """Two reports side by side."""

    a: Report
    b: Report
    pairs: tuple[MatchedPair, ...]
    only_a: tuple[MatchKey, ...]
    only_b: tuple[MatchKey, ...]
    differences: tuple[Difference, ...]
    settings_compared: int
    """Server settings that both reports have."""


def compare(a: Report, b: Report) -> ComparedReports:
    """Both reports; B is compared to A."""
    mine, theirs = _treated(a), _treated(b)
    pairs = tuple(_pair(key, mine[key], theirs[key]) for key in mine if key in theirs)
    return ComparedReports(
        a=a,
        b=b,
        pairs=pairs,
        only_a=tuple(c for c in mine if c not in theirs),
        only_b=tuple(c for c in theirs if c not in mine),
        differences=tuple(_differences(a, b, pairs)),
        settings_compared=len(a.provenance.settings.keys() & b.provenance.settings.keys()),
    )


def difference(a: Interval | None, b: Interval | None) -> Interval | None:
    """B − A with its interval; without bounds where one has none."""
    if a is None or b is None:
        return None
    point = b.estimate - a.estimate
    bounds = (a.low, a.high, b.low, b.high)
    if any(bound is None for bound in bounds):
        return Interval(estimate=point)
    la, ua, lb, ub = (bound for bound in bounds if bound is not None)
    return Interval(
        estimate=point,
        low=point - math.hypot(b.estimate - lb, ua - a.estimate),
        high=point + math.hypot(ub - b.estimate, a.estimate - la),
    )


def luck_explains(a: Sequence[float], b: Sequence[float]) -> float:
    """The largest difference that the testbeds' luck explains at 95 %, from its standard errors.

    `a` and `b` have one each, or none where testbeds were rebuilt.
    """
    known = [*a, *b]
    return T_QUANTILES[len(known)] * math.hypot(*known) if known else 0.0


def _luck(figure: JudgedFigure, side: Side) -> list[float] | None:
    """Its standard error as a fraction; None where it matters and is not known."""
    if not side.one_set:
        return []
    comparison = side.group.comparison(side.row.arm)
    found = comparison.finding(figure.key) if comparison else None
    if found is None or found.luck is None or found.change is None:
        return None
    change = found.change.estimate
    return [found.luck * (1 - change if figure.sense == "loss" else 1 + change)]


def _treated(report: Report) -> dict[MatchKey, Side]:
    instances, kept = report.resolved.instances, not report.spec.blocks.per_testbed
    return {
        MatchKey(row.instance, row.workload, row.concurrency, row.arm): Side(
            group, row, kept and instances[row.instance].external is None
        )
        for group in report.groups
        for row in group.rows
        if row.role == "treatment"
    }


def _pair(condition: MatchKey, a: Side, b: Side) -> MatchedPair:
    deltas = []
    # What one of them does not judge cannot be compared; an earlier report knew no think times.
    as_offered = a.group.as_offered or b.group.as_offered
    is_recovery = a.group.primary == RECOVERY.key
    for figure in judged(recovery=is_recovery, as_offered=as_offered):
        one, other = overhead(a.group, a.row, figure), overhead(b.group, b.row, figure)
        lucks = _luck(figure, a), _luck(figure, b)
        luck = None if lucks[0] is None or lucks[1] is None else luck_explains(lucks[0], lucks[1])
        deltas.append(Delta(figure, one, other, difference(one, other), luck))
    return MatchedPair(condition, a, b, tuple(deltas))


# ------------------------------------------------------------------------- what else was different


def _differences(a: Report, b: Report, pairs: Sequence[MatchedPair]) -> Iterable[Difference]:
    """Specs first, because with other specs another question was answered."""
    found = list(_specs(a, b, pairs))
    yield from (it for it in found if it.topic == MEASURED)
    topics = (MACHINE, MADE)
    conditions = [pair.condition for pair in pairs]
    for topic, mine, theirs in zip(topics, facts(a, conditions), facts(b, conditions), strict=True):
        yield from unequal(topic, _names(mine, theirs), mine, theirs, absent=NOT_RECORDED)
    yield from (it for it in found if it.topic == MADE)
    settings = a.provenance.settings, b.provenance.settings
    common = sorted(settings[0].keys() & settings[1].keys())
    yield from unequal("server settings", common, *settings)
    plan = _plan(a)
    yield from unequal("how it was measured", plan, plan, _plan(b))


def _names(a: Mapping[str, str], b: Mapping[str, str]) -> Iterable[str]:
    return dict.fromkeys((*a, *b))


def _specs(a: Report, b: Report, pairs: Sequence[MatchedPair]) -> Iterable[Difference]:
    """What the matched conditions name: the same name need not mean the same thing."""
    conditions = [pair.condition for pair in pairs]
    mine, theirs = specs(a, conditions), specs(b, conditions)
    for owner in mine:
        if owner in theirs:
            one, other = mine[owner], theirs[owner]
            for path in _names(one, other):
                yield from unequal(topic_of(path), [path], one, other, of=f"{owner}: ")
    if a.spec.baseline_mode_ref != b.spec.baseline_mode_ref:
        baselines = a.spec.baseline_mode_ref, b.spec.baseline_mode_ref
        yield Difference(MEASURED, "baseline mode", *baselines)


_PLACED = {True: "on one node", False: "on different nodes", None: "not known"}


def _plan(report: Report) -> dict[str, str]:
    own = {
        path: value
        for path, value in flat(report.spec.to_dict()).items()
        if not path.startswith(("matrix", "baselineModeRef", "suspend", "ttl", "activeDeadline"))
    }
    return {**own, "client and database": _PLACED[report.shared_node]}
