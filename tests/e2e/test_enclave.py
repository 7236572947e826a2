"""Encrypted column types on a real cluster: figures from raw objects, files of stopped servers.

Nothing of the operator's code is used here. All of it belongs to `make test-full`: the databases of
one scenario, one at a time, take over three minutes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign
from tests.e2e.columns_study import Study, Trial, conducted
from tests.e2e.enclave import INSTANCE, StoppedServers, instance, mode, workload
from tests.support.install import is_own
from tests.support.kube import Kube

pytestmark = pytest.mark.full

SIMULATED = "SIMULATION of the boundary"
PLAIN = "plaintext"
CONTROL = f"{PLAIN}-control"


@dataclass(frozen=True)
class Scenario:
    """One of the study's: its modes, its workloads, and what the report calls its table."""

    modes: tuple[dict[str, Any], ...]
    workloads: tuple[dict[str, Any], ...]
    types: dict[str, str]
    tables: dict[str, str]
    """Label of the first row by the name of its table."""

    @property
    def arms(self) -> list[str]:
        return [one["metadata"]["name"] for one in self.modes]


ALL = {"id": "enc_int4", "k": "enc_int4", "c": "enc_text", "pad": "enc_text"}
BY_ID = (workload("by-id-point", "enclave_point"),)
BY_K = (
    workload("by-k-point", "enclave_point", lookup="k"),
    workload("by-k-range", "enclave_range", lookup="k"),
)
SCENARIOS = {
    "1": Scenario(
        (mode("enclave-75", 75),),
        BY_ID,
        {**ALL, "id": "integer"},
        {"enclave-enclave-75": "pk_plain_point"},
    ),
    "2": Scenario(
        (mode("enclave-100", 100),),
        (
            *BY_ID,
            workload("by-id-range", "enclave_range"),
            # By sysbench's usual distribution the threads would collide in the same few rows.
            workload("by-id-write", "enclave_write", **{"rand-type": "uniform"}),
        ),
        ALL,
        {"enclave-enclave-100": "all_columns_point"},
    ),
    "3": Scenario(
        (mode("enclave-100", 100), mode("enclave-batch", 100, index="PageBatch")),
        BY_K,
        ALL,
        {"enclave-by-k": "all_columns_by_k_point"},
    ),
}


@dataclass(frozen=True)
class Found:
    """A finished scenario."""

    scenario: Scenario
    study: Study
    stopped: StoppedServers


@pytest.fixture(scope="module", params=SCENARIOS)
def found(request: pytest.FixtureRequest, installed: Kube) -> Iterator[Found]:
    """The campaign of one block, run to its end; one database runs at a time."""
    scenario, name = SCENARIOS[request.param], f"enclave-{request.param}"
    names = [one["metadata"]["name"] for one in scenario.workloads]
    campaign = manifests.campaign(
        name, scenario.arms, blocks={"min": 1, "maxReplacements": 1}, residency="OnDemand"
    )
    campaign["spec"]["matrix"][0] |= {"instanceRefs": [INSTANCE], "workloadRefs": names}
    installed.apply(instance(), *scenario.modes, *scenario.workloads, campaign)
    stopped = StoppedServers(installed, name)
    try:
        study = conducted(installed, name, scenario.arms, 900, stopped.look)
        yield Found(scenario, study, stopped)
    finally:
        delete_campaign(installed, name)


def tps_of(trial: Trial) -> float:
    """TPS of the window as sysbench's own reports give it: of the last, less the warm-up's time."""
    times = [float(one) for one in re.findall(r"total time: +([0-9.]+)s", trial.output)]
    transactions = re.findall(r"transactions: +([0-9]+)", trial.output)
    assert len(times) == len(transactions) == 2, "a report at the checkpoint, and one at the end"
    return int(transactions[-1]) / (times[1] - times[0])


