"""What limited the throughput has a name."""

import pytest

from encbench.core.statistics.saturation import saturation


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
    ],
)
def test_saturation(database: float | None, client: float | None, expected: str) -> None:
    assert saturation(database, client) == expected
