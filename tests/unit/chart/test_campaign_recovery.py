"""campaigns/recovery and its overlay: complete, and small enough for two cores."""

from typing import Any

import pytest

from encbench.api.scalars import parse_quantity
from encbench.core.dataset import dataset_key
from encbench.database import pod as engine_pod
from encbench.engines.innodb.settings import parse_size
from encbench.tools import pod as tool_pod
from encbench.tools.sysbench.parser import _QUEUE_HOLDS
from tests.support.chart import Rendered
from tests.unit.chart.campaigns import (
    CAMPAIGNS,
    NODE,
    all_of,
    assert_said,
    infrastructure,
    parsed,
    the,
)

FOLDER = CAMPAIGNS / "recovery"
OVERLAYS = {"full": FOLDER, "small": FOLDER / "small"}
ROW = 250
"""Bytes that a row of sysbench takes in a table and its index, about."""


def some(name: str, kind: str) -> dict[str, Any]:
    return all_of(parsed(OVERLAYS[name]), kind)


def only(name: str, kind: str) -> Any:
    return the(parsed(OVERLAYS[name]), kind)


@pytest.mark.parametrize("name", OVERLAYS)
def test_it_measures_every_part(name: str) -> None:
    campaign, workloads = only(name, "Campaign"), some(name, "Workload")
    instances, modes = some(name, "InstanceTemplate"), some(name, "EncryptionMode")
    (entry,) = campaign.matrix
    assert list(instances) == entry.instance_refs
    assert {campaign.baseline_mode_ref, *entry.mode_refs} == set(modes)
    assert set(entry.workload_refs) == set(workloads)
    assert campaign.blocks.min >= 6, "an interval of six repeats at least was asked for"


@pytest.mark.parametrize("name", OVERLAYS)
def test_both_stops_at_both_sizes_on_the_same_data(name: str) -> None:
    workloads = some(name, "Workload")
    found = {(w.recovery.stop, w.sysbench.table_size) for w in workloads.values()}
    sizes = {size for _, size in found}
    assert len(sizes) == 2
    assert found == {(stop, size) for stop in ("Crash", "Clean") for size in sizes}
    assert len({dataset_key(workload) for workload in workloads.values()}) == 2
    # Each arm leaves as much to recover as the others.
    assert all(workload.load.rate for workload in workloads.values())


@pytest.mark.parametrize("name", OVERLAYS)
def test_there_is_room_for_the_golden_copy_and_the_log(name: str) -> None:
    instance = only(name, "InstanceTemplate")
    largest = max(
        ROW * w.sysbench.tables * w.sysbench.table_size for w in some(name, "Workload").values()
    )
    log = parse_size(instance.settings["innodb_log_file_size"])
    assert log is not None
    assert parse_quantity(instance.storage.size) > 2.5 * (largest + log)


def test_the_page_says_how_slow_a_database_overflows_the_queue_of_sysbench() -> None:
    loads = [workload.load for workload in some("full", "Workload").values()]
    ((rate, seconds),) = {(it.rate, it.warmup_seconds + it.duration_seconds) for it in loads}
    least = rate - _QUEUE_HOLDS / seconds
    page = " ".join((FOLDER / "README.md").read_text().split())
    assert f"fewer than {least:.0f} of the {rate:,} transactions a second" in page
    assert f"the stop at {seconds:.0f} s, because more wait than the {_QUEUE_HOLDS:,}" in page


def test_it_fits_two_cores(default: Rendered) -> None:
    own, workloads = only("small", "InstanceTemplate").resources, some("small", "Workload")
    tools = max(workload.client.resources.cores for workload in workloads.values())
    database = own.cores + parse_quantity(engine_pod.AGENT_CPU)
    client = tools + parse_quantity(tool_pod.RECORDER_CPU)
    assert only("small", "Campaign").residency == "OnDemand"
    whole = database + 2 * client + infrastructure(default)
    assert whole <= NODE
    assert_said(OVERLAYS["small"], whole)
