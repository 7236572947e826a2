"""What a treatment changes, by concurrency."""

from collections.abc import Sequence
from typing import Any

from encbench.api.overheadreport import Interval
from encbench.report.document.group import Group
from encbench.report.figures import JudgedFigure
from encbench.report.formats import svg
from encbench.report.formats.plots.common import SMALL, ink, levels, marker, offsets, style
from encbench.report.formats.sections import Section
from encbench.report.formats.svg import INK
from encbench.report.words import text
from encbench.text.words import capitalised, plural


def effect(section: Section, figure: JudgedFigure, margin: float, name: str) -> str:
    """An overhead with its 95 % interval by concurrency, against noise floor and margin."""
    with style():
        drawing = svg.figure(*SMALL)
        axes = drawing.subplots()
        levels(axes, section)
        for place, group in enumerate(section.groups):
            floor = group.noise_floors.get(figure.key)
            if floor is not None:
                axes.bar(
                    *(place, 200 * floor, 0.84, -100 * floor),
                    color=INK["noise"],
                    linewidth=0,
                    zorder=1,
                )
        axes.axhline(0, color=INK["line"], linewidth=1, zorder=1.5)
        axes.axhline(100 * margin, color=INK["muted"], linewidth=1, linestyle=(0, (4, 3)))
        arms = [arm.name for arm in section.arms]
        spread = offsets(len(section.treatments), 0.5)
        for offset, arm in zip(spread, section.treatments, strict=True):
            place = arms.index(arm.name)
            _intervals(axes, section.groups, arm.name, figure.overhead, offset, place)
        axes.set_ylabel("loss of TPS, %" if figure.sense == "loss" else "increase, %")
        # Bars ask for no room below them, and the band shall be seen to end.
        axes.use_sticky_edges = False
        axes.margins(y=0.1)
        return svg.render(drawing, name, _label(section, figure, margin))


def _intervals(
    axes: Any, groups: Sequence[Group], arm: str, field: str, offset: float, place: int
) -> None:
    for level, group in enumerate(groups):
        row = next((row for row in group.rows if row.arm == arm), None)
        shown: Interval | None = getattr(row, field) if row is not None else None
        if shown is None:
            axes.text(
                level + offset, 0, "no data", color=INK["muted"], ha="center", va="bottom", size=10
            )
            continue
        point = 100 * shown.estimate
        if shown.low is not None and shown.high is not None:
            whiskers = [[point - 100 * shown.low], [100 * shown.high - point]]
            axes.errorbar(
                *([level + offset], [point], whiskers),
                color=ink(place),
                linewidth=2,
                capsize=5,
                capthick=2,
                zorder=3,
            )
        axes.plot(
            *([level + offset], [point]),
            marker(place),
            color=ink(place),
            markersize=7,
            markeredgewidth=0,
            zorder=4,
        )
        axes.annotate(
            text.number(point, 1),
            (level + offset, point),
            (9, 0),
            textcoords="offset points",
            va="center",
            size=11,
            color=INK["ink"],
            zorder=5,
        )


def _label(section: Section, figure: JudgedFigure, margin: float) -> str:
    said = [
        f"{arm.name} at {plural(group.concurrency, 'thread')} "
        f"{text.estimate(getattr(group.row(arm.name), figure.overhead))}"
        for arm in section.treatments
        for group in section.groups
        if group.comparison(arm.name) is not None
    ]
    return (
        f"{capitalised(figure.effect)} with 95 % interval, {section.place}: "
        f"{'; '.join(said) or 'none compared'}. The margin is {text.margin(margin)}."
    )
