"""Latency of each arm by percentile."""

from collections.abc import Sequence
from typing import Any

from encbench.report.document.group import Group
from encbench.report.formats import svg
from encbench.report.formats.plots.common import SMALL, ink, marker, style
from encbench.report.words import text


def percentiles(group: Group, name: str) -> str:
    """Latency of each arm by percentile, on a logarithmic scale."""
    with style():
        drawing = svg.figure(*SMALL)
        axes = drawing.subplots()
        levels = list(group.latency[0].percentiles_ms)
        said = []
        for place, own in enumerate(group.latency):
            values = [own.percentiles_ms[level] for level in levels]
            axes.plot(
                *(range(len(levels)), values),
                f"-{marker(place)}",
                color=ink(place),
                linewidth=1.5,
                markersize=5,
                markeredgewidth=0,
                zorder=2 + place,
            )
            last = f"{levels[-1]}th {text.number(values[-1], 2)} ms"
            said.append(f"{own.arm} median {text.number(values[0], 2)} ms, {last}")
        axes.set_yscale("log")
        _log_ticks(axes, [v for own in group.latency for v in own.percentiles_ms.values()])
        axes.set_xticks(range(len(levels)), levels)
        axes.set_xlim(-0.4, len(levels) - 0.6)
        axes.set_xlabel("percentile")
        axes.set_ylabel("ms, logarithmic")
        return svg.render(
            drawing,
            name,
            f"Latency by percentile, {group.place}: {'; '.join(said)}.",
        )


_STEPS = (
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
    tuple(n / 10 for n in range(10, 100)),
)
"""Digits that ticks may have, coarse ones first."""


def _log_ticks(axes: Any, values: Sequence[float]) -> None:
    """A handful of plain numbers; powers of ten alone would often be only one."""
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
