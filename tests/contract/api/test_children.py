"""What the builders make, as a real API server sees it: every field known, every value allowed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import Resolved
from encbench.api.encryptionmode import InTransit
from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    JOB,
    PERSISTENT_VOLUME_CLAIM,
    POD_DISRUPTION_BUDGET,
    SECRET,
    SERVICE,
    STATEFUL_SET,
)
from encbench.api.testbed import Arm, TestbedSpec
from encbench.core.certificates import entries
from encbench.core.plan import Cell
from encbench.core.starts import Start
from encbench.database.children import (
    config_map,
    credentials_secret,
    database_budget,
    jobs_budget,
    keys_secret,
    service,
    stateful_set,
    volume_claim,
)
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.testbed.facts import SetFacts
from encbench.tools.registry import tool
from tests.support import certified, manifests
from tests.support.apiserver import ApiServer
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import (
    PLAINTEXT,
    TLS,
    counting_tokens,
    database_context,
    spec_of_testbed,
)
from tests.support.workloads import MYSQL, PGSQL, load_context, trial_context, workload_spec

KINDS = {
    kind.kind: kind
    for kind in (
        *(CONFIG_MAP, JOB, PERSISTENT_VOLUME_CLAIM, POD_DISRUPTION_BUDGET, SECRET, SERVICE),
        STATEFUL_SET,
    )
}
VERSIONS = {"mariadb": "10.11", "mysql": "8.4", "percona": "8.0", "postgresql": "16"}


@pytest.fixture(scope="module")
def namespace(api_server: ApiServer) -> Iterator[str]:
    yield api_server.namespace("children")


def taken(server: ApiServer, namespace: str, body: Body) -> None:
    kind = KINDS[body["kind"]]
    group = "/api/v1" if kind.api_version == "v1" else f"/apis/{kind.api_version}"
    body = {**body, "metadata": {**body["metadata"], "namespace": namespace}}
    url = f"{group}/namespaces/{namespace}/{kind.plural}?fieldValidation=Strict&dryRun=All"
    status, answer = server.request("POST", url, body)
    assert status == 201, answer


def _volume(**own: Any) -> dict[str, Any]:
    return {"atRest": {"method": "volume", "volume": own}}


MODES: dict[str, dict[str, Any]] = {
    "plaintext": PLAINTEXT,
    "tls": TLS,
    "tls-1.2": {"inTransit": {"version": "TLSv1.2"}},
    "tde": {"atRest": {"method": "engine"}},
    "tde-of-tables": {"atRest": {"method": "engine", "scope": ["tables"]}},
    "tde-of-logs-and-tls": {"atRest": {"method": "engine", "scope": ["redo", "binlog"]}, **TLS},
    "volume-class": _volume(storageClassName="encrypted"),
    "volume-gocryptfs": _volume(gocryptfs={}),
    "volume-pass-through": _volume(gocryptfs={"cipher": "none"}),
}


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("name", VERSIONS)
def test_a_testbed_s(
    api_server: ApiServer, namespace: str, name: str, mode: dict[str, Any]
) -> None:
    context = database_context(spec_of_testbed(mode, engine=name, version=VERSIONS[name]))
    token = counting_tokens()
    made = [
        keys_secret(context, token),
        credentials_secret(context, token, entries(certified.issued()), PLACEHOLDERS),
        config_map(context),
        service(context),
        volume_claim(context),
        database_budget(context),
        jobs_budget(context),
        stateful_set(context),
    ]
    for body in made:
        if body is not None:
            taken(api_server, namespace, body)


@pytest.mark.parametrize("tls", [None, InTransit()], ids=["plaintext", "tls"])
@pytest.mark.parametrize("to", [MYSQL, PGSQL], ids=["mysql", "pgsql"])
def test_a_trial_s_and_a_load_s(
    api_server: ApiServer, namespace: str, to: Any, tls: InTransit | None
) -> None:
    connection = replace(to, tls=tls)
    context = trial_context(workload_spec(), connection=connection)
    taken(api_server, namespace, tool(context.spec.workload).trial_job(context))
    load = load_context(connection=connection)
    taken(api_server, namespace, tool(load.spec.dataset).load_job(load))


def test_a_trial_s_on_its_cell_s_nodes(api_server: ApiServer, namespace: str) -> None:
    replicas = workload_spec(client={"replicas": 2})
    pinned = trial_context(replicas, clientNodes=["n2", "n3"])
    taken(api_server, namespace, tool(replicas).trial_job(replace(pinned, database_node="n1")))
    first = replace(trial_context(replicas), database_node="n1")
    taken(api_server, namespace, tool(replicas).trial_job(first))


@pytest.mark.parametrize("campaign", ["demo", "2026-demo", "2026.11." + "x" * 55])
def test_a_testbed_s_of_a_campaign_of_any_name(
    api_server: ApiServer, namespace: str, campaign: str
) -> None:
    """A Service's name is narrower than a campaign's: it has no dot and begins with a letter."""
    arm = Arm(name="tde", role="treatment", mode_ref="tde")
    body = manifests.body(CAMPAIGN, campaign, namespace)
    body["metadata"]["uid"] = manifests.UID
    spec, cell = spec_of_testbed(), Cell("c0ffee00", "small", (arm,), ())
    resolved = Resolved(instances={"small": spec.instance})
    name = children.testbed_name(CellPlan(objects.campaign(body), resolved, cell), arm)
    context = replace(database_context(spec), name=name)
    for child in (service(context), stateful_set(context), volume_claim(context)):
        assert child is not None
        taken(api_server, namespace, child)


def test_a_database_that_stays_on_its_node(api_server: ApiServer, namespace: str) -> None:
    spec = spec_of_testbed().to_dict() | {"near": ["n1", "n2"]}
    body = stateful_set(database_context(TestbedSpec.model_validate(spec)))
    taken(api_server, namespace, body)
    again = SetFacts(body).scaled(1, Start("run-1", "run-1"), "n3")
    taken(api_server, namespace, again)
