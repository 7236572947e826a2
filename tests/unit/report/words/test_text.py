"""How figures read."""

import pytest

from encbench.api.encryptionmode import AtRest, EncryptionModeSpec
from encbench.api.overheadreport import Interval
from encbench.report.words import text


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(1234.5, 0, "1,234"), (-0.04, 1, "0.0"), (-1.26, 1, "−1.3"), (None, 1, "–")],
)
def test_number(value: float | None, digits: int, shown: str) -> None:
    assert text.number(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0.0"), (0.04, "0.0"), (1.0, "+1.0"), (-1.0, "−1.0"), (None, "–")]
)
def test_signed(value: float | None, shown: str) -> None:
    assert text.signed(value) == shown


def test_intervals() -> None:
    assert text.estimate(Interval(estimate=0.078, low=0.061, high=0.094)) == "7.8 % [6.1, 9.4] %"
    assert text.estimate(Interval(estimate=0.078)) == "7.8 %"
    assert text.bounds(Interval(estimate=0.0, low=-0.02, high=0.021)) == "[−2.0, 2.1] %"
    assert text.bounds(None) == "–"


def test_a_margin_has_the_decimals_that_it_was_written_with() -> None:
    assert [text.margin(m) for m in (0.05, 0.025, 0.03)] == ["5 %", "2.5 %", "3 %"]


@pytest.mark.parametrize(
    ("values", "digits"), [([9.0, None], 2), ([123.0], 1), ([5.0, 2345.0], 0), ([], 2)]
)
def test_rate_digits(values: list[float | None], digits: int) -> None:
    assert text.rate_digits(values) == digits


def test_specs_are_spelled_out_without_what_is_empty() -> None:
    mode = EncryptionModeSpec(at_rest=AtRest(method="engine", algorithm="AES_CTR"))
    assert text.spelled(mode, "plaintext") == "at rest: method engine, algorithm AES_CTR"
    assert text.spelled(EncryptionModeSpec(), "plaintext") == "plaintext"
    columns = {"method": "confidential", "ratio": 50, "strict": False}
    behind = EncryptionModeSpec.model_validate({"columns": columns})
    assert "ratio 50, strict false" in text.spelled(behind, "plaintext")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((None, "–"), (0.0004, "<0.001"), (0.001, "0.001"), (0.25, "0.250")),
        *((0.0504, "0.0504"), (0.04996, "0.04996"), (0.05, "0.050")),
    ],
)
def test_probabilities(value: float | None, shown: str) -> None:
    assert text.probability(value) == shown


def test_a_probability_does_not_read_as_below_a_level_that_it_is_above() -> None:
    assert text.probability(0.0253, level=0.025) == "0.0253"
    assert text.probability(0.00083, level=0.0008) == "0.001"


@pytest.mark.parametrize(
    ("margin", "digits"),
    [(0.03, 1), (0.025, 1), (0.005, 1), (0.004, 2), (0.0025, 3), (0.0001, 3), (1e-7, 6)],
)
def test_a_small_margin_has_more_decimals_beside_it(margin: float, digits: int) -> None:
    assert text.digits_beside(margin) == digits
