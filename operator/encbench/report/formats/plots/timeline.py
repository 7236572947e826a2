"""TPS over time of every trial."""

from collections.abc import Sequence
from typing import Any

from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.formats import svg
from encbench.report.formats.plots.common import ink, style
from encbench.report.formats.svg import INK
from encbench.text.words import plural


def timeline(group: Group, trials: Sequence[TrialView], name: str) -> str:
    """TPS over time of every trial of one condition, side by side in the order they ran."""
    own = [
        t
        for t in trials
        if (t.cell, t.workload, t.concurrency) == (group.cell, group.workload, group.concurrency)
    ]
    places = {arm.name: place for place, arm in enumerate(group.arms)}
    with style():
        drawing = svg.figure(1040, 200)
        axes = drawing.subplots()
        for slot, trial in enumerate(own):
            _slot(axes, slot, trial, ink(places.get(trial.arm, 0)))
        starts = [n for n, t in enumerate(own) if n == 0 or t.block != own[n - 1].block]
        for start, end in zip(starts, [*starts[1:], len(own)], strict=True):
            if start:
                axes.axvline(start, color=INK["line"], linewidth=1)
            label = f"block {own[start].block}" if len(starts) <= 12 else str(own[start].block)
            axes.text(
                *((start + end) / 2, 1.02, label),
                transform=axes.get_xaxis_transform(),
                ha="center",
                size=10,
                color=INK["muted"],
            )
        axes.set_xlim(0, max(1, len(own)))
        axes.set_xticks([])
        axes.set_ylabel("TPS")
        bad = sum(t.outcome != "Succeeded" for t in own)
        return svg.render(
            drawing,
            name,
            f"TPS over time of {plural(len(own), 'trial')} in the order in which they ran, "
            f"{group.place}; "
            f"{bad} did not succeed.",
        )


def _slot(axes: Any, slot: int, trial: TrialView, colour: str) -> None:
    """One trial within [slot, slot + 1]: its series, its mean, a cross when it does not count."""
    counted = trial.counted
    if trial.outcome != "Succeeded":
        axes.axvspan(slot, slot + 1, color=INK["bad-soft"], linewidth=0, zorder=0)
        axes.text(
            *(slot + 0.5, 0.04, "×"),
            transform=axes.get_xaxis_transform(),
            ha="center",
            size=16,
            color=INK["bad"],
        )
    if trial.series:
        first, last = trial.series[0][0], trial.series[-1][0]
        length = max(last - first, 1.0)
        axes.plot(
            [slot + 0.06 + 0.88 * (t - first) / length for t, _ in trial.series],
            [tps for _, tps in trial.series],
            color=colour,
            linewidth=1,
            alpha=0.75 if counted else 0.3,
        )
    if trial.tps is not None:
        axes.hlines(
            *(trial.tps, slot + 0.06, slot + 0.94),
            color=colour,
            linewidth=2.5,
            alpha=1 if counted else 0.4,
        )
