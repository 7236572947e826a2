"""Encrypted columns under sysbench: proofs judged anew, packets heard, the key searched for.

Nothing of the operator's code is used here. sysbench has no driver that decrypts: in the encrypted
arm it receives ciphertext.
"""

from collections.abc import Iterator
from statistics import geometric_mean
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign
from tests.e2e.columns import ALGORITHMS, MAGIC, PROXY, SERVER, leaks, mode
from tests.e2e.columns_study import Study, conducted
from tests.e2e.tpcc import ENGINES
from tests.support.install import is_own
from tests.support.kube import Kube
from tests.support.subset import first_of

C = rb"\d{11}(?:-\d{11}){9}"
"""What sysbench writes into column c: ten groups of eleven digits."""
AES = {"algorithm": "AES_128_GCM"}
ENCRYPTED: dict[str, tuple[str, dict[str, Any]]] = {
    "columns-100": ("mariadb", AES),
    "columns-100-sm4": ("mariadb", {"algorithm": "SM4_128_GCM"}),
    "columns-100-mysql": ("mysql", AES),
    "columns-100-socket": ("mariadb", {**AES, "upstream": "Socket"}),
    "columns-100-mysql-socket": ("mysql", {**AES, "upstream": "Socket"}),
}
"""Engine of each campaign, and how its arm encrypts columns."""
DIRECT = "plaintext"
COLUMNS = ("id", "k", "c", "pad")


@pytest.fixture(scope="module", params=first_of(ENCRYPTED))
def study(request: pytest.FixtureRequest, installed: Kube) -> Iterator[Study]:
    """The campaign run to its end with an ear on the wire."""
    arm: str = request.param
    engine, fields = ENCRYPTED[arm]
    template = f"columns-{engine}"
    instance = manifests.instance(template, **ENGINES[engine])
    # Three of them stand side by side, one with its proxy.
    instance["spec"]["resources"] = {**ENGINES[engine]["resources"], "cpu": "250m"}
    name = f"of-{arm}"
    campaign = manifests.campaign(name, [arm], blocks={"min": 1, "maxReplacements": 1})
    campaign["spec"]["matrix"][0]["instanceRefs"] = [template]
    installed.apply(instance, mode(arm, 100, **fields), campaign)
    try:
        yield conducted(installed, name, [arm], 600)
    finally:
        delete_campaign(installed, name)


def encrypted(study: Study) -> str:
    """The arm whose columns are encrypted."""
    (arm,) = study.treatments
    return arm


def algorithm_of(study: Study) -> str:
    algorithm: str = ENCRYPTED[encrypted(study)][1]["algorithm"]
    return algorithm


def test_every_arm_is_measured(study: Study) -> None:
    facts = conditions(study.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert sorted(study.rows) == sorted([DIRECT, f"{DIRECT}-control", encrypted(study)])
    for arm, row in study.rows.items():
        assert row["blocks"] == 1, arm
        tps = geometric_mean(one.record["result"]["tps"] for one in study.behind(arm))
        assert row["tps"] == pytest.approx(tps, rel=1e-4)


def test_each_trial_is_proven_before_and_after(study: Study) -> None:
    for trial in study.trials:
        for when in ("before", "after"):
            proof = trial.proofs[when]
            assert proof["ok"], (trial.arm, when, proof["summary"])
            if trial.arm != encrypted(study):
                assert not (proof["evidence"].get("columns") or {}).get("tables")
                continue
            tables = trial.columns(when)
            assert {one["table"] for one in tables} == {"sbtest1", "sbtest2"}
            for one in tables:
                assert one["encrypted"] == {algorithm_of(study): list(COLUMNS)}, one
                assert (one["plain"], one["wrong"]) == ([], {})


def test_ciphertext_is_on_the_wire(study: Study) -> None:
    """What servers and proxies answer, packet by packet; statements are plaintext by design."""
    if study.wire is None:
        pytest.skip("the wire of somebody else's cluster is not ours to listen on")
    magic = MAGIC + ALGORITHMS[algorithm_of(study)]
    assert study.heard(DIRECT, SERVER, C) > 100, "in plaintext the listener sees what is sent"
    assert study.heard(DIRECT, SERVER, MAGIC) == 0
    assert study.heard(encrypted(study), PROXY, magic) > 100
    assert study.heard(encrypted(study), PROXY, C) == 0
    assert study.heard(encrypted(study), SERVER, C) == 0, "no client went past the proxy"


def test_the_proxy_s_cpu_is_counted_apart(study: Study) -> None:
    arm = encrypted(study)
    for plain in (DIRECT, f"{DIRECT}-control"):
        assert "proxyCpuMsPerTransaction" not in study.rows[plain]
        assert study.last(plain).record["cpu"].get("proxy") is None
    trial, row = study.last(arm), study.rows[arm]
    tps = trial.record["result"]["tps"]
    cpu = readings.cpu(trial.record, "proxy")
    if cpu is None:
        assert "proxyCpuMsPerTransaction" not in row
        assert readings.has_caveat(study.report, "proxy")
        return
    assert cpu["limitCores"] == pytest.approx(0.15)
    assert cpu["cores"] == pytest.approx(trial.proxy_cores, rel=0.1)
    assert row["proxyCpuMsPerTransaction"] == pytest.approx(1000 * cpu["cores"] / tps, rel=1e-3)
    assert row["proxyCpuPercent"] == pytest.approx(100 * cpu["cores"] / 0.15, rel=1e-3)
    server = readings.cpu(trial.record, "database")
    known = [readings.cpu(study.last(one).record, "database") for one in study.rows]
    if server is None or None in known:
        # A figure that one arm of the only block lacks is left out for all of them.
        assert "databaseSideCpuMsPerTransaction" not in row
        assert readings.has_caveat(study.report, "database")
        return
    both = 1000 * (server["cores"] + cpu["cores"]) / tps
    assert row["databaseSideCpuMsPerTransaction"] == pytest.approx(both, rel=1e-3)


def test_the_report_says_what_is_encrypted_and_what_it_cost(study: Study) -> None:
    arm = encrypted(study)
    (one,) = study.report["encryptedColumns"]
    assert (one["mode"], one["algorithm"], one["ratio"]) == (arm, algorithm_of(study), 100)
    assert (one["share"], one["of"]) == (1.0, 8), "four columns of two tables"
    (group,) = study.report["groups"]
    (step,) = group["steps"]
    assert (step["before"], step["arm"]) == (DIRECT, arm)
    assert step["layers"] == ["hop", "encryption"]
    result = study.last(arm).record["result"]
    plain = geometric_mean(one.record["result"]["tps"] for one in study.behind(DIRECT))
    loss = 1 - result["tps"] / plain
    assert step["loss"]["estimate"] == pytest.approx(loss, abs=1e-4)
    (table,) = study.report["studies"]
    names = [column["name"] for column in table["columns"]]
    assert names[2:5] == ["threads", "plain_qps", "encrypted_qps"]
    assert table["rows"][0][4] == pytest.approx(result["qps"], rel=1e-3)
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
    assert not is_own() or any(b"confidential-proxy" in one for one in study.watch.processes)
    assert study.searched > 50
    assert study.leaked == []


def test_the_search_would_find_it(study: Study) -> None:
    key = study.keys[0]
    hidden = [key.upper().encode(), b"--mek=" + key.encode(), b"\x01" + bytes.fromhex(key)]
    found, _ = leaks(((f"{n}", content) for n, content in enumerate(hidden)), study.keys)
    assert found == ["0", "1", "2"]
