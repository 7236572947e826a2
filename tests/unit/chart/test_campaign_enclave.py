"""The campaign about encrypted column types: as published, small on two cores."""

from pathlib import Path

import pytest

from encbench.api.scalars import parse_duration, parse_quantity
from encbench.core.columns.enclave import encrypted, has_secondary, lookup
from encbench.core.dataset import dataset_key
from encbench.core.plan import cells
from encbench.database import pod as engine_pod
from encbench.engines.postgresql.settings import parse_size
from encbench.report.analysis.steps import arm_steps
from encbench.tools import pod as tool_pod
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

WHOLE = CAMPAIGNS / "rds-postgresql-enclave"
SMALL = WHOLE / "small"
ROW = 500
"""Bytes that a row takes with all of its columns encrypted and both indexes, about."""
READING = 50e6
"""Bytes a second that a proof reads with a twentieth of a core."""


def test_the_published_load() -> None:
    specs = parsed(WHOLE)
    for one in all_of(specs, "Workload").values():
        assert (one.sysbench.tables, one.sysbench.table_size) == (32, 1_000_000)
        assert one.load.concurrency == [8, 16, 24, 32]
        assert one.load.duration_seconds == 600
        assert one.sysbench.options.get("range-size", "100") == "100"
    assert the(specs, "Campaign").blocks.min == 10


@pytest.mark.parametrize("folder", [WHOLE, SMALL], ids=["whole", "small"])
def test_k_has_an_index_where_rows_are_found_by_it_alone(folder: Path) -> None:
    """The README predicts the writes without it. Points, ranges and writes share a dataset."""
    specs = parsed(folder)
    workloads = all_of(specs, "Workload")
    for one in workloads.values():
        assert has_secondary(one.sysbench) is (lookup(one.sysbench) == "k")
    assert len({dataset_key(one) for one in workloads.values()}) == 2
    assert len(cells(the(specs, "Campaign"), workloads)) == 2


@pytest.mark.parametrize("folder", [WHOLE, SMALL], ids=["whole", "small"])
def test_the_three_scenarios(folder: Path) -> None:
    specs = parsed(folder)
    workloads, modes = all_of(specs, "Workload"), all_of(specs, "EncryptionMode")
    found = set()
    for cell in cells(the(specs, "Campaign"), workloads):
        names = {condition.workload_ref for condition in cell.conditions}
        for arm in cell.arms:
            columns = modes[arm.mode_ref].enclave
            if columns is not None and not columns.boundary.is_free:
                found |= {
                    (
                        len(encrypted(columns)),
                        lookup(workloads[name].sysbench),
                        workloads[name].sysbench.enclave_workload,
                        columns.boundary.index,
                    )
                    for name in names
                }
    by_id = {
        (count, "id", one, "Single") for count in (3, 4) for one in ("point", "range", "write")
    }
    by_k = {(4, "k", one, how) for one in ("point", "range") for how in ("Single", "PageBatch")}
    assert found == by_id | by_k


def test_there_is_room_and_time_for_the_log() -> None:
    """Live and in the golden copy, with twice the data for what the writes leave behind."""
    specs = parsed(WHOLE)
    instance, campaign = the(specs, "InstanceTemplate"), the(specs, "Campaign")
    (tables,) = {
        one.sysbench.tables * one.sysbench.table_size for one in all_of(specs, "Workload").values()
    }
    data, log = ROW * tables, parse_size(instance.settings["max_wal_size"])
    assert log is not None
    assert log > 2 * data, "which a checkpoint's first change of each page writes whole"
    assert parse_quantity(instance.storage.size) > 2 * (2 * data + log)
    assert parse_duration(campaign.step_deadlines.proof) > (2 * data + log) / READING


def test_each_step_is_of_one_layer() -> None:
    specs = parsed(WHOLE)
    first, second = cells(the(specs, "Campaign"), all_of(specs, "Workload"))
    layers = [
        sorted((step.before.name, step.layers) for step in arm_steps(cell.arms, modes))
        for cell in (first, second)
        for modes in [all_of(specs, "EncryptionMode")]
    ]
    assert layers[0] == [
        ("disabled", ("types",)),
        ("disabled", ("types", "boundary")),
        ("enclave-all-free", ("boundary",)),
    ]
    assert layers[1] == [
        ("disabled", ("types",)),
        ("enclave-all", ("batching",)),
        ("enclave-all-free", ("boundary",)),
    ]


def test_small_fits_two_cores(default: Rendered) -> None:
    """All databases of a cell side by side, and two clients, for one ends as the next starts."""
    specs = parsed(SMALL)
    instance, workloads = the(specs, "InstanceTemplate"), all_of(specs, "Workload")
    agent = parse_quantity(engine_pod.AGENT_CPU)
    most = max(len(cell.arms) for cell in cells(the(specs, "Campaign"), workloads))
    client = max(one.client.resources.cores for one in workloads.values())
    clients = 2 * (client + parse_quantity(tool_pod.RECORDER_CPU))
    whole = most * (instance.resources.cores + agent) + clients + infrastructure(default)
    assert whole <= NODE
    assert_said(SMALL, whole)
