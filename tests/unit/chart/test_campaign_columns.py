"""The campaigns about encrypted columns: valid, complete, layer by layer, small on two cores."""

from typing import Any

import pytest

from encbench.api.scalars import parse_quantity
from encbench.core.plan import cells
from encbench.database import pod as engine_pod
from encbench.report.analysis.steps import arm_steps
from encbench.tools import pod as tool_pod
from tests.support.chart import Rendered
from tests.unit.chart.campaigns import (
    CAMPAIGNS,
    NODE,
    all_of,
    assert_every_file_is_applied,
    assert_said,
    infrastructure,
    parsed,
    problems_of,
    the,
)

TPCC = CAMPAIGNS / "polardbx-confidential"
SYSBENCH = CAMPAIGNS / "rds-mysql-confidential"
OVERLAYS = {
    "tpcc": TPCC,
    "tpcc-external": TPCC / "external",
    "tpcc-small": TPCC / "small",
    "tpcc-small-mysql": TPCC / "small-mysql",
    "sysbench": SYSBENCH,
    "sysbench-small": SYSBENCH / "small",
}


@pytest.mark.parametrize("folder", [TPCC, SYSBENCH], ids=lambda folder: folder.name)
def test_every_file_is_applied_by_one_of_them(folder: Any) -> None:
    own = [place for place in OVERLAYS.values() if place.is_relative_to(folder)]
    assert_every_file_is_applied(folder, *own)


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_part_is_valid_and_accepted(name: str) -> None:
    assert problems_of(OVERLAYS[name]) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("tpcc", "hop driver encryption encryption encryption"),
        ("tpcc-small", "hop driver encryption encryption encryption"),
        ("tpcc-small-mysql", "hop driver encryption encryption encryption"),
        ("sysbench", "hop encryption"),
        ("sysbench-small", "hop encryption"),
    ],
)
def test_each_step_is_of_one_layer(name: str, wanted: str) -> None:
    specs = parsed(OVERLAYS[name])
    campaign = the(specs, "Campaign")
    for cell in cells(campaign, all_of(specs, "Workload")):
        found = arm_steps(cell.arms, all_of(specs, "EncryptionMode"))
        assert all(len(step.layers) == 1 for step in found)
        assert sorted(step.layers[0] for step in found) == sorted(wanted.split())


def test_the_external_driver_is_a_step_of_its_own() -> None:
    specs = parsed(OVERLAYS["tpcc-external"])
    campaign = specs["Campaign", "polardbx-confidential-external"]
    (first, *_) = cells(campaign, all_of(specs, "Workload"))
    (step,) = arm_steps(first.arms, all_of(specs, "EncryptionMode"))
    assert step.layers == ("driver",)
    names = [f"polardbx-confidential-external{share}" for share in ("", "-20", "-50", "-100")]
    assert sorted(all_of(specs, "Campaign")) == sorted(names)


@pytest.mark.parametrize("name", ["tpcc", "tpcc-external"])
def test_the_published_load_of_tpcc(name: str) -> None:
    workload = the(parsed(OVERLAYS[name]), "Workload")
    assert workload.tpcc.warehouses == 1000
    assert workload.load.concurrency == [64, 128, 256, 512, 1024]
    assert workload.load.duration_seconds == 300


def test_the_published_load_of_sysbench() -> None:
    specs = parsed(OVERLAYS["sysbench"])
    workloads = all_of(specs, "Workload")
    scripts = {one.sysbench.script for one in workloads.values()}
    assert scripts == {"oltp_read_only", "oltp_read_write", "oltp_write_only"}
    for one in workloads.values():
        assert (one.sysbench.tables, one.sysbench.table_size) == (250, 25_000)
        assert one.load.concurrency == [64, 128, 256]
    versions = [one.version for one in all_of(specs, "InstanceTemplate").values()]
    assert versions == ["5.7", "8.0"]


def test_all_of_them_fit_in_one_namespace() -> None:
    campaigns = [own for name in OVERLAYS for own in all_of(parsed(OVERLAYS[name]), "Campaign")]
    assert len(set(campaigns)) == len(campaigns)


@pytest.mark.parametrize("name", ["tpcc-small", "sysbench-small"])
def test_small_fits_two_cores(name: str, default: Rendered) -> None:
    """One database at a time, and two clients, for one ends as the next one starts."""
    specs = parsed(OVERLAYS[name])
    campaign = the(specs, "Campaign")
    assert campaign.residency == "OnDemand"
    instance = the(specs, "InstanceTemplate")
    modes = all_of(specs, "EncryptionMode").values()
    proxy = max(mode.columns.resources.cores for mode in modes if mode.columns)
    database = instance.resources.cores + proxy + parse_quantity(engine_pod.AGENT_CPU)
    client = max(one.client.resources.cores for one in all_of(specs, "Workload").values())
    clients = 2 * (client + parse_quantity(tool_pod.RECORDER_CPU))
    whole = database + clients + infrastructure(default)
    assert whole <= NODE
    assert_said(OVERLAYS[name], whole)
