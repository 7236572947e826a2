"""The chart's admission policies on a real API server: who names Secrets, who writes records."""

from collections.abc import Iterator
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, TESTBED, Kind
from encbench.ports import Body
from tests.support import chart, manifests
from tests.support.apiserver import ApiServer
from tests.support.kube import wait_for

SPACE = "policies"
AUTHOR = "author"
OPERATOR = f"system:serviceaccount:{chart.NAMESPACE}:bench-encbench-operator"
RBAC = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{SPACE}"
POLICIES = "/apis/admissionregistration.k8s.io/v1"
Answer = tuple[int, Any]


def grant(server: ApiServer, name: str, user: str, **rule: list[str]) -> None:
    """A Role of one rule, bound to the user."""
    group = "rbac.authorization.k8s.io"
    role = {"metadata": {"name": name}, "rules": [rule]}
    subject = {"kind": "User", "name": user, "apiGroup": group}
    ref = {"kind": "Role", "name": name, "apiGroup": group}
    binding = {"metadata": {"name": name}, "subjects": [subject], "roleRef": ref}
    for plural, body in (("roles", role), ("rolebindings", binding)):
        status, answer = server.request("POST", f"{RBAC}/{plural}", body)
        assert status == 201, answer


@pytest.fixture(scope="module")
def server(api_server: ApiServer) -> Iterator[ApiServer]:
    """With the policies in force, and an author and an operator who may write all our kinds."""
    api_server.namespace(SPACE)
    for user in (AUTHOR, OPERATOR):
        name = user.replace(":", "-")
        grant(api_server, name, user, apiGroups=["encbench.io"], resources=["*"], verbs=["*"])
    made = []
    values = {"watchReleaseNamespace": False, "watchNamespaces": [SPACE]}
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"):
        plural = "validatingadmissionpolic" + ("ies" if kind.endswith("y") else "ybindings")
        for body in chart.render(values).all(kind):
            status, answer = api_server.request("POST", f"{POLICIES}/{plural}", body)
            assert status == 201, answer
            made.append(f"{POLICIES}/{plural}/{body['metadata']['name']}")
    wait_for("the policies", lambda: not in_force_yet(api_server), 30)
    yield api_server
    for url in reversed(made):
        api_server.request("DELETE", url)


def in_force_yet(server: ApiServer) -> list[int]:
    """Requests that both policies should refuse and did not."""
    mode = manifests.body(ENCRYPTION_MODE, "probe", SPACE, **KEY)
    testbed = manifests.body(TESTBED, "probe", SPACE)
    found = [
        post(server, ENCRYPTION_MODE, mode, dry=True),
        post(server, TESTBED, testbed, dry=True),
    ]
    return [status for status, _ in found if status != 403]


KEY: dict[str, Any] = {"atRest": {"method": "engine", "keySecretRef": {"name": "key"}}}
EXTERNAL = {
    "engine": "mysql",
    "version": "8.0",
    "external": {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}},
}
JAR = {"class": "x.D", "urlTemplate": "jdbc:x://{host}?{mek}", "url": "https://h/d.jar"}
REFERENCES: list[tuple[Kind, Body, str]] = [
    (ENCRYPTION_MODE, KEY, "key"),
    (
        ENCRYPTION_MODE,
        {"columns": {"method": "confidential", "ratio": 0, "mekSecretRef": {"name": "mek"}}},
        "mek",
    ),
    (
        ENCRYPTION_MODE,
        {"driver": {"jar": {**JAR, "sha256": "0" * 64, "keySecretRef": {"name": "jar-key"}}}},
        "jar-key",
    ),
    (INSTANCE_TEMPLATE, EXTERNAL, "login"),
]


def post(
    server: ApiServer, kind: Kind, body: Body, user: str = AUTHOR, *, dry: bool = False
) -> Answer:
    url = f"/apis/{kind.api_version}/namespaces/{SPACE}/{kind.plural}"
    return server.request("POST", f"{url}?dryRun=All" if dry else url, body, user=user)


