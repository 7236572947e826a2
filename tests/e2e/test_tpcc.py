"""TPC-C on each engine, from `kubectl apply` to the report, and every figure counted again.

Nothing of the operator's code is used here: the database is asked in its own pod, the client's
lines are read anew, and both must give what records and report say.
"""

import json
import re
import textwrap
import time
from dataclasses import dataclass
from statistics import geometric_mean, mean
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import Bucket, bucket
from tests.e2e.campaigns import Start, conditions, delete_campaign, ended, trials, verified
from tests.e2e.refusals import refused
from tests.e2e.tpcc import DURATION, ENGINES, campaign, instance, workload
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, Kube, wait_for
from tests.support.subset import first_of

LOADED_ORDERS = LOADED_HISTORY = 30_000
"""Rows of one warehouse as TPC-C wants it loaded (clause 4.3.3.1)."""
WEIGHTS = {"newOrder": 45, "payment": 43, "orderStatus": 4, "delivery": 4, "stockLevel": 4}

COUNT = textwrap.dedent("""
    import os
    socket, password = os.environ["ENCBENCH_SOCKET"], open(
        os.environ["ENCBENCH_CREDENTIALS"] + "/agent-password").read().strip()
    if os.environ["ENCBENCH_ENGINE"] == "postgresql":
        import pg8000.dbapi
        session = pg8000.dbapi.connect(
            "encbench_agent", unix_sock=socket, database="sbtest", password=password,
            ssl_context=False)
        schema = ""
    else:
        import pymysql
        session = pymysql.connect(
            unix_socket=socket, user="encbench_agent", password=password, ssl_disabled=True)
        schema = "sbtest."
    cursor = session.cursor()
    for table in ("bmsql_oorder", "bmsql_history"):
        cursor.execute("SELECT COUNT(*) FROM " + schema + table)
        print(cursor.fetchone()[0])
""")
"""Asks the database by the agent's own credentials, which are in files of its container."""

KILL = textwrap.dedent("""
    import os, signal
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if open("/proc/" + pid + "/comm").read().strip() in ("mariadbd", "mysqld", "postgres"):
            os.kill(int(pid), signal.SIGKILL)
""")


def in_agent(kube: Kube, testbed: str, script: str) -> str:
    """What a script prints in the agent's container."""
    pod = [f"{testbed}-0", f"--namespace={NAMESPACE}", "--container=agent"]
    return kube.kubectl("exec", *pod, "--", "python3", "-c", script)


@dataclass(frozen=True)
class Trial:
    """One archived trial with what its client left."""

    record: dict[str, Any]
    output: str
    summary: dict[str, Any]

    @property
    def types(self) -> dict[str, dict[str, Any]]:
        """The client's figures of each kind of transaction."""
        return {event["type"]: event for event in _events(self.output) if event["event"] == "type"}


def _events(output: str) -> list[dict[str, Any]]:
    mark = "encbench-tpcc "
    lines = (line for line in output.splitlines() if line.startswith(mark))
    return [json.loads(line[len(mark) :]) for line in lines]


def _trial(store: Bucket, key: str) -> Trial:
    folder = key.rpartition("/")[0]
    return Trial(
        json.loads(store.get(key)),
        store.get(f"{folder}/client-0/output.log").decode(),
        json.loads(store.get(f"{folder}/client-0/summary.json")),
    )


@dataclass(frozen=True)
class Study:
    """A finished campaign, and what its databases held in the middle of it."""

    campaign: dict[str, Any]
    trials: list[Trial]
    report: dict[str, Any]
    testbeds: list[dict[str, Any]]
    orders: dict[str, int]
    """Rows of bmsql_oorder by testbed, at that moment."""
    history: dict[str, int]
    until_then: set[str]
    """UIDs of the trials that had run by then."""


@pytest.fixture(scope="module", params=first_of(ENGINES))
def study(request: pytest.FixtureRequest, installed: Kube) -> Any:
    """Suspended in its first trial, counted, and run to its end."""
    name = f"tpcc-{request.param}"
    body = campaign(name, request.param, blocks={"min": 1, "maxReplacements": 1})
    installed.apply(instance(request.param), workload(), body)

    def archived() -> list[dict[str, Any]]:
        return [t for t in trials(installed, name) if t.get("status", {}).get("artefactKey")]

    def begun() -> bool:
        """One that had not begun would be put off."""
        return any(t.get("status", {}).get("releaseAt") for t in trials(installed, name))

    wait_for("a trial", lambda: begun() or ended(installed, name), 900)
    suspend(installed, name, True)
    wait_for("its end", lambda: len(archived()) == len(trials(installed, name)), 180)
    until_then = {t["metadata"]["uid"] for t in archived()}
    testbeds = installed.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}")
    orders, history = {}, {}
    for testbed in testbeds:
        own = testbed["metadata"]["name"]
        orders[own], history[own] = map(int, in_agent(installed, own, COUNT).split())
    suspend(installed, name, False)
    body = wait_for("the end of the campaign", lambda: ended(installed, name), 600)
    report = installed.get("overheadreport", name, NAMESPACE)
    assert report is not None
    with bucket(installed) as store:
        keys = [t["status"]["artefactKey"] for t in archived()]
        found = [_trial(store, key) for key in keys]
    verified(installed, name)
    yield Study(body, found, report["status"], testbeds, orders, history, until_then)
    delete_campaign(installed, name)


