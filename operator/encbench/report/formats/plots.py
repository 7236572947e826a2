"""The plots of the page. Each takes parts of the report and returns one inline SVG.

No plot has a legend or a title of its own: the page names the arms once, by colour and by the shape
of their marker, and says above each plot what it shows. Concurrency is an axis of evenly spaced
levels rather than a scale, because values at one level are compared side by side.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

from encbench.api.campaign import Blocks
from encbench.api.overheadreport import Interval, Row
from encbench.api.testbed import Arm
from encbench.core.plan import block_name
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.figures import LATENCIES, TPS, JudgedFigure
from encbench.report.formats import svg
from encbench.report.formats.sections import Section
from encbench.report.formats.svg import INK, drawn
from encbench.report.formats.tables import AS_OFFERED
from encbench.report.words import text
from encbench.text.words import capitalised, plural

SMALL = 390, 230
"""Pixels of a plot; a wide page has two side by side."""
WIDE = 1040, 230
"""Pixels of a plot of many points, which has the width of the page."""
FEW = 8
"""The most points of a small plot."""
LEFT = 40
"""Pixels of a plot's width that labels of its axis take."""
BESIDE = 9
"""Pixels from a point to the number beside it."""
GLYPH = 7
"""Pixels of a digit. What a number's dot leaves of one is as wide as half of a marker."""
SPREAD = 0.75
"""Share of a level's place over which its points lie."""

SERIES = 0.85
"""Opacity of a trial's series, through which its mean shows; every arm keeps a contrast of 3."""

MARKERS = "osD^vPX*<"
"""Shapes of baseline, control and treatments. There are seven of treatments, and six colours: pairs
of both repeat only after 42 treatments."""
SHAPES = "●■◆▲▼✚✖★◄"
"""The same shapes as characters, for the page's legend."""
MOST_NAMES = 30
"""Blocks that a timeline names; of more it names one in two, or in three."""


def _variable(place: int) -> str:
    """The CSS variable of the arm at that place in the plan."""
    if place < 2:
        return ("baseline", "control")[place]
    return svg.TREATMENTS[(place - 2) % len(svg.TREATMENTS)]


def _shape(shapes: str, place: int) -> str:
    """That of the arm at that place in the plan: no treatment has the baseline's or control's."""
    return shapes[place] if place < 2 else shapes[2 + (place - 2) % (len(shapes) - 2)]


def _style(place: int) -> tuple[str, str]:
    """The shape of the arm at that place in the plan, and the stand-in for its colour."""
    return _shape(MARKERS, place), INK[_variable(place)]


def _levels(axes: Any, section: Section) -> None:
    """Concurrency along the axis."""
    names = [f"{group.concurrency:,}" for group in section.groups]
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xlabel("threads")


def _offsets(count: int, width: float) -> list[float]:
    """Positions of `count` things side by side, centred on 0."""
    return [width * ((n + 0.5) / count - 0.5) for n in range(count)]


@dataclass(frozen=True)
class Legend:
    """How an arm is drawn."""

    name: str
    role: str
    shape: str
    colour: str


def legend(arms: Sequence[Arm]) -> tuple[Legend, ...]:
    """The legend of these arms, in the order of the plan."""
    return tuple(
        Legend(arm.name, arm.role, _shape(SHAPES, n), _variable(n)) for n, arm in enumerate(arms)
    )


def is_wide(section: Section) -> bool:
    """Whether its overheads are too many for a small plot."""
    return _crowd(section) > FEW


def _size(section: Section) -> tuple[int, int]:
    return WIDE if is_wide(section) else SMALL


def _crowd(section: Section) -> int:
    """Points of a plot of its overheads."""
    return len(section.groups) * len(section.first.treatments)


