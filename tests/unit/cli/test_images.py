"""`kubectl encbench images`: what a campaign's pods have, from manifests and from a cluster."""

import argparse
import contextlib
import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from encbench import __version__
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.cli import manifests
from encbench.cli.images import from_cluster, from_manifests
from encbench.cli.installation import DEPLOYMENT, OPERATOR
from encbench.cli.main import main
from encbench.cli.output import CommandError
from tests.support.chart import render
from tests.support.documented import examples
from tests.support.fake_cluster import FakeCluster
from tests.support.kube import REPO
from tests.support.manifests import body
from tests.unit.cli.campaigns import everything, written

HERE = "registry.example.com/mirror"
SYSBENCH = f"encbench/sysbench:1.0.20-{__version__}"
PARTS = (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD, CAMPAIGN)


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["images", *arguments]) == 0
    out, err = capsys.readouterr()
    assert "Without --live" in err
    return out


def test_the_demo_needs_its_server_and_its_client(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(map(str, (REPO / "campaigns" / "demo").glob("[!k]*.yaml")))
    flags = [word for file in files for word in ("-f", file)]
    names = listed(capsys, *flags, "-o", "name").splitlines()
    assert names == ["docker.io/library/mariadb:10.11", f"docker.io/{SYSBENCH}"]
    found = json.loads(listed(capsys, *flags, "-o", "json"))
    assert found[names[1]] == ["client of Workload write-only"]
    table = listed(capsys, *flags).splitlines()
    assert table[0].split() == ["IMAGE", "FOR"]
    assert table[1].endswith("  server of InstanceTemplate mariadb-small")


def test_the_example_copies_what_others_publish(tmp_path: Path) -> None:
    """As the help shows it: `crane copy` needs a source and a destination."""
    theirs, ours = "docker.io/library/mariadb:10.11", f"docker.io/{SYSBENCH}"
    programs = {"kubectl": f"echo {theirs}; echo {ours}", "crane": 'test $# -eq 3 && echo "$@"'}
    for name, does in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    (example,) = (one.text for one in examples() if "crane" in one.text)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    told = subprocess.run(
        ["sh", "-c", example], env=path, capture_output=True, text=True, check=True
    ).stdout
    assert told == f"copy {theirs} {HERE}/library/mariadb:10.11\n"


def test_manifests_without_a_campaign_have_no_pods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, *everything()[:-1])
    assert main(["images", "-f", file]) == 2
    assert "contain no Campaign" in capsys.readouterr().err


def test_a_campaign_that_would_be_refused_is_said_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *parts, campaign = everything()
    wrong = {**campaign, "spec": {**campaign["spec"], "margen": 0.02}}
    assert main(["images", "-f", written(tmp_path, *parts, wrong)]) == 2
    said = capsys.readouterr().err
    assert "kubectl apply would refuse" in said
    assert "margen" in said


def test_a_part_that_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [body for body in everything() if body["kind"] != "Workload"]
    assert main(["images", "-f", written(tmp_path, *parts)]) == 2
    out, said = capsys.readouterr()
    assert not out
    assert "there is no Workload" in said


def operator(**values: Any) -> dict[str, Any]:
    """The operator's Deployment as the chart installs it; it watches the tests' namespace."""
    made = render({"watchNamespaces": ["bench"], **values}).one("Deployment", "operator")
    return {**made, "metadata": {**made["metadata"], "labels": OPERATOR}}


async def test_of_an_installation_all_images_are_known() -> None:
    cluster = FakeCluster()
    values = {"global": {"imageRegistry": HERE}, "privilegedVolumes": {"enabled": True}}
    cluster.add(DEPLOYMENT, operator(**values))
    parts = [
        body(INSTANCE_TEMPLATE, "small", "bench", image=None),
        body(ENCRYPTION_MODE, "plain", "bench"),
        body(ENCRYPTION_MODE, "tde", "bench", columns={"method": "confidential", "ratio": 50}),
        body(
            ENCRYPTION_MODE, "fs", "bench", atRest={"method": "volume", "volume": {"gocryptfs": {}}}
        ),
        everything()[3],
        body(CAMPAIGN, "study", "bench", blocks={"interleave": {}}),
    ]
    parts[4]["spec"]["client"].pop("image")
    parts[5]["spec"]["matrix"][0]["modeRefs"] = ["tde", "fs"]
    by_name = {kind.kind: kind for kind in PARTS}
    for one in parts:
        cluster.add(by_name[one["kind"]], one)
    found = await from_cluster(cluster, "bench", None, "study")
    assert found == {
        f"{HERE}/library/mariadb:10.11": ["server of InstanceTemplate small"],
        f"{HERE}/{SYSBENCH}": ["client of Workload oltp"],
        f"{HERE}/encbench/operator:{__version__}": ["agent and recorder"],
        f"{HERE}/encbench/turnstile:{__version__}": ["turnstile of interleaved blocks"],
        f"{HERE}/encbench/confidential-proxy:{__version__}": ["proxy of EncryptionMode tde"],
        f"{HERE}/encbench/gocryptfs:{__version__}": ["file system of EncryptionMode fs"],
    }


