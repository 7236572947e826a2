"""Encrypted columns under TPC-C, layer by layer, with every figure recomputed from raw objects.

Nothing of the operator's code is used here: the agent's evidence, the client's lines and the series
are read from the bucket, and what they show must be what records and report say.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, mean
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
from tests.e2e.test_tpcc import ENGINES, workload
from tests.support.install import NAMESPACE
from tests.support.kube import REPO, Kube, wait_for

# The shares, the driver and the digests are in the contract tests too; databases start one by one.
pytestmark = pytest.mark.full

NAME = rb"(?:BAR|OUGHT|ABLE|PRI|PRES|ESE|ANTI|CALLY|ATION|EING){3}"
"""A customer's last name: three of ten syllables (TPC-C, clause 4.3.2.3)."""
PUBLISHED = REPO / "tests" / "data" / "reference"
STUDIES = {
    "tpcc-tps-aes": "polardbx_tpcc_tps.csv",
    "client-cpu-aes": "polardbx_client_cpu.csv",
    "driver-cpu": "polardbx_driver_cpu.csv",
    "ratio-aes": "polardbx_ratio.csv",
}
"""Our tables and the published ones whose header they have."""
BASELINE = "proxy"
FEW = ("driver-swap", "columns-100")
ALL = ("driver-swap", "columns-20", "columns-50", "columns-100", "direct")
SHARES = {"columns-20": 20, "columns-50": 50, "columns-100": 100}
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "mariadb": ("mariadb", FEW),
    "mysql-all": ("mysql", ALL),
    "mariadb-all": ("mariadb", ALL),
}
TABLES = 10
"""With bmsql_config."""


@dataclass(frozen=True)
class Trial:
    """One archived trial with what lies beside its record."""

    record: dict[str, Any]
    output: str
    summary: dict[str, Any]
    proofs: dict[str, Any]
    metrics: dict[str, Any]

    @property
    def arm(self) -> str:
        name: str = self.record["spec"]["arm"]["name"]
        return name

    @property
    def tps(self) -> float:
        found = re.findall(r"Measured tpmTOTAL\s*=\s*([0-9.E,]+)", self.output, re.IGNORECASE)
        return float(found[-1].replace(",", "")) / 60

    @property
    def client_cores(self) -> float:
        cores: float = self.summary["cpuSeconds"] / self.summary["window"]["seconds"]
        return cores

    def columns(self, when: str) -> list[dict[str, Any]]:
        """What the agent saw of each table."""
        tables: list[dict[str, Any]] = self.proofs[when]["evidence"]["columns"]["tables"]
        return tables


@dataclass(frozen=True)
class Study:
    """A finished campaign with all that was seen of it."""

    treatments: tuple[str, ...]
    campaign: dict[str, Any]
    rows: dict[str, dict[str, Any]]
    report: dict[str, Any]
    tables: dict[str, str]
    """The studies' CSV files by their name."""
    index: dict[str, Any]
    trials: list[Trial]
    watch: Watch
    wire: Wire | None
    leaked: list[str]
    searched: int
    keys: list[str]

    def of(self, arm: str) -> list[Trial]:
        """The trials of an arm."""
        return [trial for trial in self.trials if trial.arm == arm]

    def heard(self, arm: str, port: int, pattern: bytes) -> int:
        """How often the database of an arm sent that from that port."""
        assert self.wire is not None
        (name,) = [one["name"] for one in self.index["testbeds"] if one["arm"] == arm]
        return sum(self.wire.of(a, port).count(pattern) for a in self.watch.addresses[name])


def modes() -> list[dict[str, Any]]:
    return [
        manifests.mode("direct"),
        mode(BASELINE, 0),
        mode("driver-swap", 0, driver=True),
        *(mode(name, ratio, driver=True) for name, ratio in SHARES.items()),
    ]


@pytest.fixture(scope="module", params=CASES)
def study(request: pytest.FixtureRequest, installed: Kube) -> Iterator[Study]:
    """One block of every arm, one database at a time, with an ear on the wire."""
    engine, treatments = CASES[request.param]
    name = f"columns-{request.param}"
    template = f"columns-{engine}"
    instance = manifests.instance(template, **{"settings": {}, **ENGINES[engine]})
    instance["spec"]["engine"] = engine
    campaign = manifests.campaign(
        name,
        list(treatments),
        baselineModeRef=BASELINE,
        blocks={"min": 1, "maxReplacements": 1},
        residency="OnDemand",
    )
    campaign["spec"]["matrix"][0] |= {
        "instanceRefs": [template],
        "workloadRefs": ["columns-tpcc"],
    }
    load = workload("columns-tpcc")
    load["spec"]["load"] = {"concurrency": [2], "warmup": "4s", "duration": "10s"}
    installed.apply(instance, *modes(), load, campaign)
    watch = Watch(installed, name)
    try:
        if OWN_CLUSTER:
            with Wire() as wire:
                body = _run(installed, watch, name)
        else:
            wire, body = None, _run(installed, watch, name)
        yield _study(installed, treatments, body, watch, wire)
    finally:
        delete_campaign(installed, name)


