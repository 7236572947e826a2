"""Encrypted volumes, resets and residency on a real cluster: proofs judged anew, and a breakage.

Nothing of the operator's judgement is used here: the agent's evidence is read from the bucket.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster import mounts
from tests.cluster.layout import Layout
from tests.e2e import manifests, readings
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.e2e.engines import ENGINES
from tests.faults.breaking import beside_the_mount, edit_pod
from tests.support.install import NAMESPACE, is_own, privileged_volumes
from tests.support.kube import Kube, wait_for

# Servers that start anew for each trial take their time.
pytestmark = pytest.mark.full

NAME = "volume"
MOUNTED: set[str] = set()
"""The file systems on the node while the campaign ran."""
ROOM = {"cpu": "200m", "memory": "96Mi"}
VOLUMES: dict[str, dict[str, Any]] = {
    "pass-through": {"cipher": "none", "resources": ROOM},
    "gocryptfs": {"cipher": "AES-GCM", "resources": ROOM},
}
ARMS = ("plaintext", "plaintext-control", *VOLUMES)


@pytest.fixture(scope="module")
def privileged(installed: Kube) -> Iterator[Kube]:
    """The installation with the chart's word for privileged containers, taken back in the end."""
    with privileged_volumes(installed):
        for name, own in VOLUMES.items():
            at_rest = {"method": "volume", "volume": {"gocryptfs": own}}
            installed.apply(manifests.mode(name, atRest=at_rest))
        yield installed


def volume_campaign(name: str, modes: list[str], **fields: Any) -> dict[str, Any]:
    """On demand and reset before each trial: both are shown along the way."""
    return manifests.campaign(
        name,
        modes,
        **{
            "blocks": {"min": 1, "maxReplacements": 1},
            "reset": "trial",
            "residency": "OnDemand",
            "cache": "Cold",
            **fields,
        },
    )


@pytest.fixture(scope="module")
def watched() -> list[set[str]]:
    """Which databases ran together, at each look."""
    return []


@pytest.fixture(scope="module")
def finished(privileged: Kube, watched: list[set[str]]) -> dict[str, Any]:
    """The campaign, run to its end."""
    privileged.apply(volume_campaign(NAME, list(VOLUMES)))

    def look() -> dict[str, Any] | None:
        MOUNTED.update(fuse_mounts())
        pods = privileged.list("pods", NAMESPACE, f"encbench.io/campaign={NAME}")
        watched.append(
            {
                pod["metadata"]["name"]
                for pod in pods
                if pod["metadata"]["labels"].get("app.kubernetes.io/component") == "database"
            }
        )
        return ended(privileged, NAME)

    return wait_for("the end of the campaign", look, 900)


@pytest.fixture(scope="module")
def stored(privileged: Kube, finished: dict[str, Any]) -> dict[str, Any]:
    """The testbeds' full proofs by arm, and the trials' records."""
    report = privileged.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    with bucket(privileged) as store:
        index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
        proofs = {
            entry["arm"]: json.loads(store.get(entry["proof"]["key"]))["proof"]
            for entry in index["testbeds"]
        }
        trials = [json.loads(store.get(entry["key"])) for entry in index["trials"]]
    return {"proofs": proofs, "trials": trials, "report": report["status"]}


def test_every_arm_is_measured(
    privileged: Kube, finished: dict[str, Any], stored: dict[str, Any]
) -> None:
    facts = conditions(finished)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert sorted(row["arm"] for row in stored["report"]["rows"]) == sorted(ARMS)
    assert all(row["blocks"] == 1 and row["tps"] > 1 for row in stored["report"]["rows"])
    verified(privileged, NAME)


def test_the_evidence_shows_what_each_mode_promises(stored: dict[str, Any]) -> None:
    assert stored["proofs"].keys() == set(ARMS)
    for arm, proof in stored["proofs"].items():
        assert proof["ok"], (arm, proof["summary"])
        evidence = proof["evidence"]
        marked = [file["path"] for file in evidence["files"] if file["found"]]
        assert marked, f"{arm}: on its own files the server writes in plaintext"
        lies_on, below = evidence["volume"]["type"], evidence["volume"]["lower"]
        if arm not in VOLUMES:
            assert not lies_on.startswith("fuse")
            assert below is None
            continue
        hits = [file["path"] for file in below["files"] if file["found"]]
        assert below["searched"] > 20, "everything below was searched"
        if arm == "gocryptfs":
            assert lies_on == "fuse.gocryptfs"
            assert hits == []
            assert "GCMIV128" in below["features"]
        else:
            assert lies_on == "fuse.passthrough"
            assert below["own"] in hits


