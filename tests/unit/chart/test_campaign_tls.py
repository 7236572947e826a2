"""campaigns/tls and its overlays: small enough for two cores."""

import pytest

from encbench.api.scalars import parse_quantity
from encbench.core.plan import cells
from encbench.database import pod as engine_pod
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

FOLDER = CAMPAIGNS / "tls"
OVERLAYS = {"mariadb": FOLDER, "mysql": FOLDER / "mysql", "postgresql": FOLDER / "postgresql"}


@pytest.mark.parametrize("name", OVERLAYS)
def test_each_is_of_one_engine_with_one_encrypted_mode(name: str) -> None:
    specs = parsed(OVERLAYS[name])
    assert the(specs, "InstanceTemplate").engine == name
    modes = all_of(specs, "EncryptionMode")
    assert {own: spec.is_plaintext for own, spec in modes.items()} == {
        "plaintext": True,
        "tls": False,
    }


def test_campaigns_of_all_engines_fit_in_one_namespace() -> None:
    names = [own for name in OVERLAYS for kind, own in parsed(OVERLAYS[name]) if kind == "Campaign"]
    assert len(set(names)) == len(OVERLAYS)
    shared = [
        {
            key: spec
            for key, spec in parsed(OVERLAYS[name]).items()
            if key[0] in ("EncryptionMode", "Workload")
        }
        for name in OVERLAYS
    ]
    assert shared[0] == shared[1] == shared[2]


@pytest.mark.parametrize("name", OVERLAYS)
def test_it_fits_two_cores(name: str, default: Rendered) -> None:
    specs = parsed(OVERLAYS[name])
    campaign, workload = the(specs, "Campaign"), the(specs, "Workload")
    (cell,) = cells(campaign, {"read-only": workload})
    own = the(specs, "InstanceTemplate").resources
    databases = len(cell.arms) * (own.cores + parse_quantity(engine_pod.AGENT_CPU))
    client = workload.client.resources.cores
    clients = 2 * workload.client.replicas * (client + parse_quantity(tool_pod.RECORDER_CPU))
    own_pods = infrastructure(default)
    whole = databases + clients + own_pods
    assert whole <= NODE
    assert databases + len(cell.arms) * client + own_pods <= NODE, "while they are loaded"
    assert_said(FOLDER, whole)


def test_the_client_has_the_cpu_that_tls_costs_it() -> None:
    """Beside a MariaDB under TLS it took 0.56 of the server's CPU; half as much again is room."""
    specs = parsed(OVERLAYS["mariadb"])
    client, server = the(specs, "Workload").client, the(specs, "InstanceTemplate").resources
    assert client.resources.cores >= 1.5 * 0.56 * server.cores
