"""Drawings become part of their page, and what they say stays as it is."""

import re

from encbench.report.formats import svg
from encbench.report.formats.svg import INK


def test_coordinates_are_shortened_and_figures_are_not() -> None:
    with svg.drawn(390, 230) as (drawing, axes):
        axes.plot([0, 1, 2], [0, 1 / 3, 0.05])
        axes.set_yticks([0.025, 0.0254, -0.0125], ["0.025", "0.0254", "−0.0125"])
        source = svg.render(drawing, "plot", "a plot")
    assert {"0.025", "0.0254", "−0.0125"} <= set(re.findall(r">([^<>\n]+)<", source))
    assert not any(re.search(r"\d\.\d{3}", tag) for tag in re.findall("<[^>]*>", source))


def test_colours_are_attributes_that_need_no_style() -> None:
    """Where style sheets and `style` are blocked, a shape without a colour of its own is black."""
    with svg.drawn(390, 230) as (drawing, axes):
        axes.plot([0, 1], [0, 1], "o", color=INK["arm-1"], markerfacecolor=(INK["arm-1"], 0.5))
        axes.set_ylabel("loss")
        source = svg.render(drawing, "plot", "a plot")
    assert "style" not in source
    assert 'width="520"' in source.partition(">")[0]
    assert '<use href="#plot-' in source and 'fill="var(--arm-1, #1f6fb4)"' in source
    assert 'fill-opacity="0.5"' in source
    assert re.search(
        r'<text font-size="[\d.]+px" text-anchor="middle" fill="var\(--muted, #', source
    )
    drawn = re.sub(r"<defs>.*?</defs>", "", source, flags=re.DOTALL)
    assert all(" fill=" in shape for shape in re.findall(r"<(?:path|use|text)[^>]*>", drawn))