def effect(section: Section, figure: JudgedFigure, name: str) -> str:
    """An overhead with its 95 % interval by concurrency, against noise floor and margin.

    Each point has its number beside it as long as numbers cover neither points nor one another.
    """
    with drawn(*_size(section)) as (drawing, axes):
        _levels(axes, section)
        for place, group in enumerate(section.groups):
            if (floor := group.noise_floors.get(figure.key)) is not None:
                half = 100 * floor
                axes.bar(place, 2 * half, 0.84, -half, color=INK["noise"], linewidth=0, zorder=1)
                ends = {"colors": INK["muted"], "linewidth": 0.8, "zorder": 1.2}
                axes.hlines([-half, half], place - 0.42, place + 0.42, **ends)
        axes.axhline(0, color=INK["muted"], linewidth=1, zorder=1.5)
        axes.axhline(100 * section.margin, color=INK["muted"], linewidth=1, linestyle=(0, (4, 3)))
        arms = [arm.name for arm in section.first.arms]
        spread = _offsets(len(section.first.treatments), SPREAD)
        points: list[tuple[float, Interval]] = []
        for offset, arm in zip(spread, section.first.treatments, strict=True):
            own = [getattr(group.row(arm.name), figure.overhead) for group in section.groups]
            found = [(level + offset, it) for level, it in enumerate(own) if it is not None]
            _intervals(axes, found, arms.index(arm.name), _crowd(section))
            points += found
        _numbers(axes, section, points)
        _absences(axes, section, figure)
        axes.set_ylabel("loss of TPS, %" if figure.sense == "loss" else "increase, %")
        # Bars leave no margin below them, but the band's end must show.
        axes.use_sticky_edges = False
        axes.margins(y=0.1)
        return svg.render(drawing, name, _label(section, figure))


def _intervals(axes: Any, found: Sequence[tuple[float, Interval]], place: int, crowd: int) -> None:
    """Points of one arm, each at its place on the axis, in a plot of `crowd` points."""
    marker, ink = _style(place)
    look = {"color": ink, "linestyle": "none"}
    known = [
        (x, 100 * it.estimate, 100 * (it.estimate - it.low), 100 * (it.high - it.estimate))
        for x, it in found
        if it.low is not None and it.high is not None
    ]
    if known:
        xs, middles, *whiskers = zip(*known, strict=True)
        ends = {"elinewidth": 2, "capsize": min(5, 300 / crowd), "capthick": 2}
        axes.errorbar(xs, middles, whiskers, zorder=3, **ends, **look)
    places, estimates = [x for x, _ in found], [100 * it.estimate for _, it in found]
    point = {"marker": marker, "markersize": min(7, 420 / crowd), "markeredgewidth": 0}
    axes.plot(places, estimates, zorder=4, **point, **look)


def _numbers(axes: Any, section: Section, points: Sequence[tuple[float, Interval]]) -> None:
    """The estimate beside each point, or none where the widest would reach the next point."""
    look = {"textcoords": "offset points", "va": "center", "size": 11, "color": INK["ink"]}
    shown = [_number(it, section.margin) for _, it in points]
    if BESIDE + GLYPH * max(map(len, shown), default=0) > _room(section):
        return
    for (x, it), words in zip(points, shown, strict=True):
        axes.annotate(words, (x, 100 * it.estimate), (BESIDE, 0), zorder=5, **look)


def _number(it: Interval, margin: float) -> str:
    return text.number(100 * it.estimate, text.digits_beside(margin, it.low, it.high))


def _level(section: Section) -> float:
    """Pixels of a level's place."""
    return (_size(section)[0] - LEFT) / len(section.groups)


def _room(section: Section) -> float:
    """Pixels from one point of a plot of its overheads to the next."""
    arms = len(section.first.treatments)
    return _level(section) * (SPREAD / arms if arms > 1 else 1)


def _absences(axes: Any, section: Section, figure: JudgedFigure) -> None:
    """What stands where a condition lacks this overhead: why, or a dash where that has no room."""
    look = {"color": INK["muted"], "ha": "center", "va": "bottom", "size": 10}
    arms = section.first.treatments
    for level, group in enumerate(section.groups):
        known = [getattr(group.row(arm.name), figure.overhead) for arm in arms]
        why = _absent(group, figure)
        if not any(known) and GLYPH * (len(why) + 1) <= _level(section):
            axes.text(level, 0, why, **look)
            continue
        for offset, it in zip(_offsets(len(arms), SPREAD), known, strict=True):
            if it is None:
                axes.text(level + offset, 0, text.ABSENT, **look)


def _absent(group: Group, figure: JudgedFigure) -> str:
    """In place of an overhead that the condition has not."""
    if figure is TPS and group.as_offered:
        return AS_OFFERED
    return "fell behind" if figure in LATENCIES and group.kept_up is False else "no data"


