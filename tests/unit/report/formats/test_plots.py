"""What a plot shows is what the tables beside it say."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_rgba
from matplotlib.transforms import Bbox

from encbench.api.testbed import Arm
from encbench.core.statistics.intervals import geometric_mean
from encbench.report.figures import TPS
from encbench.report.formats import svg
from encbench.report.formats.plots import (
    MARKERS,
    SHAPES,
    by_arm,
    effect,
    in_mean,
    is_wide,
    legend,
    timeline,
)
from encbench.report.formats.sections import Section, sections
from tests.data.report.golden import STUDIES, known, report_of
from tests.data.report.synthetic import Study

LEVELS = tuple(2**n for n in range(12))
CPU = "database_side_cpu_ms_per_transaction"


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every figure that is rendered, laid out."""
    found: list[Any] = []

    def laid_out(drawing: Any, *_: str) -> str:
        drawing.draw_without_rendering()
        found.append(drawing)
        return ""

    monkeypatch.setattr(svg, "render", laid_out)
    return found


@pytest.mark.parametrize("folder", STUDIES)
def test_a_bar_is_the_mean_of_the_dots_around_it(folder: Path) -> None:
    """Also where a block has no CPU of one arm, and where the baseline's mean is of two arms."""
    report = known(folder)
    by_name = {trial.name: trial for trial in report.trials}
    for group in report.groups:
        for row in group.rows:
            dots = in_mean(group, row, CPU, by_name)
            assert geometric_mean(dots) == pytest.approx(getattr(row, CPU), rel=1e-5)
            assert len(dots) % len(group.behind(row)) == 0


def test_those_dots_are_drawn() -> None:
    report = known()
    by_name = {trial.name: trial for trial in report.trials}
    (section,) = sections(report)
    drawing = by_arm(section, report.trials, CPU, "ms", "r1-cpu")
    rows = [(group, row) for group in section.groups for row in group.rows]
    dots = sum(len(in_mean(group, row, CPU, by_name)) for group, row in rows)
    assert drawing.count("<use ") == dots


@pytest.mark.parametrize("loss", [0.08, 0.139])
@pytest.mark.parametrize("margin", [0.05, 0.004, 0.0025])
@pytest.mark.parametrize(
    ("modes", "levels", "wide"), [(1, 8, False), (2, 4, False), (4, 2, False), (4, 5, True)]
)
def test_no_number_of_a_plot_covers_another_or_a_point(
    drawings: list[Any], modes: int, levels: int, wide: bool, margin: float, loss: float
) -> None:
    """The modes cost the same, so that their numbers are at the same height."""
    section = alike(modes, levels, margin, loss)
    effect(section, TPS, "r0-tps")
    (axes,) = drawings[0].axes
    boxes = [words.get_window_extent() for words in axes.texts]
    assert is_wide(section) is wide
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert not any(one.overlaps(mark) for one in boxes for mark in marks(axes))


@pytest.mark.parametrize(
    ("modes", "levels", "margin", "loss", "numbers"),
    [
        *((modes, levels, 0.05, 0.08, 8) for modes, levels in ((1, 8), (2, 4), (4, 2))),
        *((1, 8, 0.05, 0.139, 8), (4, 5, 0.05, 0.139, 20), (2, 5, 0.0025, 0.139, 10)),
        *((4, 2, 0.05, 0.139, 0), (4, 5, 0.0025, 0.139, 0), (6, 10, 0.05, 0.08, 0)),
    ],
)
def test_numbers_stand_beside_points_where_they_have_room(
    drawings: list[Any], modes: int, levels: int, margin: float, loss: float, numbers: int
) -> None:
    effect(alike(modes, levels, margin, loss), TPS, "r0-tps")
    assert len(drawings[0].axes[0].texts) == numbers


def alike(modes: int, levels: int, margin: float, loss: float) -> Section:
    """Modes that cost the same."""
    study = Study(
        concurrency=LEVELS[:levels],
        blocks=2,
        seconds=12,
        loss={f"mode-{n}": loss for n in range(modes)},
        noise=0.0001,
        margin=margin,
    )
    (section,) = sections(report_of(study))
    return section


