"""What a trial's slices are in the report."""

import pytest

from encbench.core.artefact import decode
from encbench.core.records import ForeignCpu, TrialRecord
from encbench.report.analysis.bucket import Attempt
from encbench.report.analysis.views import of_slices, view
from tests.data.report.synthetic import Study, write
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


@pytest.mark.parametrize("order", [1, -1])
def test_what_others_used_is_that_of_the_busiest_node(order: int) -> None:
    index, bucket = write(Study(concurrency=(4,), blocks=1))
    entry = index.trials[0]
    assert entry.key is not None
    record = decode(TrialRecord, bucket[entry.key], entry.key)
    nodes = [
        ForeignCpu(node=f"node-{share}", cores=share, node_cores=16.0) for share in (0.16, 4.8)
    ]
    cpu = record.cpu.model_copy(update={"foreign": tuple(nodes[::order])})
    found = view(Attempt(entry, record.model_copy(update={"cpu": cpu}), ()))
    assert found.foreign_cpu_percent == 30
