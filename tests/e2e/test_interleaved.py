"""An interleaved block of MySQL, its figures recomputed from the clients' own slices."""

import hashlib
import json
from itertools import pairwise
from math import sqrt
from statistics import geometric_mean
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import Bucket, bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "in-turns"
ARMS = ("plaintext", "plaintext-control", "tde")
ROUNDS, SLICE, SETTLE = 6, 2.0, 0.5

Trials = dict[str, tuple[dict[str, Any], dict[str, Any]]]
"""By arm: the trial's record and its client's slices."""


@pytest.fixture(scope="module")
def finished(installed: Kube) -> Any:
    """The campaign, run to its end."""
    interleave = {"slice": "2s", "settle": "500ms", "rounds": ROUNDS}
    blocks = {"min": 1, "maxReplacements": 1, "interleave": interleave}
    matrix = {"instanceRefs": ["mysql"], "modeRefs": ["tde"], "workloadRefs": ["read-write"]}
    installed.apply(
        manifests.mysql(), manifests.campaign(NAME, ["tde"], blocks=blocks, matrix=[matrix])
    )
    yield wait_for("the end of the campaign", lambda: ended(installed, NAME), 300)
    delete_campaign(installed, NAME)


@pytest.fixture(scope="module")
def trials(installed: Kube, finished: dict[str, Any]) -> Trials:
    """Every counted trial, its artefacts checked against their digests."""
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    found: Trials = {}
    with bucket(installed) as store:
        index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
        for entry in index["trials"]:
            if entry["outcome"] == "Succeeded":
                record = json.loads(_checked(store, entry["key"], entry["digest"]))
                found[record["spec"]["arm"]["name"]] = record, _slices(store, entry, record)
    return found


def _checked(store: Bucket, key: str, digest: str) -> bytes:
    content = store.get(key)
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == digest, key
    return content


def _slices(store: Bucket, entry: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    folder, name = entry["key"].rpartition("/")[0], "client-0/slices.json"
    file: dict[str, Any] = json.loads(
        _checked(store, f"{folder}/{name}", record["artefacts"][name])
    )
    return file


def test_every_arm_is_measured_in_one_block(finished: dict[str, Any], trials: Trials) -> None:
    facts = conditions(finished)
    assert facts["Complete"]["status"] == "True", facts
    assert set(trials) == set(ARMS)
    released = {record["releaseAt"] for record, _ in trials.values()}
    assert len(released) == 1, "the trials of a block start together"
    blocks = {record["spec"]["block"] for record, _ in trials.values()}
    assert len(blocks) == 1


def test_clients_ran_in_turns(trials: Trials) -> None:
    turns = sorted(
        (row["begin"], row["end"], arm)
        for arm, (_, file) in trials.items()
        for row in file["slices"]
    )
    assert len(turns) == ROUNDS * len(ARMS)
    for number in range(ROUNDS):
        part = turns[len(ARMS) * number : len(ARMS) * (number + 1)]
        assert {arm for _, _, arm in part} == set(ARMS)
    # A throttled client may stop a moment late; what others count begins after that.
    for (_, end, _), (begin, _, _) in pairwise(turns):
        assert end < begin + SETTLE


def test_figures_follow_from_the_slices(trials: Trials) -> None:
    for record, file in trials.values():
        rows = file["slices"]
        seconds = sum(row["end"] - row["counted"] for row in rows)
        assert seconds == pytest.approx(ROUNDS * (SLICE - SETTLE), rel=0.1)
        counted = sum(row["transactions"] for row in rows)
        assert record["transactions"] == counted > 0
        assert record["result"]["tps"] == pytest.approx(counted / seconds, rel=1e-4)
        client = sum(row["cpuSeconds"] for row in rows) / seconds
        assert record["cpu"]["client"]["cores"] == pytest.approx(client, rel=1e-4)
        timed = sum(count for _, _, count in file["latency"])
        assert timed + file["spanned"] == pytest.approx(counted, rel=0.1)


def test_the_server_s_cpu_is_known_in_every_slot(trials: Trials) -> None:
    for arm, (record, _) in trials.items():
        slices = record["slices"]
        used = [row["databaseCpuSeconds"] for row in slices["rows"]]
        assert all(value is not None and value > 0 for value in used), arm
        seconds = sum(row["seconds"] for row in slices["rows"])
        assert record["cpu"]["database"]["cores"] == pytest.approx(sum(used) / seconds, rel=1e-3)
        # A stopped client asks its server for nothing.
        own = {row["slot"] for row in slices["rows"]}
        others = [one for one in slices["server"] if one["slot"] not in own]
        stopped = sum(one["cpuSeconds"] for one in others) / sum(one["seconds"] for one in others)
        assert stopped < 0.5 * record["cpu"]["database"]["cores"], arm


def test_the_report_compares_the_arms(installed: Kube, trials: Trials) -> None:
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    rows = {row["arm"]: row for row in report["status"]["rows"]}
    tps = {arm: _overall_tps(trials[arm][1]) for arm in ARMS}
    both = sqrt(tps["plaintext"] * tps["plaintext-control"])
    for arm, wanted in (tps | {"plaintext": both}).items():
        assert rows[arm]["tps"] == pytest.approx(wanted, rel=1e-3)
    assert rows["tde"]["overhead"]["estimate"] == pytest.approx(1 - tps["tde"] / both, abs=1e-3)
    written = sum(row["writeBytes"] for row in trials["tde"][0]["slices"]["rows"]) / 1024
    counted = trials["tde"][0]["transactions"]
    assert rows["tde"]["diskWriteKibPerTransaction"] == pytest.approx(written / counted, rel=1e-2)
    verified(installed, NAME)


def _overall_tps(file: dict[str, Any]) -> float:
    """The geometric mean of its three batches of two rounds, each of which is a ratio of sums."""
    slices = file["slices"]
    return geometric_mean(
        sum(row["transactions"] for row in batch)
        / sum(row["end"] - row["counted"] for row in batch)
        for batch in zip(slices[::2], slices[1::2], strict=True)
    )