def _run(kube: Kube, watch: Watch, name: str) -> dict[str, Any]:
    over = watch.until(lambda: ended(kube, name))
    found: dict[str, Any] = wait_for("the end of the campaign", over, 1800)
    return found


def _study(
    kube: Kube,
    treatments: tuple[str, ...],
    body: dict[str, Any],
    watch: Watch,
    wire: Wire | None,
) -> Study:
    name = body["metadata"]["name"]
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None, conditions(body)
    artefacts = report["status"]["artefacts"]
    with bucket(kube) as store:
        index = json.loads(store.get(artefacts["index"]["key"]))
        prefix = index["storage"]["prefix"]
        trials = []
        for entry in index["trials"]:
            folder = entry["key"].rpartition("/")[0]
            record = json.loads(store.get(entry["key"]))
            if record["outcome"] != "Succeeded":
                continue
            trials.append(
                Trial(
                    record,
                    store.get(f"{folder}/client-0/output.log").decode(),
                    json.loads(store.get(f"{folder}/client-0/summary.json")),
                    json.loads(store.get(f"{folder}/proofs.json")),
                    json.loads(store.get(f"{folder}/metrics.json")),
                )
            )
        studies = [key for key in store.keys(f"{prefix}/report/") if "/study-" in key]
        tables = {
            Path(key).name.removeprefix("study-").removesuffix(".csv"): store.get(key).decode()
            for key in studies
        }
        whole = json.loads(store.get(artefacts["json"]["key"]))
        keys = sorted(watch.keys)
        leaked, searched = leaks(places(kube, watch, store, prefix), keys)
    return Study(
        treatments=treatments,
        campaign=body,
        rows={row["arm"]: row for row in report["status"]["rows"]},
        report=whole,
        tables=tables,
        index=index,
        trials=trials,
        watch=watch,
        wire=wire,
        leaked=leaked,
        searched=searched,
        keys=keys,
    )


