"""For which share of its time a client was held back."""

import pytest

from encbench.api.trial import Window
from encbench.core.records import ClientFacts
from encbench.core.throttling import running_seconds, throttled_share
from tests.support.slices import slices


@pytest.mark.parametrize(
    ("seconds", "throttled", "periods", "share"),
    [
        (None, None, None, None),
        (3.0, None, None, 0.3),
        (2.4, 5.0, 100.0, 0.05),
        (0.2, 50.0, 100.0, 0.02),
        (30.0, None, None, 1.0),
        (30.0, 100.0, 99.5, 1.0),
        (0.0, 0.0, 0.0, 0.0),
    ],
    ids=["unknown", "earlier", "many-cpus", "short", "whole", "whole-periods", "no-limit"],
)
def test_the_smaller_of_two_bounds_counts(
    seconds: float | None, throttled: float | None, periods: float | None, share: float | None
) -> None:
    client = ClientFacts(
        throttled_seconds=seconds, throttled_periods=throttled, cpu_periods=periods
    )
    assert throttled_share(client, 10.0) == (None if share is None else pytest.approx(share))


def test_a_client_that_never_ran_has_no_share() -> None:
    assert throttled_share(ClientFacts(throttled_seconds=1.0), 0.0) is None


def test_a_client_runs_in_its_own_slots() -> None:
    window = Window(start=100.0, end=160.0)
    assert running_seconds(window, None) == 60.0
    assert running_seconds(window, slices((None, None), (None, None))) == 5.0
    assert running_seconds(None, None) == 0.0
