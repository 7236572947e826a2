"""Drawings become part of their page, and what they say stays as it is."""

import re

from encbench.report.formats import svg


def test_coordinates_are_shortened_and_figures_are_not() -> None:
    with svg.drawn(390, 230) as (drawing, axes):
        axes.plot([0, 1, 2], [0, 1 / 3, 0.05])
        axes.set_yticks([0.025, 0.0254, -0.0125], ["0.025", "0.0254", "−0.0125"])
        source = svg.render(drawing, "plot", "a plot")
    assert {"0.025", "0.0254", "−0.0125"} <= set(re.findall(r">([^<>\n]+)<", source))
    assert not any(re.search(r"\d\.\d{3}", tag) for tag in re.findall("<[^>]*>", source))
