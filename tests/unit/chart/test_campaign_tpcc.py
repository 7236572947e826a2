"""campaigns/polardbx-tpcc and its overlays: complete, and `small` enough for two cores."""

import csv

import pytest

from encbench.api.scalars import parse_quantity
from encbench.core.plan import cells
from encbench.database import pod as engine_pod
from encbench.tools import pod as tool_pod
from tests.support.chart import REPO, Rendered
from tests.unit.chart.campaigns import (
    CAMPAIGNS,
    NODE,
    all_of,
    assert_said,
    infrastructure,
    parsed,
    the,
)

FOLDER = CAMPAIGNS / "polardbx-tpcc"
OVERLAYS = {"embedded": FOLDER, "external": FOLDER / "external", "small": FOLDER / "small"}


@pytest.mark.parametrize("name", OVERLAYS)
def test_it_measures_every_part(name: str) -> None:
    specs = parsed(OVERLAYS[name])
    campaign = the(specs, "Campaign")
    (entry,) = campaign.matrix
    modes = [campaign.baseline_mode_ref, *entry.mode_refs]
    assert set(entry.instance_refs) == all_of(specs, "InstanceTemplate").keys()
    assert set(modes) == all_of(specs, "EncryptionMode").keys()
    assert entry.workload_refs == list(all_of(specs, "Workload"))


@pytest.mark.parametrize("name", ["embedded", "external"])
def test_the_published_load(name: str) -> None:
    workload = the(parsed(OVERLAYS[name]), "Workload")
    assert workload.tpcc.warehouses == 1000
    assert workload.tpcc.sent == "benchmarksql"
    assert workload.load.concurrency == [64, 128, 256, 512, 1024]
    assert workload.load.duration_seconds == 300


def test_every_published_size() -> None:
    """One server has the size of one node; an external database has all of its nodes."""
    with (REPO / "tests/data/reference/polardbx_client_cpu.csv").open(encoding="utf-8") as file:
        wanted = {row["instance"] for row in csv.DictReader(file)}
    external, embedded = (
        all_of(parsed(OVERLAYS[it]), "InstanceTemplate") for it in ("external", "embedded")
    )
    assert {name.removeprefix("polardbx-") for name in external} == wanted
    assert {name.removeprefix("mysql-") for name in embedded} == {size[2:] for size in wanted}


def test_all_of_them_fit_in_one_namespace() -> None:
    names = [own for name in OVERLAYS for own in all_of(parsed(OVERLAYS[name]), "Campaign")]
    assert len(set(names)) == len(OVERLAYS)
    whole, small = (parsed(OVERLAYS[name]) for name in ("embedded", "small"))
    shared = whole.keys() & small.keys()
    assert all(whole[key] == small[key] for key in shared)


def test_small_fits_two_cores(default: Rendered) -> None:
    specs = parsed(OVERLAYS["small"])
    campaign, workload = the(specs, "Campaign"), the(specs, "Workload")
    (cell,) = cells(campaign, all_of(specs, "Workload"))
    own = the(specs, "InstanceTemplate").resources
    databases = len(cell.arms) * (own.cores + parse_quantity(engine_pod.AGENT_CPU))
    client = workload.client.resources.cores
    clients = 2 * workload.client.replicas * (client + parse_quantity(tool_pod.RECORDER_CPU))
    own_pods = infrastructure(default)
    assert databases + clients + own_pods <= NODE
    whole = databases + len(cell.arms) * client + own_pods
    assert whole <= NODE, "while they are loaded"
    assert_said(OVERLAYS["small"], whole)
