"""The order in which the proxy's benchmark asks builds."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.bench.proxy_rate import Bench, Window


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "c", "d"]], ids="".join)
def test_builds_have_an_order_of_their_own_in_each_repeat(
    names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cyclic one would have each build follow the same other one in all repeats."""
    orders = list[str]()

    def asked(_: Bench, order: Sequence[str], clients: int, rate: float) -> dict[str, Window]:
        orders.append("".join(order))
        return dict.fromkeys(order, Window(rate, 1.0, 1.0, 1.0, 1.0, float(clients)))

    monkeypatch.setattr(Bench, "round", asked)
    nothing = Path("/")
    bench = Bench(dict.fromkeys(names, nothing), 0, 0, "", nothing, nothing)

    found = bench.windows(100, 4, 10.0)

    assert list(found) == names, "the first build is the one that others are laid beside"
    assert {len(windows) for windows in found.values()} == {100}
    assert {order[0] for order in orders} == {*names}
    followers = {one + another for order in orders for one, another in pairwise(order)}
    assert len(followers) == len(names) * (len(names) - 1)
