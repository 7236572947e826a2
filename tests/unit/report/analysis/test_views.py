"""What a trial's slices are in the report."""

import pytest

from encbench.core.slices import SliceFacts, Slices
from encbench.report.analysis.views import of_slices


def slices(database: float | None, proxy: float | None) -> Slices:
    row = SliceFacts(
        slot=0,
        round=0,
        begin=0.0,
        counted=0.5,
        end=3.0,
        seconds=2.5,
        transactions=10,
        new_orders=0,
        all_transactions=12,
        client_cpu_seconds=0.1,
        database_cpu_seconds=database,
        proxy_cpu_seconds=proxy,
    )
    return Slices(rows=(row,))


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
    (found,) = of_slices(slices(database, proxy), has_proxy=has_proxy)["rounds"]
    assert found.database_side_cpu_seconds == together
