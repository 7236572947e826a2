"""campaigns/polardbx-tpcc and its overlays: valid, complete, and `small` enough for two cores."""

from typing import Any

import pytest

from encbench.api.base import parse_quantity
from encbench.api.resources import RESOURCES
from encbench.core.plan import cells
from encbench.engines import pod as engine_pod
from encbench.engines.registry import engine
from encbench.tools import pod as tool_pod
from encbench.tools.registry import tool
from tests.support import kustomize
from tests.support.chart import REPO, Rendered
from tests.unit.chart.test_demo import CLUSTER, NODE

FOLDER = REPO / "campaigns" / "polardbx-tpcc"
OVERLAYS = {"embedded": FOLDER, "external": FOLDER / "external", "small": FOLDER / "small"}
Specs = dict[tuple[str, str], Any]


def parsed(name: str) -> Specs:
    """Specs by kind and name."""
    models = {resource.kind.kind: resource.spec for resource in RESOURCES}
    return {
        (body["kind"], body["metadata"]["name"]): models[body["kind"]].model_validate(body["spec"])
        for body in kustomize.built(OVERLAYS[name])
    }


def all_of(specs: Specs, kind: str) -> dict[str, Any]:
    return {name: spec for (own, name), spec in specs.items() if own == kind}


def the(specs: Specs, kind: str) -> Any:
    (found,) = all_of(specs, kind).values()
    return found


def test_every_file_is_applied_by_one_of_them() -> None:
    applied = set().union(*map(kustomize.files, OVERLAYS.values()))
    there = {file for file in FOLDER.rglob("*") if file.is_file() and file.suffix != ".md"}
    assert applied == there


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_part_is_valid_and_accepted(name: str) -> None:
    specs = parsed(name)
    campaign, workload = the(specs, "Campaign"), the(specs, "Workload")
    (entry,) = campaign.matrix
    modes = [campaign.baseline_mode_ref, *entry.mode_refs]
    assert set(entry.instance_refs) == all_of(specs, "InstanceTemplate").keys()
    assert set(modes) == all_of(specs, "EncryptionMode").keys()
    assert entry.workload_refs == list(all_of(specs, "Workload"))
    assert tool(workload).problems(workload, None) == []
    for instance in all_of(specs, "InstanceTemplate").values():
        for mode in all_of(specs, "EncryptionMode").values():
            assert engine(instance.engine).problems(instance, mode) == []
            assert tool(workload).pair_problems(workload, instance, mode) == []


@pytest.mark.parametrize("name", ["embedded", "external"])
def test_the_published_load(name: str) -> None:
    workload = the(parsed(name), "Workload")
    assert workload.tpcc.warehouses == 1000
    assert workload.load.concurrency == [64, 128, 256, 512, 1024]
    assert workload.load.duration_seconds == 300
    assert len(all_of(parsed(name), "InstanceTemplate")) == 2


def test_all_of_them_fit_in_one_namespace() -> None:
    names = [own for name in OVERLAYS for own in all_of(parsed(name), "Campaign")]
    assert len(set(names)) == len(OVERLAYS)
    whole, small = parsed("embedded"), parsed("small")
    shared = whole.keys() & small.keys()
    assert all(whole[key] == small[key] for key in shared)


def test_small_fits_two_cores(default: Rendered) -> None:
    specs = parsed("small")
    campaign, workload = the(specs, "Campaign"), the(specs, "Workload")
    (cell,) = cells(campaign, all_of(specs, "Workload"))
    own = the(specs, "InstanceTemplate").resources
    databases = len(cell.arms) * (own.cores + parse_quantity(engine_pod.AGENT_CPU))
    client = workload.client.resources.cores
    clients = 2 * workload.client.replicas * (client + parse_quantity(tool_pod.RECORDER_CPU))
    infrastructure = sum(CLUSTER.values()) + sum(
        parse_quantity(container["resources"]["requests"]["cpu"])
        for container_name, container in default.containers()
        if not container_name.endswith("-check")
    )
    assert databases + clients + infrastructure <= NODE
    whole = databases + len(cell.arms) * client + infrastructure
    assert whole <= NODE, "while they are loaded"
    said = (FOLDER / "small" / "kustomization.yaml").read_text()
    assert f"{round(1000 * whole)} of 2000" in said