def suspend(kube: Kube, name: str, whether: bool) -> None:
    patch = json.dumps({"spec": {"suspend": whether}})
    kube.kubectl(
        *("patch", "campaign", name, f"--namespace={NAMESPACE}", "--type=merge", f"--patch={patch}")
    )


def test_every_trial_succeeds(study: Study) -> None:
    assert conditions(study.campaign)["Complete"]["status"] == "True"
    assert {trial.record["outcome"] for trial in study.trials} == {"Succeeded"}


def test_the_client_s_commits_are_the_database_s_own(study: Study) -> None:
    assert len(study.orders) == 2
    (ran,) = [t for t in study.trials if t.record["trial"]["uid"] in study.until_then]
    used = ran.record["spec"]["testbedRef"]["name"]
    (unused,) = set(study.orders) - {used}
    committed = {kind: one["session"]["committed"] for kind, one in ran.types.items()}
    assert study.orders[used] - LOADED_ORDERS == committed["newOrder"] > 0
    assert study.history[used] - LOADED_HISTORY == committed["payment"] > 0
    assert (study.orders[unused], study.history[unused]) == (LOADED_ORDERS, LOADED_HISTORY)


def _measured(output: str, what: str) -> float:
    found = re.findall(rf"Measured {what}\s*=\s*([0-9.E]+)", output, re.IGNORECASE)
    return float(found[-1])


def test_figures_follow_from_the_log(study: Study) -> None:
    for trial in study.trials:
        result = trial.record["result"]
        assert result["tps"] == pytest.approx(_measured(trial.output, "tpmTOTAL") / 60, rel=1e-4)
        new_orders = _measured(trial.output, r"tpmC \(NewOrders\)") / 60
        assert result["extra"]["newOrdersPerSecond"] == pytest.approx(new_orders, rel=1e-4)
        window = trial.record["window"]
        assert window["end"] - window["start"] == pytest.approx(DURATION, abs=0.5)
        count = trial.record["transactions"]
        assert count == sum(n for kind in trial.types.values() for _, n in kind["histogramUs"])
        assert result["tps"] * (window["end"] - window["start"]) == pytest.approx(count, rel=0.05)
        assert "qps" not in result


def test_the_mix_is_what_the_weights_ask_for(study: Study) -> None:
    counts = {
        kind: sum(t.types[kind]["committed"] + t.types[kind]["rolledBack"] for t in study.trials)
        for kind in WEIGHTS
    }
    whole = sum(counts.values())
    for kind, weight in WEIGHTS.items():
        share = weight / 100
        deviation = (whole * share * (1 - share)) ** 0.5
        assert abs(counts[kind] - whole * share) < 4 * deviation + 1, (kind, counts)


def test_every_consistency_query_was_empty(study: Study) -> None:
    for testbed in study.testbeds:
        fact = conditions(testbed)["Consistent"]
        assert fact["status"] == "True", fact["message"]
        assert fact["message"].startswith("16 queries gave no row")
    for trial in study.trials:
        assert trial.record["consistency"]["ok"]
        assert trial.record["consistency"]["summary"].startswith("6 queries gave no row")


def test_each_session_was_plaintext_as_the_mode_says(study: Study) -> None:
    for trial in study.trials:
        assert trial.output.count("encbench-session tls=none cipher=none") >= 1
        assert trial.record["proofs"]["after"]["ok"]


@pytest.mark.full
def test_a_driver_that_takes_no_pem_trusts_the_campaign_s_authority(installed: Kube) -> None:
    """Connector/J verifies the server by a trust store, which a container of the pod has made."""
    name = "tpcc-tls"
    body = campaign(name, "mysql", blocks={"min": 1, "maxReplacements": 1})
    body["spec"]["matrix"][0]["modeRefs"] = ["tls"]
    installed.apply(instance("mysql"), workload(), manifests.mode("tls", inTransit={}), body)
    done = wait_for("the end of the campaign", lambda: ended(installed, name), 1200)
    assert conditions(done)["Complete"]["status"] == "True"
    with bucket(installed) as store:
        keys = [t["status"]["artefactKey"] for t in trials(installed, name)]
        found = [_trial(store, key) for key in keys]
    encrypted = [t for t in found if t.record["spec"]["arm"]["name"] == "tls"]
    assert len(found) == 3
    assert len(encrypted) == 1
    for trial in encrypted:
        assert trial.record["outcome"] == "Succeeded"
        assert "encbench-session tls=TLSv1.3 cipher=TLS_" in trial.output
    verified(installed, name)
    delete_campaign(installed, name)