def test_every_arm_is_measured_and_consistent(study: Study) -> None:
    facts = conditions(study.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert sorted(study.rows) == sorted([BASELINE, f"{BASELINE}-control", *study.treatments])
    for arm in study.rows:
        (trial,) = study.of(arm)[-1:]
        assert trial.tps > 0
        consistency = trial.record["consistency"]
        assert consistency["ok"], (arm, consistency["summary"])
        assert consistency["summary"].startswith("6 queries gave no row")


def test_the_rows_follow_from_the_raw_objects(study: Study) -> None:
    for arm, row in study.rows.items():
        own = study.of(arm)[-1:]
        tps = geometric_mean(trial.tps for trial in own)
        assert row["tps"] == pytest.approx(tps, rel=1e-3)
        cores = mean(trial.client_cores for trial in own)
        assert row["clientCpuCores"] == pytest.approx(cores, rel=0.01)
        assert row["clientCpuMsPerTransaction"] == pytest.approx(1000 * cores / tps, rel=0.01)
        if arm == "direct":
            assert "proxyCpuMsPerTransaction" not in row
            continue
        (trial,) = own
        proxy = trial.record["cpu"]["proxy"]
        assert row["proxyCpuMsPerTransaction"] == pytest.approx(
            1000 * proxy["cores"] / tps, rel=2e-3
        )
        window = trial.record["window"]
        samples = trial.metrics["series"]["proxy_cpu_seconds"]
        inside = [(t, v) for t, v in samples if window["start"] <= t <= window["end"]]
        (first, low), (last, high) = inside[0], inside[-1]
        assert proxy["cores"] == pytest.approx((high - low) / (last - first), rel=0.1)
        # The server's own CPU has no part of the proxy's, which its series would show.
        assert trial.record["cpu"]["database"]["limitCores"] == pytest.approx(0.3)


def test_each_arm_is_proven_to_be_what_it_says(study: Study) -> None:
    for trial in study.trials:
        for when in ("before", "after"):
            proof = trial.proofs[when]
            assert proof["ok"], (trial.arm, when, proof["summary"])
            if trial.arm == "direct":
                continue
            tables = trial.columns(when)
            assert len(tables) == TABLES
            assert [one for one in tables if one["wrong"]] == []
            sealed = sum(len(names) for one in tables for names in one["encrypted"].values())
            plain = sum(len(one["plain"]) for one in tables)
            share = SHARES.get(trial.arm, 0)
            assert (sealed > 0) == (share > 0), trial.arm
            assert (plain > 0) == (share < 100), trial.arm


def test_the_shares_grow_by_their_lists(study: Study) -> None:
    """What the agent found encrypted, what the report lists and what the file says are one."""
    text = (REPO / "operator/encbench/core/columns/tpcc.txt").read_text(encoding="utf-8")
    lines = [line.partition("#")[0].split() for line in text.splitlines()]
    classes = {name: int(ratio) for name, ratio in filter(None, lines)}
    listed = {one["mode"]: one for one in study.report["encryptedColumns"]}
    assert sorted(listed) == sorted(set(SHARES) & set(study.treatments))
    for arm, one in listed.items():
        wanted = {name for name, ratio in classes.items() if ratio <= SHARES[arm]}
        assert set(one["columns"]) == wanted
        assert one["share"] == pytest.approx(len(wanted) / len(classes))
        (trial,) = study.of(arm)[-1:]
        for table in trial.columns("before"):
            sealed = {f"{table['table']}.{n}" for own in table["encrypted"].values() for n in own}
            null = {f"{table['table']}.{name}" for name in table["null"]}
            own = {name for name in wanted if name.startswith(f"{table['table']}.")}
            assert sealed == (own - null if table["row"] else set()), (arm, table["table"])


def test_what_the_driver_reads_is_what_the_server_has(study: Study) -> None:
    """Digests that the client printed through its driver, and those of the agent's own session."""
    for trial in study.trials:
        if trial.arm == "direct":
            continue
        told = re.findall(r"^encbench-columns (\S+) (\S+)$", trial.output, re.MULTILINE)
        assert len(told) == 2 * TABLES, trial.arm
        agent: dict[str, set[str]] = {}
        for when in ("before", "after"):
            for one in trial.columns(when):
                agent.setdefault(one["table"], set()).add(one["digest"] or "absent")
        for table, digest in told:
            assert digest in agent[table], (trial.arm, table)


def test_names_are_on_the_wire_only_where_nothing_is_encrypted(study: Study) -> None:
    if study.wire is None:
        pytest.skip("the wire of somebody else's cluster is not ours to listen on")
    magic = MAGIC + ALGORITHMS["AES_128_GCM"]
    for arm in (BASELINE, "driver-swap"):
        assert study.heard(arm, PROXY, NAME) > 10, arm
        assert study.heard(arm, PROXY, MAGIC) == 0, arm
    assert study.heard("columns-100", PROXY, magic) > 100
    assert study.heard("columns-100", PROXY, NAME) == 0
    if "direct" in study.treatments:
        assert study.heard("direct", SERVER, NAME) > 10
        assert study.heard("direct", SERVER, MAGIC) == 0


def test_the_layers_are_told_apart(study: Study) -> None:
    (group,) = study.report["groups"]
    found = {step["arm"]: step for step in group["steps"]}
    wanted = {
        "driver-swap": (BASELINE, ["driver"]),
        **{arm: ("driver-swap", ["encryption"]) for arm in SHARES if arm in study.treatments},
    }
    if "direct" in study.treatments:
        wanted[BASELINE] = ("direct", ["hop"])
    assert {arm: (one["before"], one["layers"]) for arm, one in found.items()} == wanted
    tps = {trial.arm: trial.tps for trial in study.trials}
    for arm, step in found.items():
        loss = 1 - tps[arm] / tps[step["before"]]
        assert step["loss"]["estimate"] == pytest.approx(loss, abs=2e-3), arm


def test_the_tables_have_the_published_headers(study: Study) -> None:
    """And every computed column follows from the rows of the report."""
    assert sorted(study.tables) == sorted(STUDIES)
    rows: dict[str, list[dict[str, str]]] = {}
    for name, published in STUDIES.items():
        reader = csv.DictReader(io.StringIO(study.tables[name]))
        header = (PUBLISHED / published).read_text(encoding="utf-8").splitlines()[0]
        assert ",".join(reader.fieldnames or ()) == header
        rows[name] = list(reader)
    plain, full = study.rows[BASELINE], study.rows["columns-100"]
    (tps,) = rows["tpcc-tps-aes"]
    assert float(tps["plaintext_tps"]) == plain["tps"]
    assert float(tps["encrypted_100pct_tps"]) == full["tps"]
    assert float(tps["published_overhead_percent"]) == pytest.approx(
        100 * (1 - full["tps"] / plain["tps"]), abs=1e-3
    )
    (client,) = rows["client-cpu-aes"]
    assert float(client["client_cpu_before_percent"]) == plain["clientCpuPercent"]
    assert float(client["client_cpu_100pct_encrypted_percent"]) == full["clientCpuPercent"]
    swap = study.rows["driver-swap"]
    (driver,) = rows["driver-cpu"]
    assert float(driver["encjdbc_client_cpu_percent"]) == swap["clientCpuPercent"]
    assert float(driver["encjdbc_memory_mb"]) == swap["clientMemoryMib"]
    shares = [int(row["encrypted_columns_percent"]) for row in rows["ratio-aes"]]
    assert shares == [ratio for arm, ratio in SHARES.items() if arm in study.treatments]


def test_the_key_is_nowhere(study: Study) -> None:
    """In no log, command line, environment, status, event or object of the bucket."""
    behind = [arm for arm in study.rows if arm != "direct"]
    assert len(set(study.keys)) == len(behind), "each testbed has a key of its own"
    assert study.watch.logs
    assert study.searched > 50
    assert study.leaked == []
