"""A figure of every counted trial, side by side by arm."""

from collections.abc import Sequence

from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.formats import svg
from encbench.report.formats.plots.common import SMALL, ink, levels, marker, offsets, style
from encbench.report.formats.sections import Section
from encbench.report.words import text
from encbench.text.words import plural


def by_arm(section: Section, trials: Sequence[TrialView], field: str, unit: str, name: str) -> str:
    """A figure of every counted trial by arm and concurrency, its geometric mean as a bar."""
    with style():
        drawing = svg.figure(*SMALL)
        axes = drawing.subplots()
        levels(axes, section)
        said = []
        spread = offsets(len(section.arms), 0.66)
        width = 0.66 / len(section.arms)
        for place, (offset, arm) in enumerate(zip(spread, section.arms, strict=True)):
            for level, group in enumerate(section.groups):
                mean = getattr(group.row(arm.name), field)
                if mean is None:
                    continue
                values = [v for t in _of(trials, group, arm.name) if (v := getattr(t, field))]
                x = level + offset
                colour = ink(place)
                axes.hlines(
                    *(mean, x - 0.42 * width, x + 0.42 * width), color=colour, linewidth=2.5
                )
                axes.plot(
                    *([x + shift for shift in offsets(len(values), 0.7 * width)], values),
                    marker(place),
                    color=colour,
                    markersize=4.5,
                    markeredgewidth=0,
                    alpha=0.5,
                )
                threads = plural(group.concurrency, "thread")
                said.append(f"{arm.name} at {threads} {text.number(mean, 2)}")
        axes.set_ylim(bottom=0)
        axes.margins(y=0.1)
        axes.set_ylabel(unit)
        return svg.render(
            drawing, name, f"{unit}, {section.place}: {'; '.join(said) or 'no data'}."
        )


def _of(trials: Sequence[TrialView], group: Group, arm: str) -> list[TrialView]:
    names = {name for block in group.blocks if block.counted for name in block.trials}
    return [t for t in trials if t.arm == arm and t.name in names]
