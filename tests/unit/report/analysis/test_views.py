"""What a trial's slices are in the report."""

from typing import Any

import pytest

from encbench.core.artefact import decode
from encbench.core.records import ForeignCpu, NodeShare, TrialRecord
from encbench.report.analysis.bucket import Attempt
from encbench.report.analysis.views import of_slices, view
from encbench.report.document.trial import TrialView
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
    nodes = [
        ForeignCpu(node=f"node-{share}", cores=share, node_cores=16.0) for share in (0.16, 4.8)
    ]
    assert with_foreign(*nodes[::order]).foreign_cpu_percent == 30


@pytest.mark.parametrize("order", [1, -1])
def test_the_fullest_node_has_the_smallest_share_left(order: int) -> None:
    small = NodeShare(node="small", cores=1.0, node_cores=4.0)
    large = NodeShare(node="large", cores=1.6, node_cores=32.0)
    found = with_cpu(spare=(small, large)[::order])
    assert (found.fullest_node, found.fullest_node_percent) == ("large", 95)


def with_foreign(*nodes: ForeignCpu) -> TrialView:
    return with_cpu(foreign=nodes)


def with_cpu(**changes: Any) -> TrialView:
    index, bucket = write(Study(concurrency=(4,), blocks=1))
    entry = index.trials[0]
    assert entry.key is not None
    record = decode(TrialRecord, bucket[entry.key], entry.key)
    cpu = record.cpu.model_copy(update=changes)
    return view(Attempt(entry, record.model_copy(update={"cpu": cpu}), ()))


def test_a_cipher_on_the_database_s_node_hides_no_load_of_the_client_s() -> None:
    cipher = ForeignCpu(node="database", cores=8.0, node_cores=16.0, with_dm_crypt=True)
    other = ForeignCpu(node="client", cores=4.0, node_cores=16.0)
    found = with_foreign(cipher, other)
    assert found.foreign_cpu_percent == 25
    assert found.foreign_with_dm_crypt_percent == 50
    shared = with_foreign(cipher)
    assert shared.foreign_cpu_percent is None
    assert shared.foreign_with_dm_crypt_percent == 50
