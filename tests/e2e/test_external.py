"""A campaign over a database that the operator does not run: a Deployment of somebody else's."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from encbench.core import certificates
from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, conditions, ended, verified
from tests.support import certified
from tests.support.install import NAMESPACE, databases_outside
from tests.support.kube import Kube, wait_for

# What it takes of the operator is in the contract tests; here a second server has to be loaded.
pytestmark = pytest.mark.full


OUTSIDE = "outside"
CLOSED = 3399
"""A port of the server's pod on which nothing listens."""
USER, PASSWORD, DATABASE = "bench", "some, #password", "benchmark"
HOST = f"mariadb.{OUTSIDE}.svc.cluster.local"
SERVE = """
[ -d /data/db/mysql ] || mariadb-install-db --no-defaults --datadir=/data/db --skip-test-db \\
  --auth-root-authentication-method=socket >/dev/null
exec mariadbd --no-defaults --datadir=/data/db --socket=/data/socket --pid-file=/data/pid \\
  --init-file=/login/init.sql --innodb-buffer-pool-size=64M --skip-name-resolve \\
  --ssl-ca=/login/ca.crt --ssl-cert=/login/tls.crt --ssl-key=/login/tls.key
"""
ASK = "exec mariadb --defaults-file=/login/client.cnf --socket=/data/socket -e 'SELECT 1'"


def secret(name: str, namespace: str, entries: dict[str, str]) -> dict[str, Any]:
    data = {key: base64.b64encode(text.encode()).decode() for key, text in entries.items()}
    labels = {"encbench.io/use": "credentials"}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def somebody_elses() -> list[dict[str, Any]]:
    """The server, and the Secret by which its owner lets the operator in."""
    issued = certified.issued()
    own = {"app": "mariadb"}
    init = (
        f"CREATE DATABASE IF NOT EXISTS {DATABASE};\n"
        f"CREATE OR REPLACE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
        f"GRANT ALL ON {DATABASE}.* TO '{USER}'@'%';\n"
    )
    server_files = {
        "init.sql": init,
        "client.cnf": f'[client]\nuser="{USER}"\npassword="{PASSWORD}"\n',
        "ca.crt": issued.authority,
        "tls.crt": issued.server.certificate,
        "tls.key": issued.server.key,
    }
    login = {"username": USER, "password": PASSWORD, certificates.AUTHORITY: issued.authority}
    container = {
        "name": "mariadb",
        "image": "docker.io/encbench/mariadb:10.11",
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-ec", SERVE],
        "readinessProbe": {"exec": {"command": ["sh", "-c", ASK]}, "periodSeconds": 1},
        "resources": {"requests": {"cpu": "300m"}, "limits": {"cpu": "300m", "memory": "384Mi"}},
        "volumeMounts": [
            {"name": "data", "mountPath": "/data"},
            {"name": "login", "mountPath": "/login"},
        ],
    }
    pod = {
        "securityContext": {"fsGroup": 101},
        "containers": [container],
        "volumes": [
            {"name": "data", "emptyDir": {}},
            {"name": "login", "secret": {"secretName": "mariadb", "defaultMode": 0o440}},
        ],
    }
    metadata = {"name": "mariadb", "namespace": OUTSIDE}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OUTSIDE}},
        secret("mariadb", OUTSIDE, server_files),
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"clusterIP": "None", "selector": own, "ports": [{"port": 3306}]},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": own},
                "template": {"metadata": {"labels": own}, "spec": pod},
            },
        },
        secret("outside", NAMESPACE, login),
    ]


def template(name: str = "outside", **external: Any) -> dict[str, Any]:
    spec = {
        "engine": "mariadb",
        "version": "10.11",
        "external": {
            "host": HOST,
            "database": DATABASE,
            "credentialsSecretRef": {"name": "outside"},
            **external,
        },
    }
    return manifests.manifest("InstanceTemplate", name, spec)


