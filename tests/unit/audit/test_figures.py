"""Printed figures: what they stand for, and how exact numbers are shown."""

from fractions import Fraction

import pytest

from encbench.audit.figures import NotAFigure, Span, figure, shown


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("14.81", "14.805", "14.815"),
        ("28.0", "27.95", "28.05"),
        ("28", "27.5", "28.5"),
        ("80,223", "80222.5", "80223.5"),
        ("-7.06", "-7.065", "-7.055"),
        ("−7.06", "-7.065", "-7.055"),
        ("13 %", "12.5", "13.5"),
        ("1.2e5", "115000", "125000"),
        ("0", "-0.5", "0.5"),
        (" 5 ", "4.5", "5.5"),
    ],
)
def test_a_figure_is_every_number_that_rounds_to_it(cell: str, low: str, high: str) -> None:
    found = figure(cell)
    assert found is not None
    assert found.span == Span(Fraction(low), Fraction(high))


@pytest.mark.parametrize("cell", ["", "–", "n/a", "NaN", " - "])
def test_no_figure(cell: str) -> None:
    assert figure(cell) is None


@pytest.mark.parametrize(
    "cell",
    [
        *("12,5", "1,2345", "about 5", "5 ms", "1.2.3", "--5", "1,23,456"),
        *("0,125", "-0,200", "012,345", "0,125 %"),
    ],
)
def test_what_is_no_figure_is_refused(cell: str) -> None:
    with pytest.raises(NotAFigure, match="is not a figure"):
        figure(cell)


def test_significant_digits() -> None:
    counted = {
        cell: found.digits for cell in ("276640", "0.012", "28.0") if (found := figure(cell))
    }
    assert counted == {"276640": 6, "0.012": 2, "28.0": 3}


def test_a_percent_sign_is_noticed() -> None:
    marked, bare = figure("13 %"), figure("13")
    assert marked is not None and bare is not None
    assert (marked.percent, bare.percent) == (True, False)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(27664015, 100), 1, "276,640.2"),
        (Fraction(-1, 2), 0, "−1"),
        (Fraction(1, 2), 0, "1"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(1, 3), 3, "0.333"),
        (Fraction(0), 0, "0"),
    ],
)
def test_shown(value: Fraction, digits: int, text: str) -> None:
    assert shown(value, digits) == text


def test_spans() -> None:
    one, other = Span(Fraction(1), Fraction(2)), Span(Fraction(2), Fraction(3))
    apart = Span(Fraction(5), Fraction(6))
    assert one.meets(other)
    assert not one.meets(apart)
    assert one.gap(apart) == apart.gap(one) == 3
    assert one.gap(other) == 0
