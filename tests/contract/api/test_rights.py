"""What the chart's accounts may do, as a real API server lists it: nothing more than rights.yaml.

`kubectl auth can-i --list` asks the same. A rule that the chart gets shows here, once.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml

from tests.support import chart
from tests.support.apiserver import ApiServer
from tests.support.chart import NAMESPACE, Manifest

GOLDEN = Path(__file__).with_name("rights.yaml")
WATCHED, OTHER = "team-a", "default"
ACCOUNTS = ("operator", "prometheus", "stranger")
"""The last one has no rights but those that every account has."""
KINDS = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"


@pytest.fixture(scope="module")
def installed(api_server: ApiServer) -> Iterator[ApiServer]:
    """The chart's roles and their bindings, as `helm install` leaves them."""
    bodies = [
        body
        for body in chart.render({"watchNamespaces": [WATCHED]}).manifests
        if body["kind"] in KINDS
    ]
    for space in (NAMESPACE, WATCHED):
        api_server.namespace(space)
    for body in bodies:
        status, answer = api_server.request("POST", _url(body), body)
        assert status == 201, answer
    yield api_server
    for body in bodies:
        api_server.request("DELETE", f"{_url(body)}/{body['metadata']['name']}")


def _url(body: Manifest) -> str:
    plural = f"{body['kind'].lower()}s"
    space = body["metadata"].get("namespace")
    return f"{RBAC}/namespaces/{space}/{plural}" if space else f"{RBAC}/{plural}"


Rights = dict[str, set[str]]
"""Verbs by resource with its group, and with names where it is for these alone."""


def rights(server: ApiServer, account: str, space: str) -> Rights:
    user = f"system:serviceaccount:{NAMESPACE}:bench-encbench-{account}"
    asked = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": space},
    }
    status, answer = server.request("POST", REVIEWS, asked, user=user)
    assert status == 201, answer
    assert not answer["status"]["incomplete"], answer
    found: Rights = {}
    for rule in answer["status"]["resourceRules"]:
        names = f" {' '.join(sorted(rule['resourceNames']))}" if rule.get("resourceNames") else ""
        for group, resource in product(rule["apiGroups"], rule["resources"]):
            where = f"{resource}.{group}" if group else resource
            found.setdefault(f"{where}{names}", set()).update(rule["verbs"])
    return found


def beyond(more: Rights, less: Rights) -> dict[str, str]:
    """What the first has and the second has not."""
    left = {where: verbs - less.get(where, set()) for where, verbs in more.items()}
    return {where: " ".join(sorted(verbs)) for where, verbs in left.items() if verbs}


@pytest.mark.parametrize("account", ["operator", "prometheus"])
def test_each_account_may_do_what_is_listed(installed: ApiServer, account: str) -> None:
    golden = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))[account]
    nothing = rights(installed, "stranger", OTHER)
    everywhere, watched, release = (
        rights(installed, account, space) for space in (OTHER, WATCHED, NAMESPACE)
    )
    assert golden == {
        "everywhere": beyond(everywhere, nothing),
        "in watched namespaces": beyond(watched, everywhere),
        "in the release's namespace": beyond(release, watched),
    }


def test_no_account_reads_other_secrets_or_enters_pods(installed: ApiServer) -> None:
    for account in ACCOUNTS:
        for space in (NAMESPACE, WATCHED, OTHER):
            own = rights(installed, account, space)
            assert own.get("secrets", set()) <= {"get", "create"}
            assert not {"pods/exec", "pods/attach", "pods/portforward", "*", "*.*"} & own.keys()
            assert not [where for where, verbs in own.items() if verbs & {"*", "escalate", "bind"}]
        assert "secrets" not in rights(installed, account, OTHER)
