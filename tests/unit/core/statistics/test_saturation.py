"""What limited the throughput has a name."""

import numpy as np
import pytest

from encbench.core.statistics.saturation import beside, has_queue, kept_up, saturation


@pytest.mark.parametrize(
    ("database", "client", "expected"),
    [
        (99.4, 60.0, "DatabaseBound"),
        (90.0, 79.9, "DatabaseBound"),
        (89.9, 80.0, "ClientBound"),
        (97.0, 95.0, "Both"),
        (40.0, 10.0, "Neither"),
        (None, 99.0, "NotMeasured"),
        (99.0, None, "NotMeasured"),
        (104.0, 55.0, "DatabaseBound"),
        (412.0, 55.0, "NotMeasured"),
        (95.0, 180.0, "NotMeasured"),
    ],
)
def test_saturation(database: float | None, client: float | None, expected: str) -> None:
    for proxy in (None, 12.0):
        assert saturation(database, client, proxy) == expected


@pytest.mark.parametrize(
    ("database", "client", "expected"),
    [(40.0, 10.0, "ProxyBound"), (95.0, 10.0, "DatabaseBound"), (None, 10.0, "NotMeasured")],
)
def test_a_proxy_at_its_limit(database: float | None, client: float, expected: str) -> None:
    assert saturation(database, client, 90.0) == expected


def test_a_limit_that_no_node_enforces_limits_nothing() -> None:
    assert saturation(95.0, 10.0, 150.0) == "NotMeasured"
    assert saturation(95.0, 10.0, None, 150.0) == "NotMeasured"


@pytest.mark.parametrize(
    ("database", "volume", "expected"),
    [(40.0, 90.0, "VolumeBound"), (40.0, 89.9, "Neither"), (95.0, 99.0, "DatabaseBound")],
)
def test_a_file_system_at_its_limit(database: float, volume: float, expected: str) -> None:
    assert saturation(database, 10.0, None, volume) == expected


@pytest.mark.parametrize(
    ("database", "node", "expected"),
    [
        (70.0, 95.0, "NodeBound"),
        (70.0, 94.9, "Neither"),
        (70.0, None, "Neither"),
        (95.0, 100.0, "DatabaseBound"),
        (None, 100.0, "NotMeasured"),
    ],
)
def test_a_node_without_cpu_left(database: float | None, node: float | None, expected: str) -> None:
    assert saturation(database, 10.0, None, None, node) == expected
    assert saturation(70.0, 10.0, 95.0, None, node) == "ProxyBound"


@pytest.mark.parametrize(
    ("proxy", "volume", "expected"),
    [
        (None, None, ()),
        (89.9, 89.9, ()),
        (90.0, None, ("ProxyBound",)),
        (10.0, 90.0, ("VolumeBound",)),
        (95.0, 95.0, ("ProxyBound", "VolumeBound")),
        (150.0, 95.0, ("VolumeBound",)),
        (95.0, 150.0, ("ProxyBound",)),
    ],
)
def test_what_is_near_its_limit_beside_the_server(
    proxy: float | None, volume: float | None, expected: tuple[str, ...]
) -> None:
    assert beside(proxy, volume) == expected


@pytest.mark.parametrize(
    ("tps", "offered", "seconds", "expected"),
    [
        (98.1, 100, 0, True),
        (97.9, 100, 0, False),
        (97.6, 100, 360, True),  # 36,000 transactions are known to 1.6 %
        (96.3, 100, 360, False),
        (2.70, 3, 360, True),  # 1,080 to 9.1 %
        (2.65, 3, 360, False),
        (0.075, 0.1, 60, True),  # of 6 expected ones nothing is known, but half is too few
        (0.05, 0.1, 60, False),
    ],
)
def test_keeping_up_allows_for_the_arrivals(
    tps: float, offered: float, seconds: float, expected: bool
) -> None:
    assert kept_up(tps, offered, seconds) is expected


@pytest.mark.parametrize("rate", [3, 10, 50])
def test_an_arm_that_does_all_that_arrives_kept_up(rate: int) -> None:
    arrived = np.random.default_rng(6).poisson(rate * 360, 2000)
    assert np.mean([kept_up(count / 360, rate, 360) for count in arrived]) > 0.999


@pytest.mark.parametrize(
    ("queue", "clients", "expected"),
    [
        ((0, 0), 1, False),
        ((86, 86), 1, False),  # 0.05 s of 1,000 a second, 16 threads and 20 of each client
        ((87, 0), 1, True),
        ((0, 87), 1, True),
        ((87, 87), 2, False),
    ],
)
def test_more_may_wait_than_luck_explains(
    queue: tuple[int, int], clients: int, expected: bool
) -> None:
    assert has_queue(queue, 1000.0, 16, clients) is expected
