"""A small campaign from `kubectl apply` to the report, and every number recomputed from raw logs.

Nothing of the operator's code is used here: the log lines are read anew, the formulas are written
down again, and both must give what the report says.
"""

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.e2e.hidden import HIDDEN, INSTALLATION, OTHER, Hidden
from tests.e2e.readings import Records
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

BLOCKS = 2
SECONDS = 9
"""Of a window. The CPU of windows of six seconds was withheld whenever a scrape came late."""
ARMS = ("plaintext", "plaintext-control", "tde")
T_975_1_DEGREE = 12.706204736
"""97.5th percentile of Student's t with one degree of freedom, from a printed table."""


@pytest.fixture(scope="module")
def hidden(installed: Kube) -> Hidden:
    """What the campaign keeps secret, and what it shows while it runs."""
    return Hidden(installed, "numbers")


@pytest.fixture(scope="module")
def finished(installed: Kube, hidden: Hidden) -> dict[str, Any]:
    """The campaign, run to its end."""
    longer = manifests.workload("longer", load={"duration": f"{SECONDS}s"})
    campaign = manifests.campaign("numbers", ["tde"], blocks={"min": BLOCKS})
    campaign["spec"]["matrix"][0]["workloadRefs"] = ["longer"]
    installed.apply(longer, campaign)
    over = hidden.until(lambda: ended(installed, "numbers"))
    body: dict[str, Any] = wait_for("the end of the campaign", over, 400, every=2.0)
    return body


@pytest.fixture(scope="module")
def report(installed: Kube, finished: dict[str, Any]) -> dict[str, Any]:
    """The OverheadReport's status."""
    body = installed.get("overheadreport", "numbers", NAMESPACE)
    assert body is not None
    status: dict[str, Any] = body["status"]
    return status


@pytest.fixture(scope="module")
def records(installed: Kube, report: dict[str, Any]) -> Records:
    """Every trial's record with its raw artefacts, every digest checked."""
    return readings.records(installed, report)


def test_the_campaign_completes_with_every_trial_succeeded(
    installed: Kube, finished: dict[str, Any]
) -> None:
    assert conditions(finished)["Complete"]["status"] == "True"
    progress = finished["status"]["progress"]
    planned = BLOCKS * len(ARMS)
    assert (progress["planned"], progress["succeeded"]) == (planned, planned)
    trials = installed.list("trials", NAMESPACE, "encbench.io/campaign=numbers")
    places = sorted((t["spec"]["block"], t["spec"]["arm"]["name"]) for t in trials)
    assert places == [(block, arm) for block in (1, 2) for arm in ARMS]
    assert {t["status"]["phase"] for t in trials} == {"Succeeded"}
    assert not installed.list("jobs", NAMESPACE, "encbench.io/campaign=numbers")


def test_the_trials_ran_one_after_the_other(records: Records) -> None:
    windows = sorted((r["window"]["start"], r["window"]["end"]) for r, _ in records)
    for (_, end), (start, _) in pairwise(windows):
        assert start > end


def _by_arm(records: Records, arm: str) -> Records:
    own = [(r, raw) for r, raw in records if r["spec"]["arm"]["name"] == arm]
    return sorted(own, key=lambda entry: int(entry[0]["spec"]["block"]))


def _logs(records: Records, arm: str) -> list[dict[str, float]]:
    return [
        readings.figures(raw["client-0/output.log"].decode()) for _, raw in _by_arm(records, arm)
    ]


def _costs(tps: list[list[float]]) -> list[float]:
    """ln(TDE / baseline) of each block, the baseline being both its arms; TPS in order of ARMS."""
    blocks = zip(*tps, strict=True)
    return [math.log(tde) - (math.log(a) + math.log(control)) / 2 for a, control, tde in blocks]


def _rows_arms(arm: str) -> tuple[str, ...]:
    """Whose figures a row shows: the baseline's are those of both its arms."""
    return ARMS[:2] if arm == ARMS[0] else (arm,)


def _row(report: dict[str, Any], arm: str) -> dict[str, Any]:
    (row,) = [row for row in report["rows"] if row["arm"] == arm]
    found: dict[str, Any] = row
    return found


@pytest.mark.parametrize("arm", ARMS)
def test_tps_and_latency_follow_from_the_raw_logs(
    report: dict[str, Any], records: Records, arm: str
) -> None:
    logs = [figures for one in _rows_arms(arm) for figures in _logs(records, one)]
    row = _row(report, arm)
    assert row["blocks"] == BLOCKS
    assert row["tps"] == pytest.approx(readings.geometric([f["tps"] for f in logs]), rel=0.005)
    assert row["qps"] == pytest.approx(readings.geometric([f["qps"] for f in logs]), rel=0.005)
    average = readings.geometric([f["average"] for f in logs])
    assert row["latencyAverageMs"] == pytest.approx(average, rel=0.01)
    p95 = readings.geometric([f["p95"] for f in logs])
    # sysbench prints the middle of a bucket of its histogram, and those are 1.8 % wide.
    assert row["latencyP95Ms"] == pytest.approx(p95, rel=0.01)