def test_one_database_ran_at_a_time(watched: list[set[str]], stored: dict[str, Any]) -> None:
    assert max(len(there) for there in watched) == 1, "pods that are going included"
    assert len(set().union(*watched)) == len(ARMS)
    for trial in stored["trials"]:
        assert trial["timings"]["restored"] > 0
        assert trial["timings"]["databaseStarted"] > trial["timings"]["restored"]


def test_the_file_systems_cpu_and_io_are_the_databases(stored: dict[str, Any]) -> None:
    by_arm = {trial["spec"]["arm"]["name"]: trial for trial in stored["trials"]}
    for arm in ARMS:
        limit = 0.35 + (0.2 if arm in VOLUMES else 0.0)
        if (cpu := readings.cpu(by_arm[arm], "database")) is None:
            assert readings.has_caveat(stored["report"], "database")
        else:
            assert cpu["limitCores"] == pytest.approx(limit)
        # It writes for durability at each commit, whatever lies in between.
        assert by_arm[arm]["disk"]["writeBytesPerSecond"] > 10_000, arm


def test_nothing_is_left_on_the_node(privileged: Kube, finished: dict[str, Any]) -> None:
    delete_campaign(privileged, NAME)
    if not is_own():
        return
    assert MOUNTED, "they are found while they are there"
    wait_for("the file systems to be gone", lambda: not fuse_mounts(), 60)


def fuse_mounts() -> list[str]:
    """Those of the cluster's pods; other tests of this machine have mounts of their own."""
    state, kinds = Layout.from_environment().state, ("fuse.gocryptfs", "fuse.passthrough")
    found = [one.point for one in mounts.mounted() if one.kind in kinds]
    return [str(point) for point in found if point.is_relative_to(state)]


def test_a_server_beside_its_mount_is_never_measured(privileged: Kube) -> None:
    """The claim takes the file system's place in the StatefulSet: the server runs, unencrypted."""
    name = "volume-broken"
    blocks = {"min": 1, "maxReplacements": 0}
    campaign = manifests.campaign(name, ["gocryptfs"], blocks=blocks)
    privileged.apply(campaign)
    try:
        bed = wait_for("the testbed with gocryptfs", lambda: fuse_testbed(privileged, name), 300)
        edit_pod(privileged, bed, beside_the_mount)
        wait_for("the end of the campaign", lambda: ended(privileged, name), 600)
        trials = privileged.list("trials", NAMESPACE, f"encbench.io/campaign={name}")
        broken = [t for t in trials if t["spec"]["arm"]["name"] == "gocryptfs"]
        assert broken
        for trial in broken:
            assert trial["status"]["outcome"] == "Invalid", trial["status"]
            assert trial["status"]["reason"] == "ProofFailed"
            assert "fuse.gocryptfs" in trial["status"]["message"]
    finally:
        delete_campaign(privileged, name)


@pytest.mark.parametrize("engine", ["mysql", "postgresql"])
def test_other_engines_on_gocryptfs(privileged: Kube, engine: str) -> None:
    name = f"volume-{engine}"
    instance = manifests.instance(name, **ENGINES[engine].fields)
    campaign = volume_campaign(name, ["gocryptfs"])
    campaign["spec"]["matrix"][0]["instanceRefs"] = [name]
    privileged.apply(instance, campaign)
    try:
        body = wait_for("the end of the campaign", lambda: ended(privileged, name), 900)
        assert conditions(body).get("Complete", {}).get("status") == "True", conditions(body)
        report = privileged.get("overheadreport", name, NAMESPACE)
        assert report is not None
        with bucket(privileged) as store:
            index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
            (entry,) = [one for one in index["testbeds"] if one["arm"] == "gocryptfs"]
            evidence = json.loads(store.get(entry["proof"]["key"]))["proof"]["evidence"]
        for kind in ENGINES[engine].marked:
            assert any(file["found"] for file in evidence["files"] if file["kind"] == kind)
        assert evidence["volume"]["type"] == "fuse.gocryptfs"
        below = evidence["volume"]["lower"]
        assert below["searched"] > 20
        assert not any(file["found"] for file in below["files"])
    finally:
        delete_campaign(privileged, name)


def fuse_testbed(kube: Kube, campaign: str) -> str | None:
    """Name of the StatefulSet as soon as there is one."""
    sets = kube.list("statefulsets", NAMESPACE, f"encbench.io/campaign={campaign}")
    own = [one for one in sets if one["metadata"]["labels"]["encbench.io/arm"] == "gocryptfs"]
    return own[0]["metadata"]["name"] if own else None