@pytest.mark.parametrize(("kind", "spec", "secret"), REFERENCES, ids=[r[2] for r in REFERENCES])
def test_only_who_may_read_a_secret_may_name_it(
    server: ApiServer, kind: Kind, spec: Body, secret: str
) -> None:
    body = {**manifests.body(kind, f"names-{secret}", SPACE), "spec": spec}
    status, answer = post(server, kind, body)
    assert status == 403, answer
    assert f"you may not read Secret {secret} yourself" in answer["message"]
    assert f"kubectl auth can-i get secret/{secret}" in answer["message"]
    reads = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    grant(server, f"reads-{secret}", AUTHOR, **reads, resourceNames=[secret])
    wait_for("the right", lambda: post(server, kind, body, dry=True)[0] == 201, 10)


def test_parts_without_a_secret_are_anybodys(server: ApiServer) -> None:
    for kind in (ENCRYPTION_MODE, INSTANCE_TEMPLATE):
        status, answer = post(server, kind, manifests.body(kind, "bare", SPACE))
        assert status == 201, answer


def test_a_reference_cannot_be_put_in_later(server: ApiServer) -> None:
    body = manifests.body(ENCRYPTION_MODE, "changed", SPACE)
    assert post(server, ENCRYPTION_MODE, body)[0] == 201
    url = f"/apis/{ENCRYPTION_MODE.api_version}/namespaces/{SPACE}/encryptionmodes/changed"
    merge = "application/merge-patch+json"
    other = {"atRest": {"method": "engine", "keySecretRef": {"name": "another"}}}
    status, answer = server.request("PATCH", url, {"spec": other}, merge, AUTHOR)
    assert status == 403, answer
    assert "Secret another" in answer["message"]


def test_a_part_with_a_secret_can_still_be_labelled_and_deleted(server: ApiServer) -> None:
    spec = {"atRest": {"method": "engine", "keySecretRef": {"name": "foreign"}}}
    body = manifests.body(ENCRYPTION_MODE, "kept", SPACE, **spec)
    url = f"/apis/{ENCRYPTION_MODE.api_version}/namespaces/{SPACE}/encryptionmodes"
    assert server.request("POST", url, body)[0] == 201, "the administrator reads every Secret"
    merge = "application/merge-patch+json"
    labelled = {"metadata": {"labels": {"team": "a"}, "finalizers": ["test/x"]}}
    assert server.request("PATCH", f"{url}/kept", labelled, merge, AUTHOR)[0] == 200
    assert server.request("DELETE", f"{url}/kept", user=AUTHOR)[0] == 200
    bare = {"metadata": {"finalizers": None}}
    assert server.request("PATCH", f"{url}/kept", bare, merge, AUTHOR)[0] == 200
    assert server.request("GET", f"{url}/kept")[0] == 404


def test_only_the_operator_writes_records(server: ApiServer) -> None:
    body = manifests.body(TESTBED, "own", SPACE)
    for user in (AUTHOR, ""):
        status, answer = post(server, TESTBED, body, user)
        assert status == 403, answer
        assert "only encbench's operator writes" in answer["message"]
    status, made = post(server, TESTBED, body, OPERATOR)
    assert status == 201, made
    url = f"/apis/{TESTBED.api_version}/namespaces/{SPACE}/testbeds/own"
    said = {**made, "status": {"phase": "Ready"}}
    assert server.request("PUT", f"{url}/status", said, user=AUTHOR)[0] == 403
    assert server.request("PUT", f"{url}/status", said, user=OPERATOR)[0] == 200
    merge = "application/merge-patch+json"
    label = {"metadata": {"labels": {"team": "a"}}}
    status, answer = server.request("PATCH", url, label, merge, AUTHOR)
    assert status == 200, answer["message"]
    assert server.request("DELETE", url, user=AUTHOR)[0] == 200


def test_a_campaigns_status_is_the_operators(server: ApiServer) -> None:
    status, made = post(server, CAMPAIGN, manifests.body(CAMPAIGN, "study", SPACE))
    assert status == 201, made
    url = f"/apis/{CAMPAIGN.api_version}/namespaces/{SPACE}/campaigns/study/status"
    said = {**made, "status": {"step": "done"}}
    assert server.request("PUT", url, said, user=AUTHOR)[0] == 403
    assert server.request("PUT", url, said, user=OPERATOR)[0] == 200