def _label(section: Section, figure: JudgedFigure) -> str:
    said = [
        f"{arm.name} at {plural(group.concurrency, 'thread')} "
        f"{text.estimate(own, section.margin) if own is not None else _absent(group, figure)}"
        for arm in section.first.treatments
        for group in section.groups
        if group.comparison(arm.name) is not None
        for own in [getattr(group.row(arm.name), figure.overhead)]
    ]
    return (
        f"{capitalised(figure.effect)} with paired 95 % interval, {section.place}: "
        f"{'; '.join(said) or 'none compared'}. The margin is {text.margin(section.margin)}."
    )


def by_arm(section: Section, trials: Sequence[TrialView], field: str, unit: str, name: str) -> str:
    """A figure of all arms by arm and concurrency: the mean of a row as a bar, its trials as dots.

    The dots are the trials behind this mean. The baseline's are of A and A', and no dot is of a
    block that lacks the figure in an arm.
    """
    with drawn(*_size(section)) as (drawing, axes):
        _levels(axes, section)
        said = []
        by_name = {trial.name: trial for trial in trials}
        spread = _offsets(len(section.first.arms), 0.66)
        width = 0.66 / len(section.first.arms)
        for place, (offset, arm) in enumerate(zip(spread, section.first.arms, strict=True)):
            marker, ink = _style(place)
            for level, group in enumerate(section.groups):
                row, x = group.row(arm.name), level + offset
                if (mean := getattr(row, field)) is None:
                    continue
                values = in_mean(group, row, field, by_name)
                spots = [x + shift for shift in _offsets(len(values), 0.7 * width)]
                axes.hlines(mean, x - 0.42 * width, x + 0.42 * width, color=ink, linewidth=2.5)
                dots = {"marker": marker, "markersize": 4.5, "markeredgewidth": 0.8}
                face = {"color": ink, "markerfacecolor": (ink, 0.5), "linestyle": "none"}
                axes.plot(spots, values, **dots, **face)
                threads = plural(group.concurrency, "thread")
                said.append(f"{arm.name} at {threads} {text.number(mean, 2)}")
        axes.set_ylim(bottom=0)
        axes.margins(y=0.1)
        axes.set_ylabel(unit)
        return svg.render(
            drawing, name, f"{unit}, {section.place}: {'; '.join(said) or 'no data'}."
        )


def in_mean(group: Group, row: Row, field: str, by_name: Mapping[str, TrialView]) -> list[float]:
    """A figure of all arms in each trial of this campaign behind the row's mean.

    Where batches of rounds are the observations the mean is theirs. Where rounds scatter, that of
    the trials differs from it by a percent or so.
    """
    found: list[float] = []
    for block in group.blocks:
        own = [by_name[name] for name in block.trials]
        if block.counted and not block.solo and all(getattr(one, field) for one in own):
            found += [getattr(one, field) for one in own if one.arm in group.behind(row)]
    return found


def percentiles(group: Group, name: str) -> str:
    """Latency of each arm by percentile, on a logarithmic scale."""
    with drawn(*SMALL) as (drawing, axes):
        levels = list(group.latency[0].percentiles_ms)
        said = []
        for place, own in enumerate(group.latency):
            values = [own.percentiles_ms[level] for level in levels]
            marker, ink = _style(place)
            (line,) = axes.plot(range(len(levels)), values, f"-{marker}", color=ink, linewidth=1.5)
            line.set(markersize=5, markeredgewidth=0, zorder=2 + place)
            last = f"{levels[-1]}th {text.number(values[-1], 2)} ms"
            said.append(f"{own.arm} median {text.number(values[0], 2)} ms, {last}")
        axes.set_yscale("log")
        _log_ticks(axes, [v for own in group.latency for v in own.percentiles_ms.values()])
        axes.set_xticks(range(len(levels)), levels)
        axes.set_xlim(-0.4, len(levels) - 0.6)
        axes.set_xlabel("percentile")
        axes.set_ylabel("ms, logarithmic")
        label = f"Latency by percentile, {group.place}: {'; '.join(said)}."
        return svg.render(drawing, name, label)


_STEPS = (
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
    tuple(n / 10 for n in range(10, 100)),
)
"""Leading digits of ticks, coarse ones first."""