def test_prometheus_gave_the_cpu_of_a_trial(records: Records) -> None:
    """A busy machine may make it too late for some of them, but not for all."""
    known = [(cpu, raw) for r, raw in records if (cpu := readings.cpu(r, "database"))]
    assert known, [record["cpu"]["withheld"] for record, _ in records]
    for cpu, raw in known:
        assert cpu["cores"] == pytest.approx(readings.cores(raw), rel=1e-3)
        assert cpu["limitCores"] == pytest.approx(0.35)


@pytest.mark.parametrize("arm", ARMS)
def test_cpu_follows_from_the_raw_samples(
    report: dict[str, Any], records: Records, arm: str
) -> None:
    own = [entry for one in _rows_arms(arm) for entry in _by_arm(records, one)]
    row = _row(report, arm)
    summaries = [json.loads(raw["client-0/summary.json"]) for _, raw in own]
    client = mean(s["cpuSeconds"] / s["window"]["seconds"] / s["cpuLimitCores"] for s in summaries)
    assert row["clientCpuPercent"] == pytest.approx(client * 100, rel=0.01)
    # A block in which one arm lacks it is left out for all of them.
    lacking = {r["spec"]["block"] for r, _ in records if not readings.cpu(r, "database")}
    assert readings.has_caveat(report, "database") is bool(lacking)
    counted = [(r, raw) for r, raw in own if r["spec"]["block"] not in lacking]
    if not counted:
        assert "databaseCpuPercent" not in row
        assert "databaseCpuMsPerTransaction" not in row
        return
    cores = [readings.cores(raw) for _, raw in counted]
    assert row["databaseCpuPercent"] == pytest.approx(mean(c / 0.35 * 100 for c in cores), rel=0.01)
    logs = [readings.figures(raw["client-0/output.log"].decode()) for _, raw in counted]
    milliseconds = [1000 * c / f["tps"] for c, f in zip(cores, logs, strict=True)]
    per_transaction = readings.geometric(milliseconds)
    assert row["databaseCpuMsPerTransaction"] == pytest.approx(per_transaction, rel=0.01)


def test_the_overhead_and_its_interval_follow_from_the_raw_logs(
    report: dict[str, Any], records: Records
) -> None:
    row = _row(report, "tde")["overhead"]
    logged = _costs([[f["tps"] for f in _logs(records, arm)] for arm in ARMS])
    assert row["estimate"] == pytest.approx(1 - math.exp(mean(logged)), abs=0.005)
    # Bounds on two blocks magnify what the rounded times in the logs leave out.
    d = _costs([[r["result"]["tps"] for r, _ in _by_arm(records, arm)] for arm in ARMS])
    half = T_975_1_DEGREE * stdev(d) / math.sqrt(BLOCKS)
    assert row["estimate"] == pytest.approx(1 - math.exp(mean(d)), rel=1e-3, abs=2e-5)
    # They magnify also that a report has six digits of TPS.
    assert row["low"] == pytest.approx(1 - math.exp(mean(d) + half), rel=1e-3, abs=2e-4)
    assert row["high"] == pytest.approx(1 - math.exp(mean(d) - half), rel=1e-3, abs=2e-4)
    assert not any("overhead" in _row(report, arm) for arm in _rows_arms("plaintext"))


def test_every_trial_was_measured_for_its_declared_time(records: Records) -> None:
    for record, raw in records:
        window = record["window"]
        assert window["end"] - window["start"] == pytest.approx(SECONDS, abs=0.7)
        figures = readings.figures(raw["client-0/output.log"].decode())
        assert record["transactions"] == figures["transactions"] > 0


def test_the_mode_was_proven_before_and_after_each_trial_and_once_in_full(
    installed: Kube, report: dict[str, Any], records: Records
) -> None:
    for record, raw in records:
        proofs = json.loads(raw["proofs.json"])
        encrypted = record["spec"]["arm"]["name"] == "tde"
        for when in ("before", "after"):
            proof = proofs[when]
            assert proof["ok"], proof["summary"]
            table = [f for f in proof["evidence"]["files"] if f["kind"] == "table"]
            assert table, "the marker's own file was read"
            assert all(f["found"] is not encrypted for f in table)
    with bucket(installed) as store:
        index = json.loads(readings.checked(store, report["artefacts"]["index"]))
        assert sorted(one["arm"] for one in index["testbeds"]) == sorted(ARMS)
        for testbed in index["testbeds"]:
            full = json.loads(readings.checked(store, testbed["proof"]))["proof"]
            assert full["ok"], full["summary"]
            found = {f["kind"] for f in full["evidence"]["files"] if f["found"]}
            assert {"table", "redo", "binlog"} <= {f["kind"] for f in full["evidence"]["files"]}
            if testbed["arm"] == "tde":
                assert found <= {"aria-log"}
            else:
                assert {"table", "redo", "binlog"} <= found


