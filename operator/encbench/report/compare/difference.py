"""Two reports side by side: how much overheads differ, and what else did and could be why.

Conditions are matched by instance, workload, concurrency and arm. Two campaigns share no blocks, so
their overheads are independent, and the interval of a difference follows from the two intervals
alone, wherever they came from and however skewed they are: the method of variance estimates
recovery (Zou & Donner, "Construction of confidence limits about effect measures: a general
approach", Statistics in Medicine 27(10), 2008; for proportions Newcombe, Statistics in Medicine
17(8), 1998). For x with [l, u] each, the difference b − a lies between
(b − a) − √((b − lb)² + (ua − a)²) and (b − a) + √((ub − b)² + (a − la)²).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from encbench.api.overheadreport import Interval, Row
from encbench.report.document import Fact, Report
from encbench.report.document.group import Group
from encbench.report.figures import JudgedFigure, judged
from encbench.text.words import plural

Says = Literal["higher", "lower", "not shown", "unknown"]
"""Of B against A: the whole interval lies on one side of 0, or does not, or there is none."""


@dataclass(frozen=True)
class Delta:
    """One overhead in both reports, as fractions, and the difference B − A."""

    figure: JudgedFigure
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    says: Says

    @property
    def name(self) -> str:
        """`TPS loss`, `p95 latency increase`."""
        return f"{self.figure.title} {self.figure.sense}"


@dataclass(frozen=True)
class MatchKey:
    """What is matched by."""

    instance: str
    workload: str
    concurrency: int
    arm: str

    @property
    def name(self) -> str:
        """In words."""
        threads = plural(self.concurrency, "thread")
        return f"{self.arm}, {self.workload} at {threads} on {self.instance}"


@dataclass(frozen=True)
class MatchedPair:
    """One condition that both reports have."""

    condition: MatchKey
    a: Row
    b: Row
    floor_a: float | None
    floor_b: float | None
    plain_a: float | None
    """TPS of the baseline."""
    plain_b: float | None
    deltas: tuple[Delta, ...]


@dataclass(frozen=True)
class Difference:
    """One fact that is not the same in both."""

    topic: str
    """What was measured, what it ran on, what it was made with, or how it was measured."""
    name: str
    a: str
    b: str


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
    pairs = tuple(
        _pair(condition, *mine[condition], *theirs[condition])
        for condition in mine
        if condition in theirs
    )
    return ComparedReports(
        a=a,
        b=b,
        pairs=pairs,
        only_a=tuple(c for c in mine if c not in theirs),
        only_b=tuple(c for c in theirs if c not in mine),
        differences=tuple(_differences(a, b, pairs)),
        settings_compared=len(_settings(a).keys() & _settings(b).keys()),
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


def _says(found: Interval | None) -> Says:
    if found is None or found.low is None or found.high is None:
        return "unknown"
    return "higher" if found.low > 0 else "lower" if found.high < 0 else "not shown"


def _treated(report: Report) -> dict[MatchKey, tuple[Group, Row]]:
    return {
        MatchKey(row.instance, row.workload, row.concurrency, row.arm): (group, row)
        for group in report.groups
        for row in group.rows
        if row.role == "treatment"
    }


def _pair(condition: MatchKey, in_a: Group, a: Row, in_b: Group, b: Row) -> MatchedPair:
    deltas = []
    for figure in judged(recovery=a.recovery_seconds is not None):
        one, other = getattr(a, figure.overhead), getattr(b, figure.overhead)
        found = difference(one, other)
        deltas.append(Delta(figure, one, other, found, _says(found)))
    return MatchedPair(
        condition=condition,
        a=a,
        b=b,
        floor_a=in_a.noise_floor,
        floor_b=in_b.noise_floor,
        plain_a=in_a.row(in_a.baseline.name).tps,
        plain_b=in_b.row(in_b.baseline.name).tps,
        deltas=tuple(deltas),
    )


# ------------------------------------------------------------------------- what else was different


def _differences(a: Report, b: Report, pairs: Sequence[MatchedPair]) -> Iterable[Difference]:
    """Specs first, because with other specs another question was answered."""
    yield from _specs(a, b, pairs)
    yield from _facts("what it ran on", a, b, _MACHINE)
    yield from _facts("what it was made with", a, b, None)
    mine, theirs = _settings(a), _settings(b)
    for name in sorted(mine.keys() & theirs.keys()):
        if mine[name] != theirs[name]:
            yield Difference("server settings", name, mine[name], theirs[name])
    plan_a, plan_b = _plan(a), _plan(b)
    for name, value in plan_a.items():
        if plan_b[name] != value:
            yield Difference("how it was measured", name, value, plan_b[name])


_MACHINE = ("Database node", "Client node", "Kernel", "CPU", "Kubernetes", "CPU flags for ciphers")


def _specs(a: Report, b: Report, pairs: Sequence[MatchedPair]) -> Iterable[Difference]:
    """What the matched conditions name: the same name need not mean the same thing."""
    modes = [p.condition.arm for p in pairs]
    for kind, names, mine, theirs in (
        (
            "Instance",
            [p.condition.instance for p in pairs],
            a.resolved.instances,
            b.resolved.instances,
        ),
        ("Mode", _modes(a, modes), a.resolved.modes, b.resolved.modes),
        (
            "Workload",
            [p.condition.workload for p in pairs],
            a.resolved.workloads,
            b.resolved.workloads,
        ),
    ):
        for name in dict.fromkeys(names):
            if name not in mine or name not in theirs:
                continue
            one, other = _flat(mine[name].to_dict()), _flat(theirs[name].to_dict())
            for path in dict.fromkeys((*one, *other)):
                values = one.get(path, "(absent)"), other.get(path, "(absent)")
                if values[0] != values[1]:
                    yield Difference("what was measured", f"{kind} {name}: {path}", *values)
    if a.spec.baseline_mode_ref != b.spec.baseline_mode_ref:
        refs = a.spec.baseline_mode_ref, b.spec.baseline_mode_ref
        yield Difference("what was measured", "baseline mode", *refs)


def _modes(report: Report, arms: Sequence[str]) -> list[str]:
    refs = {arm.name: arm.mode_ref for arm in report.treatments}
    return [report.spec.baseline_mode_ref, *(refs.get(arm, arm) for arm in arms)]


def _flat(value: Any, path: str = "") -> dict[str, str]:
    """Leaves of a spec by their path: `resources.cpu`."""
    if isinstance(value, Mapping):
        found: dict[str, str] = {}
        for key, entry in value.items():
            found |= _flat(entry, f"{path}.{key}" if path else str(key))
        return found
    if isinstance(value, list):
        return {path: ", ".join(str(entry) for entry in value)}
    return {path: str(value)}


def _facts(topic: str, a: Report, b: Report, names: Sequence[str] | None) -> Iterable[Difference]:
    """Facts of these names; those of none of `_MACHINE` where `names` is None."""
    mine, theirs = _by_name(a), _by_name(b)
    for name in dict.fromkeys((*mine, *theirs)):
        wanted = name not in _MACHINE if names is None else name in names
        one, other = mine.get(name, "(not recorded)"), theirs.get(name, "(not recorded)")
        if wanted and one != other:
            yield Difference(topic, name, one, other)


def _by_name(report: Report) -> dict[str, str]:
    found = {fact.name: _values(fact) for fact in report.provenance.facts}
    if report.provenance.cpu_flags:
        found["CPU flags for ciphers"] = " ".join(report.provenance.cpu_flags)
    if report.operator_version:
        found["encbench"] = report.operator_version
    return found


def _values(fact: Fact) -> str:
    return ", ".join(sorted(entry.value for entry in fact.values))


def _settings(report: Report) -> dict[str, str]:
    """Settings that were the same in all of one report's databases."""
    return report.provenance.settings


def _plan(report: Report) -> dict[str, str]:
    own = {
        path: value
        for path, value in _flat(report.spec.to_dict()).items()
        if not path.startswith(("matrix", "baselineModeRef", "suspend", "ttl", "activeDeadline"))
    }
    shared = "on one node" if report.colocated else "on different nodes"
    return _Defaulting({**own, "client and database": shared})


class _Defaulting(dict[str, str]):
    """A plan's field that the other version of encbench did not have yet."""

    def __missing__(self, key: str) -> str:
        return "(absent)"
