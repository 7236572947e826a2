"""What a trial's slices are in the report."""

import pytest

from encbench.report.analysis.views import of_slices
from tests.support.slices import slices


@pytest.mark.parametrize(
    ("database", "proxy", "has_proxy", "together"),
    [
        (0.5, 0.25, True, 0.75),
        (0.5, None, False, 0.5),
        (0.5, None, True, None),
        (None, 0.25, True, None),
    ],
    ids=["both", "server-alone", "proxy-withheld", "server-withheld"],
)
def test_cpu_of_the_database_s_side_is_of_server_and_proxy(
    database: float | None, proxy: float | None, has_proxy: bool, together: float | None
) -> None:
    (found,) = of_slices(slices((database, proxy)), has_proxy=has_proxy)["rounds"]
    assert found.database_side_cpu_seconds == together
