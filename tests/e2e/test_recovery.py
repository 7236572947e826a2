"""Crashes under write load on a real cluster: the figure recomputed, and each crash proven anew.

Nothing of the operator's judgement is used here: what was measured is read from the raw objects in
the bucket, and the kubelet says how often the server's container was started.
"""

import json
import math
import re
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, conditions, delete_campaign, ended, verified
from tests.e2e.refusals import refused
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

# Eighteen servers that are started on restored data, crashed and awaited.
pytestmark = pytest.mark.full

NAME, WORKLOAD = "recovery", "crash"
BLOCKS = 6
ARMS = ("plaintext", "plaintext-control", "tde")
WARMUP, DURATION = 1, 4
STUDENT = 2.570582
"""97.5 % quantile with five degrees of freedom, from a table."""


def crashing(**fields: Any) -> dict[str, Any]:
    """Writes at a rate that both arms keep up with, until the server is killed."""
    return manifests.workload(
        WORKLOAD,
        # As the shipped campaign.
        sysbench={"script": "oltp_write_only", "options": {"rand-type": "uniform"}},
        load={"concurrency": [4], "warmup": f"{WARMUP}s", "duration": f"{DURATION}s", "rate": 40},
        recovery={"stop": "Crash"},
        # On a slow machine two of 160 transactions meet a deadlock, which is 1.3 %.
        maxErrorRate=0.05,
        **fields,
    )


@pytest.fixture(scope="module")
def starts() -> dict[str, set[tuple[int, int]]]:
    """By database pod (its UID): restarts of the server's container and of all others, as seen."""
    return {}


@pytest.fixture(scope="module")
def finished(installed: Kube, starts: dict[str, set[tuple[int, int]]]) -> Any:
    """The campaign, run to its end."""
    installed.apply(crashing())
    matrix = [{"instanceRefs": ["mariadb"], "modeRefs": ["tde"], "workloadRefs": [WORKLOAD]}]
    blocks = {"min": BLOCKS, "maxReplacements": 2}
    campaign = manifests.campaign(NAME, ["tde"], matrix=matrix, blocks=blocks, reset="trial")
    installed.apply(campaign)

    def look() -> dict[str, Any] | None:
        for pod in installed.list("pods", NAMESPACE, f"encbench.io/campaign={NAME}"):
            if pod["metadata"]["labels"].get("app.kubernetes.io/component") != "database":
                continue
            told = (pod.get("status") or {}).get("containerStatuses") or []
            counts = {entry["name"]: entry["restartCount"] for entry in told}
            if "server" in counts:
                others = sum(counts.values()) - counts["server"]
                own = starts.setdefault(pod["metadata"]["uid"], set())
                own.add((counts["server"], others))
        return ended(installed, NAME)

    yield wait_for("the end of the campaign", look, 1500)
    delete_campaign(installed, NAME)


@pytest.fixture(scope="module")
def stored(installed: Kube, finished: dict[str, Any]) -> dict[str, Any]:
    """The report's rows, and of each trial its record and raw objects."""
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    artefacts = report["status"]["artefacts"]
    with bucket(installed) as store:
        index = json.loads(store.get(artefacts["index"]["key"]))
        trials = []
        for entry in index["trials"]:
            folder = entry["key"].rsplit("/", 1)[0]
            trials.append(
                {
                    "record": json.loads(store.get(entry["key"])),
                    "recovery": json.loads(store.get(f"{folder}/recovery.json")),
                    "output": store.get(f"{folder}/client-0/output.log").decode(),
                }
            )
        texts = {name: store.get(artefacts[name]["key"]).decode() for name in ("markdown", "csv")}
    return {"rows": report["status"]["rows"], "trials": trials, **texts}


def succeeded(stored: dict[str, Any]) -> list[dict[str, Any]]:
    return [t for t in stored["trials"] if t["record"]["outcome"] == "Succeeded"]


def test_it_comes_to_its_end(
    installed: Kube, finished: dict[str, Any], stored: dict[str, Any]
) -> None:
    facts = conditions(finished)
    assert facts.get("Complete", {}).get("status") == "True", facts
    ends = [(t["record"]["outcome"], t["record"].get("reason")) for t in stored["trials"]]
    assert ends.count(("Succeeded", None)) >= BLOCKS * len(ARMS), ends
    verified(installed, NAME)