def marks(axes: Any) -> list[Bbox]:
    """The boxes of the points, in pixels."""
    found = []
    for line in axes.lines:
        if line.get_marker() in MARKERS:
            half = line.get_markersize() / 2
            for x, y in axes.transData.transform(line.get_xydata()):
                found.append(Bbox.from_extents(x - half, y - half, x + half, y + half))
    return found


@pytest.mark.parametrize(
    ("modes", "levels", "words"), [(2, 4, 4), (3, 12, 12), (1, 5, 0), (1, 8, 0)]
)
def test_words_in_place_of_an_overhead_stand_once_at_each_level(
    drawings: list[Any], modes: int, levels: int, words: int
) -> None:
    """As offered: every arm keeps up with the rate."""
    loss = {f"mode-{n}": 0.08 for n in range(modes)}
    study = Study(concurrency=LEVELS[:levels], blocks=1, seconds=12, loss=loss, rate=2)
    (section,) = sections(report_of(study))
    effect(section, TPS, "r0-tps")
    found = drawings[0].axes[0].texts
    said = [one.get_text() for one in found]
    assert said.count("as offered") == words
    assert said.count("–") == (0 if words else levels * modes)
    boxes = [one.get_window_extent() for one in found]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_no_treatment_has_the_shape_of_the_baseline_or_the_control() -> None:
    roles = ("baseline", "control", *["treatment"] * 42)
    named = [{"name": f"arm-{n}", "role": role, "modeRef": "any"} for n, role in enumerate(roles)]
    plain, control, *treatments = legend([Arm.model_validate(arm) for arm in named])
    shapes = [one.shape for one in treatments]
    assert len({plain.shape, control.shape, *shapes[: len(svg.TREATMENTS)]}) == 2 + 6
    assert not {plain.shape, control.shape} & set(shapes)
    assert len({(one.shape, one.colour) for one in treatments}) == len(treatments)
    assert len(set(SHAPES)) == len(set(MARKERS)) == len(MARKERS)


def test_the_ends_of_the_noise_floor_and_zero_are_lines_that_can_be_seen(
    drawings: list[Any],
) -> None:
    (section,) = sections(known())
    effect(section, TPS, "r0-tps")
    (axes,) = drawings[0].axes
    floors = [100 * group.noise_floors["tps"] for group in section.groups]
    muted = to_rgba(svg.INK["muted"])
    ends = [one for one in axes.collections if tuple(one.get_color()[0]) == muted]
    drawn_at = [y for one in ends for line in one.get_segments() for y in (line[0][1],)]
    assert drawn_at == pytest.approx([y for floor in floors for y in (-floor, floor)])
    level = [line for line in axes.lines if list(line.get_ydata()) == [0, 0]]
    assert [line.get_color() for line in level] == [svg.INK["muted"]]


def test_dots_have_an_edge_that_can_be_seen(drawings: list[Any]) -> None:
    report = known()
    (section,) = sections(report)
    by_arm(section, report.trials, CPU, "ms", "r1-cpu")
    dots = [line for line in drawings[0].axes[0].lines if line.get_marker() in MARKERS]
    assert dots
    for line in dots:
        assert line.get_markeredgewidth() > 0 and line.get_markeredgecolor() == line.get_color()
        assert line.get_alpha() is None


def test_the_mark_of_a_trial_that_does_not_count_is_hollow(drawings: list[Any]) -> None:
    report = known()
    (group,) = [group for group in report.groups if any(not b.counted for b in group.blocks)]
    timeline(group, report.trials, report.spec.blocks, "t0")
    faces = [
        line.get_markerfacecolor() == svg.INK["surface"]
        for line in drawings[0].axes[0].lines
        if line.get_marker() in MARKERS and len(line.get_xdata())
    ]
    assert faces.count(True) == 1 and faces.count(False) == len(group.arms)