async def test_of_manifests_each_campaign_has_the_installation_of_its_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of the kubeconfig's namespace, which may have none."""
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator())

    @contextlib.asynccontextmanager
    async def connected(*_: object) -> AsyncIterator[tuple[FakeCluster, str]]:
        yield cluster, "elsewhere"

    monkeypatch.setattr(manifests, "connected", connected)
    args = argparse.Namespace(
        filename=[written(tmp_path, *everything())],
        kustomize=None,
        namespace=None,
        live=True,
        release_namespace=None,
    )
    found = await from_manifests(args)
    assert "agent and recorder" in [use for uses in found.values() for use in uses]


async def test_what_loads_for_benchmarksql_is_an_image_of_its_own() -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator())
    place = {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}}
    outside = {"image": None, "resources": None, "storage": None, "external": place}
    workload = {
        "sysbench": None,
        "tpcc": {"warehouses": 1, "benchmarksql": {}},
        "load": {"concurrency": [1], "warmup": "0s", "duration": "1m"},
    }
    for kind, name, spec in (
        (INSTANCE_TEMPLATE, "small", outside),
        (ENCRYPTION_MODE, "plain", {}),
        (ENCRYPTION_MODE, "tde", {}),
        (WORKLOAD, "oltp", workload),
        (CAMPAIGN, "study", {}),
    ):
        cluster.add(kind, body(kind, name, "bench", **spec))
    found = await from_cluster(cluster, "bench", None, "study")
    assert found["registry.example.com/tool:1"] == ["client of Workload oltp"]
    assert found[f"docker.io/encbench/tpcc:{__version__}"] == ["load of Workload oltp"]


async def test_a_campaign_that_is_not_there_is_said() -> None:
    with pytest.raises(CommandError, match="there is no campaign study"):
        await from_cluster(FakeCluster(), "bench", None, "study")


@pytest.mark.parametrize("accepted", [False, True])
async def test_the_chart_s_view_role_is_enough_beside_the_deployment(accepted: bool) -> None:
    """It reads our own kinds alone, and neither Secrets nor ConfigMaps that the parts name."""
    cluster, tool = FakeCluster(), "registry.example.com/tool:1"
    cluster.add(DEPLOYMENT, operator())
    own_key = {"method": "engine", "keySecretRef": {"name": "key"}}
    own_script = {"scriptConfigMapRef": {"name": "lua", "key": "own.lua"}}
    parts: dict[str, tuple[Kind, dict[str, Any]]] = {
        "instances": (INSTANCE_TEMPLATE, {"small": {}}),
        "modes": (ENCRYPTION_MODE, {"plain": {}, "tde": {"atRest": own_key}}),
        "workloads": (WORKLOAD, {"oltp": {"sysbench": own_script}}),
    }
    made = {
        field: {name: body(kind, name, "bench", **spec) for name, spec in specs.items()}
        for field, (kind, specs) in parts.items()
    }
    cluster.add(CAMPAIGN, body(CAMPAIGN, "study", "bench"))
    if accepted:
        resolved = {
            of: {name: it["spec"] for name, it in all_.items()} for of, all_ in made.items()
        }
        cluster.set_status(CAMPAIGN, "bench", "study", {"resolved": resolved})
    for of, (kind, _) in parts.items():
        for one in made[of].values():
            cluster.add(kind, one)
    found = await from_cluster(cluster, "bench", None, "study")
    assert found[tool] == ["server of InstanceTemplate small", "client of Workload oltp"]
    assert {call.kind for call in cluster.calls} <= {DEPLOYMENT, *PARTS}