def test_in_every_trial_a_crash_really_happened(stored: dict[str, Any]) -> None:
    for trial in succeeded(stored):
        agent, log = trial["recovery"]["agent"], trial["recovery"]["log"]
        name = trial["record"]["trial"]["name"]
        assert agent["signal"] == "SIGKILL"
        old, new = agent["before"], agent["after"]
        assert new["processId"] != old["processId"], name
        # The kernel tells its own start in whole seconds, and a process' start from there.
        assert new["startedAt"] > agent["stoppedAt"] - 1 > old["startedAt"], name
        assert agent["restartSeconds"] >= 0, name
        # The log is the new process' own, and says what it did.
        assert re.search(rf"as process {new['processId']}\b", log[0]), log[0]
        assert any("InnoDB: Starting crash recovery from checkpoint LSN" in line for line in log)


def test_each_server_was_restarted_once_and_nothing_else_was(
    stored: dict[str, Any], starts: dict[str, set[tuple[int, int]]]
) -> None:
    seen = set().union(*starts.values())
    assert max(server for server, _ in seen) == 1, seen
    assert {others for _, others in seen} == {0}, seen
    crashed = [pod for pod, counts in starts.items() if (1, 0) in counts]
    assert len(crashed) >= BLOCKS, "looks are seldom, and some pods are missed"


def test_the_load_was_running_when_the_server_was_killed(stored: dict[str, Any]) -> None:
    for trial in succeeded(stored):
        record, agent = trial["record"], trial["recovery"]["agent"]
        planned = record["releaseAt"] + WARMUP + DURATION
        assert agent["stoppedAt"] == pytest.approx(planned, abs=2.5)
        assert "FATAL:" in trial["output"], "the client was cut off"
        assert trial["output"].count("SQL statistics:") == 1, "the checkpoint's, and no final one"
        assert agent["redoBytes"] > 0
        # What a busy machine delays is caught up later, so that a window may have more than 40.
        assert 0.65 * 40 <= record["result"]["tps"] <= 2 * 40


def test_the_mode_was_proven_before_and_after(stored: dict[str, Any]) -> None:
    for trial in succeeded(stored):
        proofs = trial["record"]["proofs"]
        assert proofs["before"]["ok"]
        assert proofs["after"]["ok"]


def test_the_row_is_recomputed_from_the_raw_objects(stored: dict[str, Any]) -> None:
    blocks: dict[int, dict[str, float]] = {}
    for trial in succeeded(stored):
        spec, agent = trial["record"]["spec"], trial["recovery"]["agent"]
        blocks.setdefault(spec["block"], {})[spec["arm"]["name"]] = agent["recoverySeconds"]
    whole = [arms for arms in blocks.values() if len(arms) == len(ARMS)]
    assert len(whole) == BLOCKS
    rows = {row["arm"]: row for row in stored["rows"]}
    for own in whole:
        # The baseline's row is of both its arms, with which the others are compared.
        own["plaintext"] = math.sqrt(own["plaintext"] * own["plaintext-control"])
    for arm in ARMS:
        mean = math.exp(sum(math.log(own[arm]) for own in whole) / BLOCKS)
        assert rows[arm]["recoverySeconds"] == pytest.approx(mean, rel=1e-4)
        assert 0.01 < mean < 60
        assert rows[arm]["blocks"] == BLOCKS
        assert "overhead" not in rows[arm], "TPS is not what was asked"
    logs = [math.log(own["tde"] / own["plaintext"]) for own in whole]
    mean = sum(logs) / BLOCKS
    spread = math.sqrt(sum((one - mean) ** 2 for one in logs) / (BLOCKS - 1))
    half = STUDENT * spread / math.sqrt(BLOCKS)
    found = rows["tde"]["recoveryOverhead"]
    assert found["estimate"] == pytest.approx(math.exp(mean) - 1, abs=1e-4)
    assert found["low"] == pytest.approx(math.exp(mean - half) - 1, abs=1e-3)
    assert found["high"] == pytest.approx(math.exp(mean + half) - 1, abs=1e-3)
    assert "recoveryOverhead" not in rows["plaintext-control"]
    assert rows["tde"]["verdict"] in ("Overhead", "Equivalent", "Inconclusive")
    assert rows["plaintext-control"]["verdict"] == "NoiseFloor"


def test_people_read_seconds(stored: dict[str, Any]) -> None:
    assert "start to first answer, s" in stored["markdown"]
    assert "increase = tde/plaintext − 1" in stored["markdown"]
    header, *lines = stored["csv"].splitlines()
    place = header.split(",").index("recovery_seconds_geometric_mean")
    assert all(float(line.split(",")[place]) > 0 for line in lines)


def test_without_a_reset_for_each_trial_it_is_refused(installed: Kube, start: Start) -> None:
    installed.apply(crashing())
    matrix = [{"instanceRefs": ["mariadb"], "modeRefs": ["tde"], "workloadRefs": [WORKLOAD]}]
    name = start(manifests.campaign("recovery-refused", ["tde"], matrix=matrix))
    assert "write reset: trial" in refused(installed, name)
