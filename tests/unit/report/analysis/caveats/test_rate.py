"""A fixed rate, and a clock frequency that follows the load."""

from dataclasses import replace

import pytest

from tests.data.report.golden import report_of
from tests.unit.report.analysis.caveats.studies import CALM, text_of, titles


@pytest.mark.parametrize(
    ("rate", "governor", "said"),
    [
        (50, "schedutil", True),
        (50, "performance", False),
        (50, None, False),
        (None, "schedutil", False),
    ],
)
def test_a_frequency_that_follows_the_load_matters_at_a_rate(
    rate: int | None, governor: str | None, said: bool
) -> None:
    own = {"cpu_governor": governor}
    study = replace(CALM, blocks=2, rate=rate, machines={"plain": own, "tde": own})
    found = report_of(study)
    title = "The clock frequency follows the load"
    texts = [caveat.text for caveat in found.caveats if caveat.title == title]
    assert bool(texts) == said
    assert not said or "the governor schedutil" in texts[0]
    assert ("CPU governor" in found.provenance.by_name) == (governor is not None)


def test_nothing_is_said_of_a_rate_where_no_block_shows_whether_arms_kept_up() -> None:
    lost = replace(CALM, rate=50, always={"tde": ("Invalid", "ProofFailed")})
    assert not titles(lost) & {"A fixed rate was offered", "An arm fell behind the offered rate"}


def test_a_queue_is_a_rate_that_an_arm_fell_behind() -> None:
    title = "An arm fell behind the offered rate"
    said = text_of(
        replace(CALM, rate=50, queue={(block, "tde"): (293, 0) for block in range(1, 7)}), title
    )
    assert "Transactions of tde waited in the client when a window began or ended" in said
    assert "The work was not equal" not in said
    said = text_of(replace(CALM, rate=500), title)
    assert "waited in the client" not in said and "The work was not equal" in said