def test_the_report_has_the_published_shape(study: Study) -> None:
    """TPS by terminals, New-Orders beside it, the client's CPU and memory."""
    for row in study.report["rows"]:
        # The baseline's figures are those of both its arms.
        arms = (row["arm"], f"{row['arm']}-control")
        own = [t for t in study.trials if t.record["spec"]["arm"]["name"] in arms]
        tps = geometric_mean(_measured(t.output, "tpmTOTAL") / 60 for t in own)
        assert row["tps"] == pytest.approx(tps, rel=1e-3)
        assert row["newOrdersPerSecond"] == pytest.approx(
            geometric_mean(_measured(t.output, r"tpmC \(NewOrders\)") / 60 for t in own), rel=1e-3
        )
        summaries = [t.summary for t in own]
        cores = mean(s["cpuSeconds"] / s["window"]["seconds"] for s in summaries)
        assert row["clientCpuCores"] == pytest.approx(cores, rel=0.01)
        assert row["clientCpuPercent"] == pytest.approx(cores / 0.4 * 100, rel=0.01)
        memory = mean(s["memoryMaxBytes"] for s in summaries)
        assert row["clientMemoryMib"] == pytest.approx(memory / 2**20, rel=0.01)
        assert row["clientMemoryPercent"] == pytest.approx(memory / (384 * 2**20) * 100, rel=0.01)
        assert row["latencyP95Ms"] > 0
        assert "qps" not in row


@pytest.mark.full
def test_a_database_killed_under_load_is_no_result(installed: Kube, start: Start) -> None:
    killed_in = workload("tpcc-killed", options={"deadlineSeconds": "5"})
    # Long enough for the kill to come within, however busy the machine is.
    killed_in["spec"]["load"]["duration"] = "40s"
    installed.apply(instance("mariadb"), killed_in)
    name = start(
        campaign("tpcc-killed", "mariadb", "tpcc-killed", blocks={"min": 1, "maxReplacements": 0})
    )

    def running() -> dict[str, Any] | None:
        live = [t for t in trials(installed, name) if (t.get("status") or {}).get("releaseAt")]
        return live[0] if live else None

    trial = wait_for("a running trial", running, 600)
    while time.time() < trial["status"]["releaseAt"] + 8:
        time.sleep(0.2)
    in_agent(installed, trial["spec"]["testbedRef"]["name"], KILL)
    killed = time.monotonic()

    def over() -> dict[str, Any] | None:
        body = installed.get("trial", trial["metadata"]["name"], NAMESPACE)
        assert body is not None
        return body if body["status"].get("artefactKey") else None

    body = wait_for("the trial's end", over, 150)
    assert time.monotonic() - killed < 120
    assert (body["status"]["outcome"], body["status"]["reason"]) == ("Invalid", "Disrupted")
    with bucket(installed) as store:
        output = _trial(store, body["status"]["artefactKey"]).output
    last = _events(output)[-1]
    # The kubelet starts the server anew: the client finds it again, or gives up at its deadline.
    assert last["event"] == "result"
    assert last["errors"] >= 1


@pytest.mark.parametrize(
    ("tpcc", "advice"),
    [
        ({"mix": {"newOrder": 50}}, "add up to 100"),
        (
            {"warehouses": 1, "options": {"runMins": "1", "runTxnsPerTerminal": "9"}},
            "load.duration",
        ),
        ({"driver": "oracle.jdbc.OracleDriver"}, "com.mysql.cj.jdbc.Driver"),
    ],
    ids=["mix", "lengths", "driver"],
)
def test_bad_input_is_refused_at_apply(installed: Kube, tpcc: dict[str, Any], advice: str) -> None:
    with pytest.raises(CommandFailed, match=re.escape(advice)):
        installed.apply(workload("tpcc-bad", **tpcc))
    assert installed.get("workload", "tpcc-bad", NAMESPACE) is None


def test_too_many_terminals_are_refused_at_apply(installed: Kube) -> None:
    bad = workload("tpcc-bad")
    bad["spec"]["load"]["concurrency"] = [11]
    with pytest.raises(CommandFailed, match="a warehouse has 10 terminals"):
        installed.apply(bad)


def test_a_driver_of_another_engine_starts_nothing(installed: Kube, start: Start) -> None:
    driver = {"driver": "org.postgresql.Driver"}
    installed.apply(instance("mariadb"), workload("tpcc-driver", **driver))
    message = refused(installed, start(campaign("tpcc-driver", "mariadb", "tpcc-driver")))
    assert "org.postgresql.Driver does not support mariadb" in message