def _log_ticks(axes: Any, values: Sequence[float]) -> None:
    """A handful of plain numbers, because there would often be only one power of ten."""
    low, high = min(values) / 1.15, max(values) * 1.15
    shown: list[float] = []
    for digits in _STEPS:
        steps = (digit * 10.0**power for power in range(-4, 7) for digit in digits)
        shown = [step for step in steps if low <= step <= high]
        if len(shown) >= 4:
            break
    axes.set_ylim(low, high)
    axes.set_yticks(shown, [f"{step:g}" for step in shown])
    axes.minorticks_off()


def timeline(group: Group, trials: Sequence[TrialView], plan: Blocks, name: str) -> str:
    """TPS over time of every trial of one condition, side by side in the order they ran."""
    block_of = {
        name: block_name(plan, block.block) for block in group.blocks for name in block.trials
    }
    own = [trial for trial in trials if trial.name in block_of]
    names = [block_of[trial.name] for trial in own]
    places = {arm.name: place for place, arm in enumerate(group.arms)}
    with drawn(1040, 200) as (drawing, axes):
        strokes: defaultdict[tuple[str, str, bool], _Strokes] = defaultdict(_Strokes)
        for slot, trial in enumerate(own):
            strokes[*_style(places[trial.arm]), trial.counted].add(slot, trial)
            if trial.outcome != "Succeeded":
                axes.axvspan(slot, slot + 1, color=INK["bad-soft"], linewidth=0, zorder=0)
                _centred(axes, slot + 0.5, 0.04, "×", 16, INK["bad"])
        for (marker, ink, counted), one in strokes.items():
            alpha, width = (SERIES, 2.5) if counted else (0.3, 1.2)
            axes.plot(one.times, one.rates, color=ink, linewidth=1, alpha=alpha)
            axes.hlines(one.means, one.begins, one.ends, color=ink, linewidth=width)
            middles = [(begin + end) / 2 for begin, end in zip(one.begins, one.ends, strict=True)]
            # Of many trials each has a few pixels.
            size = min(6, 900 / len(own))
            look = {"color": ink, "marker": marker, "markersize": size, "linestyle": "none"}
            face = {"markerfacecolor": ink if counted else INK["surface"]}
            axes.plot(middles, one.means, **look, **face, markeredgewidth=0 if counted else 1)
        starts = [n for n, t in enumerate(own) if n == 0 or t.block != own[n - 1].block]
        whole = axes.get_xaxis_transform()
        axes.vlines(starts[1:], 0, 1, color=INK["line"], linewidth=1, transform=whole)
        blocks = list(zip(starts, [*starts[1:], len(own)], strict=True))
        for start, end in blocks[:: -(-len(blocks) // MOST_NAMES)]:
            label = f"block {names[start]}" if len(blocks) <= 12 else names[start]
            _centred(axes, (start + end) / 2, 1.02, label, 10, INK["muted"])
        axes.set_xlim(0, max(1, len(own)))
        axes.set_xticks([])
        axes.set_ylabel("TPS")
        bad = sum(t.outcome != "Succeeded" for t in own)
        label = f"TPS over time of {plural(len(own), 'trial')} in the order in which they ran"
        return svg.render(drawing, name, f"{label}, {group.place}; {bad} did not succeed.")


@dataclass
class _Strokes:
    """What is drawn alike in one go, because each call costs matplotlib a millisecond."""

    times: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    """The series of all trials; NaN lifts the pen between two of them."""
    means: list[float] = field(default_factory=list)
    begins: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def add(self, slot: int, trial: TrialView) -> None:
        """One trial within [slot, slot + 1]: its series and its mean."""
        begin, end = slot + 0.06, slot + 0.94
        if trial.series:
            first, last = trial.series[0][0], trial.series[-1][0]
            length = max(last - first, 1.0)
            self.times += [begin + 0.88 * (t - first) / length for t, _ in trial.series] + [nan]
            self.rates += [tps for _, tps in trial.series] + [nan]
        if trial.tps is not None:
            self.means.append(trial.tps)
            self.begins.append(begin)
            self.ends.append(end)


def _centred(axes: Any, x: float, height: float, words: str, size: int, ink: str) -> None:
    """Words at a height that is a share of the axes."""
    place = axes.get_xaxis_transform()
    axes.text(x, height, words, transform=place, ha="center", size=size, color=ink)
