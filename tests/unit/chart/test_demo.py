"""The demo: valid, small enough for two cores, and short."""

from typing import Any

import pytest
import yaml

from encbench.api.base import Resources
from encbench.api.campaign import CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.resources import RESOURCES
from encbench.api.scalars import parse_quantity
from encbench.api.workload import WorkloadSpec
from encbench.core.plan import cells
from encbench.core.timetable import GUARD, timetable
from encbench.database import pod as engine_pod
from encbench.engines.mariadb.problems import problems
from encbench.tools import pod as tool_pod
from tests.support.chart import REPO, Rendered
from tests.unit.chart.campaigns import CAMPAIGNS, CLUSTER, NODE, assert_said, infrastructure

DEMO = CAMPAIGNS / "demo"

Manifest = dict[str, Any]


@pytest.fixture(scope="module")
def demo() -> list[Manifest]:
    names = yaml.safe_load((DEMO / "kustomization.yaml").read_text())["resources"]
    return [body for name in names for body in yaml.safe_load_all((DEMO / name).read_text())]


def spec(demo: list[Manifest], kind: str, name: str) -> Any:
    (body,) = [b for b in demo if (b["kind"], b["metadata"]["name"]) == (kind, name)]
    (resource,) = [r for r in RESOURCES if r.kind.kind == kind]
    return resource.spec.model_validate(body["spec"])


def test_every_object_is_valid(demo: list[Manifest]) -> None:
    for body in demo:
        assert body["apiVersion"] == "encbench.io/v1alpha1"
        spec(demo, body["kind"], body["metadata"]["name"])
    instance: InstanceTemplateSpec = spec(demo, "InstanceTemplate", "mariadb-small")
    for mode in ("plaintext", "tde", "columns"):
        settings: EncryptionModeSpec = spec(demo, "EncryptionMode", mode)
        assert not [*problems(instance, settings)]
        assert settings.is_plaintext == (mode == "plaintext")


def test_it_takes_minutes(demo: list[Manifest]) -> None:
    campaign: CampaignSpec = spec(demo, "Campaign", "demo")
    workload: WorkloadSpec = spec(demo, "Workload", "write-only")
    (cell,) = cells(campaign, {"write-only": workload})
    interleave = campaign.blocks.interleave
    assert interleave is not None
    table = timetable(rounds=interleave.rounds, arms=len(cell.arms), seed=1)
    period = interleave.slice_seconds + GUARD
    assert campaign.blocks.min * len(table) * period <= 100
    unmeasured = 1 - (interleave.slice_seconds - interleave.settle_seconds) / period
    assert unmeasured < 0.25


def test_it_fits_two_cores(demo: list[Manifest], default: Rendered) -> None:
    campaign: CampaignSpec = spec(demo, "Campaign", "demo")
    workload: WorkloadSpec = spec(demo, "Workload", "write-only")
    (cell,) = cells(campaign, {"write-only": workload})
    instance: Resources = spec(demo, "InstanceTemplate", cell.instance_ref).resources
    columns: EncryptionModeSpec = spec(demo, "EncryptionMode", "columns")
    assert columns.columns is not None
    # Databases that take turns request together what one of them may use.
    assert campaign.blocks.interleave is not None
    assert campaign.blocks.interleave.database_cpu == "Shared"
    databases = instance.cores + len(cell.arms) * parse_quantity(engine_pod.AGENT_CPU)
    databases += columns.columns.resources.cores / len(cell.arms)
    client = workload.client.resources.cores
    # The clients of a block request what one of them uses, because they take turns, and so do the
    # loads. Those of the next block wait for new databases.
    assert campaign.blocks.per_testbed == 1
    clients = workload.client.replicas * (client + parse_quantity(tool_pod.RECORDER_CPU))
    loads = client
    own_pods = infrastructure(default)

    assert own_pods <= 0.160 + 1e-9
    assert databases + clients + own_pods <= NODE
    # All databases are loaded at once, before the first trial.
    assert databases + loads + own_pods <= NODE
    assert_said(DEMO, databases + clients + own_pods)
    # Elsewhere the cluster's own pods request more than in ours, so that two cores are not enough.
    without_cluster = databases + clients + own_pods - sum(CLUSTER.values())
    quickstart = (REPO / "docs" / "quickstart.md").read_text(encoding="utf-8")
    assert f"requests {without_cluster:.1f} cores" in " ".join(quickstart.split())