def test_no_trial_is_invalid_and_each_figure_is_the_raw_objects_own(found: Found) -> None:
    study = found.study
    facts = conditions(study.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert len(study.trials) == len(study.index["trials"]), "each of them succeeded"
    arms = [PLAIN, CONTROL, *found.scenario.arms]
    assert len(study.trials) == len(arms) * len(found.scenario.workloads)
    for trial in study.trials:
        measured = trial.record["result"]["tps"]
        assert measured == pytest.approx(tps_of(trial), rel=1e-3)
    for group in study.report["groups"]:
        rates = {
            trial.arm: tps_of(trial)
            for trial in study.trials
            if trial.record["spec"]["workloadRef"] == group["workload"]
        }
        for row in group["rows"]:
            # The baseline's row has the figures of both its arms.
            behind = (PLAIN, CONTROL) if row["arm"] == PLAIN else (row["arm"],)
            tps = geometric_mean(rates[arm] for arm in behind)
            assert row["tps"] == pytest.approx(tps, rel=1e-3)


def test_each_trial_is_proven_before_and_after(found: Found) -> None:
    for trial in found.study.trials:
        for when in ("before", "after"):
            proof = trial.proofs[when]
            assert proof["ok"], (trial.arm, when, proof["summary"])
            plugins = proof["evidence"]["catalogue"]["plugins"]
            if trial.arm in (PLAIN, CONTROL):
                assert plugins == {}
                assert "enclave" not in proof["evidence"]
                continue
            assert SIMULATED in proof["summary"]
            assert sorted(plugins) == ["enc_int4", "enc_text", "encbench_enclave"]
            seen = proof["evidence"]["enclave"]
            assert seen["types"].keys() == {"sbtest1", "sbtest2"}
            assert seen["types"] == {
                name: {**own, **found.scenario.types}
                for name, own in seen["types"].items()
                if name in ("sbtest1", "sbtest2")
            }
            costs = seen["calibration"]
            assert costs["transition"] == pytest.approx(8000, rel=0.05)
            assert costs["value"] == pytest.approx(1200, rel=0.05)
            digest = seen["row"]["digest"]
            printed = re.findall(r"^encbench-columns sbtest1 (\w+)$", trial.output, re.M)
            assert printed == [digest, digest]


def test_plaintext_is_in_the_files_of_plain_servers_alone(found: Found) -> None:
    """The volumes of stopped servers, read by this test itself."""
    if not is_own():
        pytest.skip("the volumes of somebody else's cluster are not ours to read")
    looked = found.stopped.found
    assert {*found.scenario.arms} <= looked.keys()
    assert looked.keys() & {PLAIN, CONTROL}
    for arm, contents in looked.items():
        assert contents.files > 500
        kinds = {path.split("/")[1] for path in contents.readable}
        if arm in (PLAIN, CONTROL):
            assert kinds >= {"base", "pg_wal"}, "the search finds what is there"
        else:
            assert contents.readable == frozenset(), arm
            assert any(path.startswith("data/base/") for path in contents.sealed)


def test_the_report_has_the_study_s_tables_and_says_what_is_simulated(found: Found) -> None:
    report = found.study.report
    tables = {one["name"]: one for one in report["studies"]}
    assert sorted(tables) == sorted(found.scenario.tables)
    for name, label in found.scenario.tables.items():
        table = tables[name]
        names = [column["name"] for column in table["columns"]]
        assert names[:4] == ["table", "threads", "disabled_ktps", "enabled_ktps"]
        assert table["rows"][0][:2] == [label, 2]
        assert SIMULATED in table["title"]
        for row in table["rows"]:
            if names[4] == "published_overhead_percent":
                assert row[4] == pytest.approx(100 * (1 - row[3] / row[2]), abs=0.01)
        assert name in found.study.tables
    titles = [caveat["title"] for caveat in report["caveats"] if caveat["weight"] == "serious"]
    assert SIMULATED in titles
    assert all(SIMULATED in one["text"] for one in report["headlines"])


def test_the_key_is_nowhere(found: Found) -> None:
    """In no log, command line, environment, status, event or object of the bucket."""
    study = found.study
    assert len(set(study.keys)) == len(study.keys) >= len(found.scenario.arms)
    assert all(len(bytes.fromhex(key)) == 16 for key in study.keys)
    assert study.watch.logs
    assert not is_own() or any(b"--key-file=" in one for one in study.watch.processes)
    assert study.searched > 50
    assert study.leaked == []
