"""Six significant digits, wherever a figure is written."""

from pathlib import Path

import pytest

import encbench
from encbench.core.statistics.rounding import rounded, rounded_if_known


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1234.5678, 1234.57), (0.000123456789, 0.000123457), (129841.4, 129841.0), (0.0, 0.0)],
)
def test_a_figure_has_six_digits(value: float, shown: float) -> None:
    assert rounded(value) == rounded_if_known(value) == shown


def test_an_absent_figure_stays_absent() -> None:
    assert rounded_if_known(None) is None


def test_no_other_module_rounds_so_by_itself() -> None:
    package = Path(encbench.__file__).parent
    found = [path.name for path in package.rglob("*.py") if ':.6g}")' in path.read_text("utf-8")]
    assert found == ["rounding.py"]
