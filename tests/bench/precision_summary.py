"""What pairs of sequential and interleaved campaigns say; pure, so that it can be tested."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

from encbench.api.overheadreport import FigureKey, Interval
from encbench.core.statistics.intervals import Bounds, Sense, of_ratios
from encbench.report.document import Report
from tests.bench import results

Design = Literal["sequential", "interleaved"]
DESIGNS: tuple[Design, ...] = get_args(Design)
FIGURES = ("A'/A TPS", "mode TPS", "mode CPU")
"""Of the baseline against itself, and of a mode against both its arms."""
OF_THE_MODE: tuple[tuple[str, FigureKey, Sense], ...] = (
    ("mode TPS", "tps", "loss"),
    ("mode CPU", "cpuPerTransaction", "increase"),
)
TPS_TARGET, CPU_TARGET = 0.02, 0.01
"""Half-widths that a decision needs."""
CPU = "450m"
"""Of a server. Three of these, resident, are what two cores hold beside a client; smaller ones run
in fewer and coarser bursts."""
MOST_MINUTES = 6.0
MOST_UNMEASURED = 0.25
RATIOS = {"read-write": 0.5, "write-only": 0.33}
"""The half-width of TPS at equal machine time, interleaved / sequential: at most."""
MOST_BIAS = 0.02


@dataclass(frozen=True)
class Log:
    """A ratio of two arms on the log scale."""

    mean: float
    half: float
    """Half-width of its 95 % interval."""


@dataclass(frozen=True)
class Measured:
    """One campaign."""

    engine: str
    workload: str
    design: Design
    repeat: int
    seconds: float
    """Machine time: from the first client's start to the end of the last window."""
    counted: float
    """Seconds of it in which an arm was measured."""
    plain: float
    """TPS of the baseline."""
    logs: dict[str, Log]
    """By figure; one is absent where the campaign gave no interval."""
    in_blocks: float | None = None
    """Seconds of the machine time that belong to blocks, each from its first warm-up on; None in
    campaigns that were kept before this was."""
    cpu: str = CPU
    """Of a server."""

    @property
    def unmeasured(self) -> float:
        """Share of the machine time in which nothing was measured."""
        return 1 - self.counted / self.seconds

    @property
    def unmeasured_in_blocks(self) -> float:
        """The same of the blocks alone, or of all time where theirs is not known."""
        return 1 - self.counted / (self.in_blocks or self.seconds)

    def error_of_a_second(self, figure: str) -> float | None:
        """Half-width · √seconds: what of it does not depend on how long was measured."""
        one = self.logs.get(figure)
        return None if one is None else one.half * math.sqrt(self.seconds)

    def minutes(self, figure: str, target: float) -> float | None:
        """Machine time for that half-width, if noise stays what it was."""
        error = self.error_of_a_second(figure)
        return None if error is None else (error / target) ** 2 / 60


def kept(file: Path | None) -> list[Measured]:
    """What a run has kept of its campaigns, a line each; SystemExit if one is there twice."""
    return results.distinct(map(_measured, results.read(file)), _key)


def written(file: Path) -> list[Measured]:
    """What the file holds to which campaigns are added."""
    return list(map(_measured, results.written(file)))


def _measured(row: dict[str, Any]) -> Measured:
    return Measured(**{**row, "logs": {name: Log(**log) for name, log in row["logs"].items()}})


def _key(one: Measured) -> tuple[object, ...]:
    cpu = f"{one.cpu} of CPU"
    return one.engine, one.workload, cpu, one.design, f"number {one.repeat}"


def measured(
    report: Report,
    engine: str,
    workload: str,
    design: Design,
    repeat: int,
    warmup: float,
    cpu: str = CPU,
) -> Measured:
    """From a finished campaign's report, which has one condition and one treatment."""
    (group,) = report.groups
    (treatment,) = group.treatments
    comparison = group.comparison(treatment.name)
    changes: list[tuple[str, Interval | None, Sense]] = [("A'/A TPS", group.repeat, "loss")]
    for name, key, sense in OF_THE_MODE:
        finding = comparison.finding(key) if comparison else None
        changes.append((name, finding.change if finding else None, sense))
    blocks: dict[int, list[tuple[float, float]]] = {}
    for trial in report.trials:
        if trial.window and trial.counted:
            window = trial.window.start, trial.window.end
            blocks.setdefault(trial.block, []).append(window)
    windows = [window for own in blocks.values() for window in own]
    slices = [one.seconds for t in report.trials if t.counted for one in t.rounds]

    def span(own: Sequence[tuple[float, float]]) -> float:
        return max(end for _, end in own) - min(start for start, _ in own) + warmup

    return Measured(
        engine=engine,
        workload=workload,
        design=design,
        repeat=repeat,
        seconds=span(windows),
        counted=sum(slices) if slices else sum(last - first for first, last in windows),
        plain=group.row(group.baseline.name).tps or math.nan,
        logs={
            name: log for name, change, sense in changes if (log := _log(change, sense)) is not None
        },
        in_blocks=sum(map(span, blocks.values())),
        cpu=cpu,
    )


