"""campaigns/tls and its overlays: valid, complete, and small enough for two cores."""

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

FOLDER = REPO / "campaigns" / "tls"
OVERLAYS = {"mariadb": FOLDER, "mysql": FOLDER / "mysql", "postgresql": FOLDER / "postgresql"}


def parsed(name: str) -> dict[tuple[str, str], Any]:
    """Specs by kind and name."""
    models = {resource.kind.kind: resource.spec for resource in RESOURCES}
    return {
        (body["kind"], body["metadata"]["name"]): models[body["kind"]].model_validate(body["spec"])
        for body in kustomize.built(OVERLAYS[name])
    }


def of(specs: dict[tuple[str, str], Any], kind: str) -> Any:
    (found,) = [spec for (own, _), spec in specs.items() if own == kind]
    return found


def test_every_file_is_applied_by_one_of_them() -> None:
    applied = set().union(*map(kustomize.files, OVERLAYS.values()))
    there = {file for file in FOLDER.rglob("*") if file.is_file() and file.suffix != ".md"}
    assert applied == there


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_part_is_valid_and_accepted(name: str) -> None:
    specs = parsed(name)
    campaign, instance, workload = (
        of(specs, kind) for kind in ("Campaign", "InstanceTemplate", "Workload")
    )
    assert instance.engine == name
    (entry,) = campaign.matrix
    for kind, names in (
        ("InstanceTemplate", entry.instance_refs),
        ("EncryptionMode", [campaign.baseline_mode_ref, *entry.mode_refs]),
        ("Workload", entry.workload_refs),
    ):
        assert all((kind, one) in specs for one in names)
    modes = {own: spec for (kind, own), spec in specs.items() if kind == "EncryptionMode"}
    assert {own: spec.is_plaintext for own, spec in modes.items()} == {
        "plaintext": True,
        "tls": False,
    }
    for mode in modes.values():
        assert engine(name).problems(instance, mode) == []
    assert tool(workload).problems(workload, None) == []


def test_campaigns_of_all_engines_fit_in_one_namespace() -> None:
    names = [own for name in OVERLAYS for kind, own in parsed(name) if kind == "Campaign"]
    assert len(set(names)) == len(OVERLAYS)
    shared = [
        {
            key: spec
            for key, spec in parsed(name).items()
            if key[0] in ("EncryptionMode", "Workload")
        }
        for name in OVERLAYS
    ]
    assert shared[0] == shared[1] == shared[2]


@pytest.mark.parametrize("name", OVERLAYS)
def test_it_fits_two_cores(name: str, default: Rendered) -> None:
    specs = parsed(name)
    campaign, workload = of(specs, "Campaign"), of(specs, "Workload")
    (cell,) = cells(campaign, {"read-only": workload})
    own = of(specs, "InstanceTemplate").resources
    databases = len(cell.arms) * (own.cores + parse_quantity(engine_pod.AGENT_CPU))
    client = workload.client.resources.cores
    clients = 2 * workload.client.replicas * (client + parse_quantity(tool_pod.RECORDER_CPU))
    infrastructure = sum(CLUSTER.values()) + sum(
        parse_quantity(container["resources"]["requests"]["cpu"])
        for container_name, container in default.containers()
        if not container_name.endswith("-check")
    )
    whole = databases + clients + infrastructure
    assert whole <= NODE
    assert databases + len(cell.arms) * client + infrastructure <= NODE, "while they are loaded"
    assert f"{round(1000 * whole)} of 2000" in (FOLDER / "kustomization.yaml").read_text()


def test_the_client_has_the_cpu_that_tls_costs_it() -> None:
    """Beside a MariaDB under TLS it took 0.56 of the server's CPU; half as much again is room."""
    specs = parsed("mariadb")
    client, server = of(specs, "Workload").client, of(specs, "InstanceTemplate").resources
    assert client.resources.cores >= 1.5 * 0.56 * server.cores
