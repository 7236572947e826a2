"""Counts and lists in a sentence."""

import pytest

from encbench.text.words import capitalised, listed, plural, steady


@pytest.mark.parametrize(
    ("words", "sentence"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_listed(words: list[str], sentence: str) -> None:
    assert listed(words) == sentence


def test_plural() -> None:
    assert [plural(n, "block") for n in (0, 1, 2, 1200)] == [
        *("0 blocks", "1 block", "2 blocks", "1,200 blocks")
    ]


def test_only_the_first_letter_is_capitalised() -> None:
    assert capitalised("loss of TPS") == "Loss of TPS"


def test_a_text_that_differs_in_numbers_alone_stays() -> None:
    first = "read tcp 10.0.0.1:40000->10.96.0.9:443: connection reset"
    assert steady(first.replace("40000", "40123"), first) == first
    assert steady("read tcp: timeout", first) == "read tcp: timeout"
    assert steady(first, "") == first