def test_the_renderings_are_in_the_bucket_and_agree(
    installed: Kube, report: dict[str, Any]
) -> None:
    with bucket(installed) as store:
        rendered = {
            name: readings.checked(store, report["artefacts"][name]).decode()
            for name in ("html", "markdown", "csv", "json")
        }
    whole = json.loads(rendered["json"])
    rows = [row for group in whole["groups"] for row in group["rows"]]
    assert rows == report["rows"]
    assert "<svg" in rendered["html"]
    assert re.search(r'(src|href)="https?://', rendered["html"]) is None
    tps = _row(report, "tde")["tps"]
    shown = [f">{tps:,.{decimals}f}<" for decimals in ((0, 1) if tps >= 100 else (1, 2))]
    assert any(one in rendered["html"] for one in shown), "decimals follow its largest rate"
    assert rendered["csv"].count("\n") >= len(rows)
    assert "loss = 1 − tde/plain" in rendered["markdown"], "the formula stands in the column's head"


def test_the_answer_is_told_by_kubectl(
    installed: Kube, report: dict[str, Any], records: Records
) -> None:
    table = installed.kubectl("get", "overheadreports", "-n", NAMESPACE)
    assert report["verdict"] in table
    assert report["headline"]
    beside = any(c["node"] == r["databaseNode"] for r, _ in records for c in r["clients"])
    assert report.get("colocated", False) is beside
    for kind in ("campaigns", "trials", "encbench"):
        assert "numbers" in installed.kubectl("get", kind, "-n", NAMESPACE)


def test_no_password_is_anywhere_but_in_its_secret(
    installed: Kube, report: dict[str, Any], hidden: Hidden
) -> None:
    hidden.keep(INSTALLATION)
    assert set(hidden.entries) == HIDDEN | OTHER
    components = {
        pod["metadata"]["labels"]["app.kubernetes.io/component"] for pod in hidden.pods.values()
    }
    assert components >= {"database", "load", "client", "operator", "minio"}
    for said in ("/server] ", "/operator] "):
        assert any(said in line for line in hidden.lines), said
    with bucket(installed) as store:
        index = json.loads(readings.checked(store, report["artefacts"]["index"]))
        places = list(hidden.places(store, index["storage"]["prefix"]))
    assert hidden.leaks(places) == []
    # And it would find each of them.
    for entry in sorted(HIDDEN):
        for value in hidden.entries[entry]:
            assert f"{entry} in a log" in hidden.leaks([("a log", b"--is=" + value)])


def test_the_plugin_prints_the_report(installed: Kube, finished: dict[str, Any]) -> None:
    code, said = installed.asked("report", "numbers", f"--namespace={NAMESPACE}")
    assert code == 0, said
    assert "tde" in said


def test_the_plugin_finds_what_was_altered_in_the_bucket(
    installed: Kube, report: dict[str, Any], tmp_path: Path
) -> None:
    verified(installed, "numbers")
    with bucket(installed, "operator") as store:
        index = json.loads(readings.checked(store, report["artefacts"]["index"]))
        prefix = index["storage"]["prefix"]
        keys = store.keys(f"{prefix}/")
        for key in keys:
            path = tmp_path / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(store.get(key))
        log = next(key for key in keys if key.endswith("client-0/output.log"))
        content = store.get(log)
        store.put(log, content.replace(b"transactions:", b"transactions: 1"))
        try:
            code, said = installed.asked("verify", "numbers", f"--namespace={NAMESPACE}")
        finally:
            store.put(log, content)
    assert code == 1, said
    assert re.search(rf"altered +{re.escape(log)}", said), said
    # A copy says the same, away from the cluster.
    code, said = installed.asked("verify", str(tmp_path / prefix))
    assert code == 0, said
    (tmp_path / log).unlink()
    code, said = installed.asked("verify", str(tmp_path / prefix))
    assert code == 1, said
    assert re.search(rf"lost +{re.escape(log)}", said), said


@pytest.fixture(scope="module", autouse=True)
def _remove(installed: Kube) -> Any:
    yield
    delete_campaign(installed, "numbers")