@pytest.fixture(scope="module")
def outside(installed: Kube) -> Iterator[Kube]:
    """The cluster with that server running."""
    installed.kubectl("delete", "namespace", OUTSIDE, "--ignore-not-found", "--timeout=120s")
    installed.apply(*somebody_elses())
    installed.kubectl(
        "rollout", "status", "deployment/mariadb", f"--namespace={OUTSIDE}", "--timeout=2m"
    )
    installed.apply(template(), manifests.mode("tls", inTransit={}))
    (pod,) = installed.list("pods", OUTSIDE, "app=mariadb")
    with databases_outside(installed, pod["status"]["podIP"], 3306, CLOSED):
        yield installed
    installed.kubectl("delete", "namespace", OUTSIDE, "--timeout=120s")


def test_it_is_measured_and_no_database_is_made(outside: Kube, start: Start) -> None:
    campaign = manifests.campaign("outside", ["tls"], blocks={"min": 1, "maxReplacements": 2})
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["outside"]
    name = start(campaign)
    ours = "encbench.io/campaign=outside,app.kubernetes.io/component=database"
    made: set[str] = set()

    def over() -> dict[str, Any] | None:
        for kind in ("pods", "statefulsets", "services", "persistentvolumeclaims", "configmaps"):
            made.update(
                f"{kind}/{o['metadata']['name']}" for o in outside.list(kind, NAMESPACE, ours)
            )
        return ended(outside, name)

    body = wait_for("the end of the campaign", over, 300)
    facts = conditions(body)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert made == set()
    report = outside.get("overheadreport", name, NAMESPACE)
    assert report is not None
    rows = {row["arm"]: row for row in report["status"]["rows"]}
    assert sorted(rows) == ["plaintext", "plaintext-control", "tls"]
    for row in rows.values():
        assert row["tps"] > 1
        assert row.get("databaseCpuPercent") is None
        assert row.get("databaseCpuMsPerTransaction") is None
    with bucket(outside) as store:
        artefacts = report["status"]["artefacts"]
        markdown = store.get(artefacts["markdown"]["key"]).decode()
        index = json.loads(store.get(artefacts["index"]["key"]))
        trials = [json.loads(store.get(entry["key"])) for entry in index["trials"]]
    verified(outside, name)
    assert "Others run the database" in markdown
    assert PASSWORD not in markdown
    for trial in trials:
        if trial["outcome"] != "Succeeded":
            continue
        wanted = "TLSv1.3 with TLS_AES_128_GCM_SHA256" if _arm(trial) == "tls" else "no TLS"
        assert f"every client's session had {wanted}" in trial["proofs"]["after"]["summary"]
        assert trial["cpu"].get("database") is None


def _arm(trial: dict[str, Any]) -> str:
    return str(trial["spec"]["arm"]["name"])


def test_a_server_that_nobody_reaches_is_named_by_the_load(outside: Kube, start: Start) -> None:
    outside.apply(template("unreachable", port=CLOSED))
    campaign = manifests.campaign("unreachable", ["plaintext"])
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["unreachable"]
    name = start(campaign)
    body = wait_for("the end of the campaign", lambda: ended(outside, name), 120)
    fact = conditions(body).get("Failed", {})
    assert fact.get("status") == "True"
    assert HOST in fact["message"]


def test_a_template_without_its_secret_is_refused(outside: Kube, start: Start) -> None:
    outside.apply(template("no-secret", credentialsSecretRef={"name": "nobody-made-it"}))
    campaign = manifests.campaign("no-secret", ["tls"])
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["no-secret"]
    name = start(campaign)

    def refusal() -> str | None:
        found = conditions(outside.get("campaign", name, NAMESPACE) or {}).get("Accepted", {})
        return str(found["message"]) if found.get("status") == "False" else None

    message = wait_for("the refusal", refusal, 30)
    assert "there is no Secret nobody-made-it" in message
    assert "create it with the entries username, password, ca.crt" in message