def _log(change: Interval | None, sense: Sense) -> Log | None:
    if change is None or change.low is None or change.high is None:
        return None
    sign = -1 if sense == "loss" else 1
    mean, low, high = (math.log1p(sign * it) for it in (change.estimate, change.low, change.high))
    return Log(mean, abs(high - low) / 2)


Pair = tuple[Measured, Measured]
"""A sequential and an interleaved campaign, one right after the other."""


def pairs(found: Iterable[Measured]) -> list[Pair]:
    """Those of which both have a result."""
    by_repeat: dict[int, dict[Design, Measured]] = {}
    for one in found:
        by_repeat.setdefault(one.repeat, {})[one.design] = one
    return [
        (both["sequential"], both["interleaved"]) for both in by_repeat.values() if len(both) == 2
    ]


def ratio(both: Sequence[Pair], figure: str) -> float | None:
    """Median half-width at equal machine time, interleaved / sequential."""
    errors = [(a.error_of_a_second(figure), b.error_of_a_second(figure)) for a, b in both]
    known = [other / one for one, other in errors if one and other is not None]
    return median(known) if known else None


def difference(both: Sequence[Pair], of: Callable[[Measured], float | None]) -> "Difference":
    """Interleaved minus solo of a figure on the log scale, over the pairs."""
    values = [(of(a), of(b)) for a, b in both]
    found = of_ratios([b - a for a, b in values if a is not None and b is not None])
    return Difference(found.mean if found else None, found.bounds() if found else None)


@dataclass(frozen=True)
class Difference:
    """Of two ways of measuring; in percent it is about 100 times this."""

    mean: float | None
    bounds: Bounds | None
    """At 95 %; None with fewer than two pairs."""

    @property
    def is_small(self) -> bool:
        """Whether the whole interval is inside ±2 %."""
        return self.bounds is not None and self.bounds.largest <= MOST_BIAS

    @property
    def text(self) -> str:
        """`+0.3 % [-0.5, +1.1]`."""
        if self.mean is None:
            return "no pair has it"
        shown = f"{100 * self.mean:+.1f} %"
        if self.bounds is None:
            return f"{shown} (one pair gives no interval)"
        return f"{shown} [{100 * self.bounds.low:+.1f}, {100 * self.bounds.high:+.1f}]"


def loss(one: Measured) -> float | None:
    """The mode's TPS against the baseline's."""
    return one.logs["mode TPS"].mean if "mode TPS" in one.logs else None


def level(one: Measured) -> float | None:
    """The baseline's TPS."""
    return math.log(one.plain) if one.plain > 0 else None


Line = tuple[str, bool | None]
"""What was found, and whether it is what was asked for; None where nothing was."""


def goals() -> Iterator[str]:
    """The goals, as the help lists them."""
    for workload, most in RATIOS.items():
        yield (
            f"half-widths of TPS at equal time, {workload}: interleaved at most {most:g} of "
            "sequential"
        )
    yield (
        f"interleaved minus solo, the mode's TPS: the whole 95 % interval within "
        f"±{100 * MOST_BIAS:g} %"
    )
    yield (
        f"interleaved: ±{100 * TPS_TARGET:g} % of TPS and ±{100 * CPU_TARGET:g} % of CPU a "
        f"transaction within {MOST_MINUTES:g} minutes"
    )
    yield f"interleaved: less than {100 * MOST_UNMEASURED:g} % of a block is not measured"


def summary(workload: str, both: Sequence[Pair]) -> Iterator[Line]:
    """Everything about one workload on one engine."""
    for figure in FIGURES:
        found, most = ratio(both, figure), RATIOS.get(workload)
        if found is not None:
            asked = most if figure.endswith("TPS") else None
            limit = f", at most {asked:g}" if asked is not None else ""
            said = f"half-width of {figure} at equal time, interleaved / sequential: {found:.2f}"
            yield f"{said}{limit}", None if asked is None else found <= asked
    for n, design in enumerate(DESIGNS):
        yield from decision(design, [pair[n] for pair in both])
    bias = difference(both, loss)
    yield f"interleaved minus solo, the mode's TPS: {bias.text}", bias.is_small
    yield f"interleaved minus solo, the baseline's TPS: {difference(both, level).text}", None


def decision(design: Design, own: Sequence[Measured]) -> Iterator[Line]:
    """What a decision takes by campaigns of one design; only interleaved ones are judged."""
    minutes = [
        _median(one.minutes(figure, target) for one in own)
        for figure, target in (
            ("A'/A TPS", TPS_TARGET),
            ("mode TPS", TPS_TARGET),
            ("mode CPU", CPU_TARGET),
        )
    ]
    known = [it for it in minutes if it is not None]
    shown = ", ".join("-" if it is None else f"{it:.1f}" for it in minutes)
    good = len(known) == len(minutes) and max(known) <= MOST_MINUTES
    yield (
        f"{design}: minutes for ±2 % of A'/A TPS, ±2 % of the mode's TPS, ±1 % of its CPU a "
        f"transaction: {shown}",
        good if design == "interleaved" else None,
    )
    whole = median(one.unmeasured for one in own)
    share = median(one.unmeasured_in_blocks for one in own)
    yield (
        f"{design}: {share:.0%} of a block and {whole:.0%} of all time is not measured",
        share < MOST_UNMEASURED if design == "interleaved" else None,
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
