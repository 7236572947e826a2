"""The plot of one series: estimates with their intervals, the levels, and where they change.

Campaigns are evenly spaced in the order of time, because a night and a month between two of them
make no difference to what they say.
"""

from typing import Any

from encbench.report.formats import svg
from encbench.report.formats.svg import INK, drawn
from encbench.report.history.series import HistorySeries
from encbench.report.history.words import direction, title
from encbench.report.words import text
from encbench.text.words import plural

SIZE = 1040, 240
"""Pixels; it fills the width of the page."""
TICKS = 10


def plot(series: HistorySeries, name: str) -> str:
    """One inline SVG; `name` sets its ids apart from those of other plots."""
    with drawn(*SIZE) as (drawing, axes):
        _estimates(axes, series)
        _levels(axes, series)
        axes.axhline(0, color=INK["muted"], linewidth=1, zorder=1.5)
        for margin in {point.report.spec.margin for point in series.points}:
            dashes = (0, (4, 3))
            axes.axhline(100 * margin, color=INK["muted"], linewidth=1, linestyle=dashes)
        count = len(series.measured)
        step = -(-count // TICKS)
        places = range(0, count, step)
        dates = [point.time.partition("T")[0] for point, _ in series.measured]
        axes.set_xticks(places, [dates[place] for place in places])
        axes.set_xlim(-0.7, count - 0.3)
        axes.set_ylabel("loss of TPS, %" if series.figure.sense == "loss" else "increase, %")
        axes.margins(y=0.12)
        return svg.render(drawing, name, _label(series))


def _estimates(axes: Any, series: HistorySeries) -> None:
    """One call each for all points: a call for every point takes seconds for a year of nights."""
    look = {"color": INK["arm-1"], "linestyle": "none"}
    found = [one for _, one in series.measured]
    known = [
        (x, 100 * one.estimate, 100 * (one.estimate - one.low), 100 * (one.high - one.estimate))
        for x, one in enumerate(found)
        if one.low is not None and one.high is not None
    ]
    if known:
        xs, middles, *whiskers = zip(*known, strict=True)
        axes.errorbar(xs, middles, whiskers, elinewidth=1.5, capsize=3, zorder=3, **look)
    axes.plot(
        [100 * one.estimate for one in found],
        marker="o",
        markersize=6,
        markeredgewidth=0,
        zorder=4,
        **look,
    )


def _levels(axes: Any, series: HistorySeries) -> None:
    levels = [100 * level for level in series.levels]
    ends = [change.place for change in series.course.changes]
    for start, end in zip([0, *ends], [*ends, len(levels)], strict=True):
        axes.hlines(levels[start], start - 0.4, end - 0.6, color=INK["control"], linewidth=2)
    for change in series.course.changes:
        axes.axvline(change.place - 0.5, color=INK["bad"], linewidth=1.5)
        said = f"{direction(change)}: {text.percent(change.after)}"
        place = axes.get_xaxis_transform()
        axes.text(change.place - 0.4, 1.0, said, transform=place, size=10, color=INK["bad"])


def _label(series: HistorySeries) -> str:
    said = [
        f"{direction(change)} from {series.measured[change.place][0].campaign} on, "
        f"{text.percent(change.after)} after {text.percent(change.before)}"
        for change in series.course.changes
    ]
    campaigns = plural(len(series.measured), "campaign")
    return f"{title(series)} over {campaigns}: {'; '.join(said) or 'no change of level'}."
