"""The history of known nights: text and JSON byte for byte, the page by its parts."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from matplotlib.axes import Axes

from encbench.api.overheadreport import Interval
from encbench.report.history.page import page
from encbench.report.history.plot import plot
from encbench.report.history.renderings import json_document, text
from tests.data.report.nights import FOLDER, the_history
from tests.unit.report.formats.html_tree import Node, parse, tables


@cache
def the_source() -> str:
    return page(the_history())


@cache
def the_page() -> Node:
    return parse(the_source())


def test_text_is_as_before() -> None:
    assert text(the_history()) == (FOLDER / "history.txt").read_text(encoding="utf-8")


def test_json_is_as_before() -> None:
    expected = json.loads((FOLDER / "history.json").read_text(encoding="utf-8"))
    found = json.loads(json_document(the_history()))
    for one, other in zip(found["series"], expected["series"], strict=True):
        for change, known in zip(one.pop("changes"), other.pop("changes"), strict=True):
            assert change == pytest.approx(known)
        assert one.pop("p") == pytest.approx(other.pop("p"))
    assert found == expected


def test_the_page_has_a_plot_and_a_table_for_each_series() -> None:
    svgs = the_page().all("svg")
    assert len(svgs) == len(the_history().series) == len(tables(the_page()))
    said = [svg.attributes["aria-label"] for svg in svgs]
    assert "higher from night-11 on" in said[1] and "no change of level" in said[3]
    ids = [node.attributes["id"] for node in the_page().all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))


def test_the_page_says_what_the_text_says() -> None:
    (found,) = the_page().all("p", "so")
    assert found.text.startswith("Higher from night-11 on (2026-01-11)")
    assert found.text in " ".join(text(the_history()).split())
    cells = tables(the_page())[
        "tde, oltp-read-write at 4 threads on small, configuration 2: loss of TPS"
    ]
    assert [row[5] for row in cells] == [""] * 8 + ["higher"] + [""] * 5


def test_the_page_needs_nothing_but_itself() -> None:
    source = the_source()
    assert "<script" not in source and "http" not in source.replace("http://www.w3.org", "")


def test_all_points_of_a_plot_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for each point takes seconds for a year of nights."""
    calls: list[str] = []
    for name in ("errorbar", "plot"):
        own = getattr(Axes, name)
        monkeypatch.setattr(Axes, name, _counted(own, calls))
    plot(the_history().series[1], "h")
    assert calls.count("errorbar") == 1 and len(calls) <= 3


def _counted(own: Any, calls: list[str]) -> Any:
    def called(*args: Any, **given: Any) -> Any:
        calls.append(own.__name__)
        return own(*args, **given)

    return called


@pytest.mark.parametrize("without", [1, 14])
def test_a_point_without_an_interval_has_no_whiskers(without: int) -> None:
    series = the_history().series[1]
    bare = [
        replace(point, overhead=Interval(estimate=point.overhead.estimate))
        for point in series.points[:without]
        if point.overhead is not None
    ]
    drawn = parse(plot(replace(series, points=(*bare, *series.points[without:])), "h"))
    assert len(drawn.all("use")) == 14 + 2 * (14 - without), "caps"
