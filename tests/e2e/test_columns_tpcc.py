"""Encrypted columns under TPC-C, layer by layer, with every figure recomputed from raw objects.

Nothing of the operator's code is used here: the agent's evidence, the client's lines and the series
are read from the bucket, and what they show must be what records and report say.
"""

import csv
import io
import re
from collections.abc import Iterator
from statistics import geometric_mean, mean
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign
from tests.e2e.columns import ALGORITHMS, MAGIC, PROXY, SERVER, mode
from tests.e2e.columns_study import Study, Trial, conducted
from tests.e2e.tpcc import ENGINES, SMALL, workload
from tests.support.kube import REPO, Kube

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
MORE = {"ratio-aes": ["plaintext_tps"]}
"""Columns of ours that the published table lacks: what its overhead is reckoned from."""
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
    instance = manifests.instance(template, **ENGINES[engine])
    campaign = manifests.campaign(
        name,
        list(treatments),
        baselineModeRef=BASELINE,
        blocks={"min": 1, "maxReplacements": 1},
        residency="OnDemand",
    )
    campaign["spec"]["matrix"][0] |= {"instanceRefs": [template], "workloadRefs": ["columns-tpcc"]}
    load = workload("columns-tpcc")
    load["spec"]["load"] = {"concurrency": [2], "warmup": "4s", "duration": "10s"}
    installed.apply(instance, *modes(), load, campaign)
    try:
        yield conducted(installed, name, treatments, 1800)
    finally:
        delete_campaign(installed, name)


def measured_tps(trial: Trial) -> float:
    """By the last line in which the client says what it measured."""
    found = re.findall(r"Measured tpmTOTAL\s*=\s*([0-9.E,]+)", trial.output, re.IGNORECASE)
    return float(found[-1].replace(",", "")) / 60


def test_every_arm_is_measured_and_consistent(study: Study) -> None:
    facts = conditions(study.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert sorted(study.rows) == sorted([BASELINE, f"{BASELINE}-control", *study.treatments])
    for arm in study.rows:
        trial = study.last(arm)
        assert measured_tps(trial) > 0
        consistency = trial.record["consistency"]
        assert consistency["ok"], (arm, consistency["summary"])
        assert consistency["summary"].startswith("6 queries gave no row")


def test_prometheus_gave_the_proxy_s_cpu_of_a_trial(study: Study) -> None:
    """A busy machine may make it too late for some of them, but not for all."""
    through = [one for arm in study.rows if arm != "direct" for one in study.behind(arm)]
    assert any(readings.cpu(one.record, "proxy") for one in through)


def test_the_rows_follow_from_the_raw_objects(study: Study) -> None:
    server = float(SMALL["resources"]["cpu"].removesuffix("m")) / 1000
    for arm, row in study.rows.items():
        behind = study.behind(arm)
        tps, cores = [measured_tps(one) for one in behind], [one.client_cores for one in behind]
        assert row["tps"] == pytest.approx(geometric_mean(tps), rel=1e-3)
        assert row["clientCpuCores"] == pytest.approx(mean(cores), rel=0.01)
        client = geometric_mean(1000 * c / t for c, t in zip(cores, tps, strict=True))
        assert row["clientCpuMsPerTransaction"] == pytest.approx(client, rel=0.01)
        if arm == "direct":
            assert "proxyCpuMsPerTransaction" not in row
            continue
        # With one block, an arm that lacks the figure does not take it from the others.
        found = [(one, readings.cpu(one.record, "proxy")) for one in behind]
        known = [(one, cpu["cores"]) for one, cpu in found if cpu]
        if len(known) < len(behind):
            assert readings.has_caveat(study.report, "proxy")
        if not known:
            assert "proxyCpuMsPerTransaction" not in row
            continue
        proxy = geometric_mean(1000 * cores / measured_tps(one) for one, cores in known)
        assert row["proxyCpuMsPerTransaction"] == pytest.approx(proxy, rel=2e-3)
        for trial, used in known:
            assert used == pytest.approx(trial.proxy_cores, rel=0.1)
            # The server's own CPU has no part of the proxy's, which its series would show.
            if (cpu := readings.cpu(trial.record, "database")) is None:
                assert readings.has_caveat(study.report, "database")
            else:
                assert cpu["limitCores"] == pytest.approx(server)


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
        trial = study.last(arm)
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
    tps = {arm: geometric_mean(map(measured_tps, study.behind(arm))) for arm in study.rows}
    for arm, step in found.items():
        loss = 1 - tps[arm] / tps[step["before"]]
        assert step["loss"]["estimate"] == pytest.approx(loss, abs=2e-3), arm


def test_the_tables_have_the_published_headers(study: Study) -> None:
    """And every computed column follows from the rows of the report."""
    assert sorted(study.tables) == sorted(STUDIES)
    rows: dict[str, list[dict[str, str]]] = {}
    for name, published in STUDIES.items():
        reader = csv.DictReader(io.StringIO(study.tables[name]))
        header = (PUBLISHED / published).read_text(encoding="utf-8").splitlines()[0].split(",")
        own = list(reader.fieldnames or ())
        assert [column for column in own if column in header] == header
        assert [column for column in own if column not in header] == MORE.get(name, [])
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
    assert {float(row["plaintext_tps"]) for row in rows["ratio-aes"]} == {plain["tps"]}
    shares = [int(row["encrypted_columns_percent"]) for row in rows["ratio-aes"]]
    assert shares == [ratio for arm, ratio in SHARES.items() if arm in study.treatments]


def test_the_key_is_nowhere(study: Study) -> None:
    """In no log, command line, environment, status, event or object of the bucket."""
    behind = [arm for arm in study.rows if arm != "direct"]
    assert len(set(study.keys)) == len(behind), "each testbed has a key of its own"
    assert study.watch.logs
    assert study.searched > 50
    assert study.leaked == []
