"""Encrypted columns under sysbench: proofs judged anew, packets heard, the key searched for.

Nothing of the operator's code is used here. sysbench has no driver that decrypts: in the encrypted
arm it receives ciphertext.
"""

import json
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.columns import (
    ALGORITHMS,
    MAGIC,
    OWN_CLUSTER,
    PROXY,
    SERVER,
    Watch,
    Wire,
    leaks,
    mode,
    places,
)
from tests.e2e.conftest import conditions, delete_campaign, ended
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for
from tests.support.subset import first_of

C = rb"\d{11}(?:-\d{11}){9}"
"""What sysbench writes into column c: ten groups of eleven digits."""
ENCRYPTED, DIRECT = "columns-100", "plaintext"
COLUMNS = ("id", "k", "c", "pad")


@dataclass(frozen=True)
class Study:
    """A finished campaign with all that was seen of it."""

    algorithm: str
    campaign: dict[str, Any]
    rows: dict[str, dict[str, Any]]
    report: dict[str, Any]
    index: dict[str, Any]
    trials: dict[str, dict[str, Any]]
    """Records by arm."""
    proofs: dict[str, dict[str, Any]]
    metrics: dict[str, dict[str, Any]]
    watch: Watch
    wire: Wire | None
    leaked: list[str]
    searched: int
    keys: list[str]

    def heard(self, arm: str, port: int, pattern: bytes) -> int:
        """How often the database of an arm sent that from that port."""
        assert self.wire is not None
        (name,) = [one["name"] for one in self.index["testbeds"] if one["arm"] == arm]
        return sum(self.wire.of(a, port).count(pattern) for a in self.watch.addresses[name])


@pytest.fixture(scope="module", params=first_of(ALGORITHMS))
def study(request: pytest.FixtureRequest, installed: Kube) -> Any:
    """The campaign run to its end with an ear on the wire."""
    algorithm: str = request.param
    name = f"columns-{algorithm[:3].lower()}"
    campaign = manifests.campaign(
        name, [mode_name(algorithm)], blocks={"min": 1, "maxReplacements": 1}
    )
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["columns"]
    resources = {"cpu": "250m", "memory": "384Mi"}
    installed.apply(
        manifests.instance("columns", resources=resources),
        mode(mode_name(algorithm), 100, algorithm=algorithm),
        campaign,
    )
    watch = Watch(installed, name)
    try:
        if OWN_CLUSTER:
            with Wire() as wire:
                body = _run(installed, watch, name)
        else:
            wire, body = None, _run(installed, watch, name)
        yield _study(installed, algorithm, body, watch, wire)
    finally:
        delete_campaign(installed, name)


def mode_name(algorithm: str) -> str:
    return ENCRYPTED if algorithm == "AES_128_GCM" else f"{ENCRYPTED}-sm4"


def _run(kube: Kube, watch: Watch, name: str) -> dict[str, Any]:
    over = watch.until(lambda: ended(kube, name))
    found: dict[str, Any] = wait_for("the end of the campaign", over, 600)
    return found


def _study(
    kube: Kube, algorithm: str, body: dict[str, Any], watch: Watch, wire: Wire | None
) -> Study:
    name = body["metadata"]["name"]
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None, conditions(body)
    keys = sorted(watch.keys)
    with bucket(kube) as store:
        artefacts = report["status"]["artefacts"]
        index = json.loads(store.get(artefacts["index"]["key"]))
        records: dict[str, dict[str, Any]] = {}
        proofs: dict[str, dict[str, Any]] = {}
        metrics: dict[str, dict[str, Any]] = {}
        for entry in index["trials"]:
            record = json.loads(store.get(entry["key"]))
            if record["outcome"] != "Succeeded":
                continue
            folder, arm = entry["key"].rpartition("/")[0], record["spec"]["arm"]["name"]
            records[arm] = record
            proofs[arm] = json.loads(store.get(f"{folder}/proofs.json"))
            metrics[arm] = json.loads(store.get(f"{folder}/metrics.json"))
        whole = json.loads(store.get(artefacts["json"]["key"]))
        prefix = index["storage"]["prefix"]
        leaked, searched = leaks(places(kube, watch, store, prefix), keys)
    return Study(
        algorithm=algorithm,
        campaign=body,
        rows={row["arm"]: row for row in report["status"]["rows"]},
        report=whole,
        index=index,
        trials=records,
        proofs=proofs,
        metrics=metrics,
        watch=watch,
        wire=wire,
        leaked=leaked,
        searched=searched,
        keys=keys,
    )


def encrypted(study: Study) -> str:
    return mode_name(study.algorithm)


