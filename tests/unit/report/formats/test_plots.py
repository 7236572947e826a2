"""What a plot shows is what the tables beside it say."""

from pathlib import Path

import pytest

from encbench.core.statistics.intervals import geometric_mean
from encbench.report.formats.plots import by_arm, in_mean
from encbench.report.formats.sections import sections
from tests.data.report.golden import STUDIES, known

CPU = "database_side_cpu_ms_per_transaction"


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