def test_every_arm_is_measured(study: Study) -> None:
    facts = conditions(study.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert sorted(study.rows) == sorted([DIRECT, f"{DIRECT}-control", encrypted(study)])
    for arm, row in study.rows.items():
        assert row["blocks"] == 1, arm
        assert row["tps"] == pytest.approx(
            geometric_mean([study.trials[arm]["result"]["tps"]]), rel=1e-4
        )


def test_each_trial_is_proven_before_and_after(study: Study) -> None:
    for arm, both in study.proofs.items():
        for when in ("before", "after"):
            proof = both[when]
            assert proof["ok"], (arm, when, proof["summary"])
            if arm != encrypted(study):
                assert not (proof["evidence"].get("columns") or {}).get("tables")
                continue
            tables = proof["evidence"]["columns"]["tables"]
            assert {one["table"] for one in tables} == {"sbtest1", "sbtest2"}
            for one in tables:
                assert one["encrypted"] == {study.algorithm: list(COLUMNS)}, one
                assert (one["plain"], one["wrong"]) == ([], {})


def test_ciphertext_is_on_the_wire(study: Study) -> None:
    """What servers and proxies answer, packet by packet; statements are plaintext by design."""
    if study.wire is None:
        pytest.skip("the wire of somebody else's cluster is not ours to listen on")
    magic = MAGIC + ALGORITHMS[study.algorithm]
    assert study.heard(DIRECT, SERVER, C) > 100, "in plaintext the listener sees what is sent"
    assert study.heard(DIRECT, SERVER, MAGIC) == 0
    assert study.heard(encrypted(study), PROXY, magic) > 100
    assert study.heard(encrypted(study), PROXY, C) == 0
    assert study.heard(encrypted(study), SERVER, C) == 0, "no client went past the proxy"


def test_the_proxy_s_cpu_is_counted_apart(study: Study) -> None:
    arm = encrypted(study)
    cpu = study.trials[arm]["cpu"]["proxy"]
    assert cpu["limitCores"] == pytest.approx(0.15)
    samples = study.metrics[arm]["series"]["proxy_cpu_seconds"]
    window = study.trials[arm]["window"]
    inside = [(t, v) for t, v in samples if window["start"] <= t <= window["end"]]
    (first, low), (last, high) = inside[0], inside[-1]
    assert cpu["cores"] == pytest.approx((high - low) / (last - first), rel=0.1)
    tps = study.trials[arm]["result"]["tps"]
    row = study.rows[arm]
    assert row["proxyCpuMsPerTransaction"] == pytest.approx(1000 * cpu["cores"] / tps, rel=1e-3)
    assert row["proxyCpuPercent"] == pytest.approx(100 * cpu["cores"] / 0.15, rel=1e-3)
    for plain in (DIRECT, f"{DIRECT}-control"):
        assert "proxyCpuMsPerTransaction" not in study.rows[plain]
        assert study.trials[plain]["cpu"].get("proxy") is None


def test_the_report_says_what_is_encrypted_and_what_it_cost(study: Study) -> None:
    arm = encrypted(study)
    (one,) = study.report["encryptedColumns"]
    assert (one["mode"], one["algorithm"], one["ratio"]) == (arm, study.algorithm, 100)
    assert (one["share"], one["of"]) == (1.0, 8), "four columns of two tables"
    (group,) = study.report["groups"]
    (step,) = group["steps"]
    assert (step["before"], step["arm"]) == (DIRECT, arm)
    assert step["layers"] == ["hop", "encryption"]
    loss = 1 - study.trials[arm]["result"]["tps"] / study.trials[DIRECT]["result"]["tps"]
    assert step["loss"]["estimate"] == pytest.approx(loss, abs=1e-4)
    (table,) = study.report["studies"]
    names = [column["name"] for column in table["columns"]]
    assert names[2:5] == ["threads", "plain_qps", "encrypted_qps"]
    assert table["rows"][0][4] == pytest.approx(study.trials[arm]["result"]["qps"], rel=1e-3)
    titles = [caveat["title"] for caveat in study.report["caveats"]]
    assert "A simulation of a vendor's proxy layer" in titles
    assert "The hop is not told apart" in titles
    assert "The client does not decrypt" in titles


def test_the_key_is_nowhere(study: Study) -> None:
    """In no log, command line, environment, status, event or object of the bucket."""
    assert study.keys
    assert len(set(study.keys)) == len(study.keys), "each testbed has a key of its own"
    assert all(len(bytes.fromhex(key)) == 16 for key in study.keys)
    assert study.watch.logs
    assert not OWN_CLUSTER or any(b"confidential-proxy" in one for one in study.watch.processes)
    assert study.searched > 50
    assert study.leaked == []


def test_the_search_would_find_it(study: Study) -> None:
    key = study.keys[0]
    hidden = [key.upper().encode(), b"--mek=" + key.encode(), b"\x01" + bytes.fromhex(key)]
    found, _ = leaks(((f"{n}", content) for n, content in enumerate(hidden)), study.keys)
    assert found == ["0", "1", "2"]
