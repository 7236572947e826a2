"""The chart's admission policies on a real API server: who names Secrets, who writes records."""

from collections.abc import Iterator
from typing import Any

import pytest

from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    JOB,
    POD,
    STATEFUL_SET,
    TESTBED,
    WORKLOAD,
    Kind,
)
from encbench.kube.labels import MANAGED_BY, MANAGER
from encbench.ports import Body
from tests.support import manifests, policies
from tests.support.apiserver import ApiServer
from tests.support.kube import wait_for
from tests.support.policies import OPERATOR, Answer

SPACE = "policies"
AUTHOR = "author"
ONE_ACCOUNT = "system:kube-controller-manager"
"""What makes all pods where controllers have no accounts of their own."""
UNUSED = (
    Kind("apps/v1", "Deployment", "deployments"),
    Kind("apps/v1", "ReplicaSet", "replicasets"),
    Kind("apps/v1", "DaemonSet", "daemonsets"),
    Kind("v1", "ReplicationController", "replicationcontrollers"),
)
"""Kinds that make pods, and that the operator does not use."""
CONTROLLERS = {
    STATEFUL_SET: "system:serviceaccount:kube-system:statefulset-controller",
    JOB: "system:serviceaccount:kube-system:job-controller",
}


def grant(server: ApiServer, name: str, user: str, **rule: list[str]) -> None:
    policies.grant(server, SPACE, name, user, **rule)


@pytest.fixture(scope="module")
def server(api_server: ApiServer) -> Iterator[ApiServer]:
    """With the policies in force, and users who may write all our kinds, and pods."""
    api_server.namespace(SPACE)
    for user in (AUTHOR, OPERATOR, ONE_ACCOUNT, *CONTROLLERS.values()):
        name = user.replace(":", "-")
        groups, core = ["encbench.io", "apps", "batch"], ["pods", "replicationcontrollers"]
        grant(api_server, name, user, apiGroups=groups, resources=["*"], verbs=["*"])
        grant(api_server, f"{name}-pods", user, apiGroups=[""], resources=core, verbs=["*"])
    with policies.in_force(api_server, SPACE, {}, lambda: not in_force_yet(api_server)):
        yield api_server


def in_force_yet(server: ApiServer) -> list[int]:
    """Requests that the policies should refuse and did not."""
    found = [
        post(server, ENCRYPTION_MODE, manifests.body(ENCRYPTION_MODE, "p", SPACE, **KEY), dry=True),
        post(
            server, ENCRYPTION_MODE, manifests.body(ENCRYPTION_MODE, "p", SPACE, **FUSE), dry=True
        ),
        post(server, TESTBED, manifests.body(TESTBED, "p", SPACE), dry=True),
        post(server, POD, pod(OURS), dry=True),
    ]
    return [status for status, _ in found if status != 403]


OURS = {MANAGED_BY: MANAGER}


def pod(labels: dict[str, str]) -> Body:
    spec = {"containers": [{"name": "c", "image": manifests.IMAGE}]}
    meta = {"name": "stranger", "namespace": SPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def maker(kind: Kind, own: dict[str, str], of_pods: dict[str, str]) -> Body:
    """An object with these labels that makes pods."""
    labels = {"app": "x", **of_pods}
    template = {"metadata": {"labels": labels}, "spec": dict(pod({})["spec"])}
    spec: Body = {"template": template}
    if kind is JOB:
        template["spec"]["restartPolicy"] = "Never"
    elif kind.api_version == "v1":
        spec |= {"selector": {"app": "x"}}
    else:
        spec |= {"selector": {"matchLabels": {"app": "x"}}}
    if kind is STATEFUL_SET:
        spec |= {"serviceName": "x"}
    meta = {"name": "maker", "namespace": SPACE, "labels": own}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": meta, "spec": spec}


FUSE: dict[str, Any] = {"atRest": {"method": "volume", "volume": {"gocryptfs": {}}}}
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
    (
        INSTANCE_TEMPLATE,
        {**manifests.SPECS[INSTANCE_TEMPLATE], "imagePullSecrets": ["pull"]},
        "pull",
    ),
    (
        WORKLOAD,
        {
            **manifests.SPECS[WORKLOAD],
            "client": {**manifests.SPECS[WORKLOAD]["client"], "imagePullSecrets": ["pull-client"]},
        },
        "pull-client",
    ),
]
OWN_SCRIPT = {"scriptConfigMapRef": {"name": "own", "key": "own.lua"}}
OTHERS: list[tuple[Kind, Body, str]] = [
    (WORKLOAD, {**manifests.SPECS[WORKLOAD], "sysbench": OWN_SCRIPT}, "ConfigMap own"),
    (
        ENCRYPTION_MODE,
        {
            "driver": {
                "jar": {
                    "class": "x.D",
                    "urlTemplate": "jdbc:x://{host}",
                    "claimName": "jars",
                    "path": "d.jar",
                }
            }
        },
        "PersistentVolumeClaim jars",
    ),
]


def post(
    server: ApiServer, kind: Kind, body: Body, user: str = AUTHOR, *, dry: bool = False
) -> Answer:
    return policies.post(server, kind, body, user, dry=dry)


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
    wait_for("the right", lambda: post(server, kind, body, dry=True)[0] == 201, 30)


@pytest.mark.parametrize(("kind", "spec", "named"), OTHERS, ids=[r[2] for r in OTHERS])
def test_the_same_holds_of_scripts_and_drivers(
    server: ApiServer, kind: Kind, spec: Body, named: str
) -> None:
    object_kind, name = named.split()
    body = {**manifests.body(kind, f"names-{name}", SPACE), "spec": spec}
    status, answer = post(server, kind, body)
    assert status == 403, answer
    assert f"you may not read {named} yourself" in answer["message"]
    plural = f"{object_kind.lower()}s"
    grant(server, f"reads-{name}", AUTHOR, apiGroups=[""], resources=[plural], verbs=["get"])
    wait_for("the right", lambda: post(server, kind, body, dry=True)[0] == 201, 30)


def test_privileged_containers_are_refused_where_the_part_is_written(server: ApiServer) -> None:
    mode = manifests.body(ENCRYPTION_MODE, "fuse", SPACE, **FUSE)
    for user in (AUTHOR, ""):
        status, answer = post(server, ENCRYPTION_MODE, mode, user)
        assert status == 403, answer
        assert "privilegedVolumes.enabled" in answer["message"]


def test_parts_without_a_secret_are_anybodys(server: ApiServer) -> None:
    for kind in (ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD):
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


def test_only_the_operator_makes_pods_with_its_label(server: ApiServer) -> None:
    status, answer = post(server, POD, pod(OURS))
    assert status == 403, answer
    assert f"{MANAGED_BY}={MANAGER}" in answer["message"]
    for own, of_pods in ((OURS, {}), ({}, OURS)):
        for kind, controller in CONTROLLERS.items():
            body = maker(kind, own, of_pods)
            for user in (AUTHOR, controller, ""):
                assert post(server, kind, body, user, dry=True)[0] == 403
            status, answer = post(server, kind, body, OPERATOR, dry=True)
            assert status == 201, answer
    for user in (OPERATOR, *CONTROLLERS.values()):
        status, answer = post(server, POD, pod(OURS), user, dry=True)
        assert status == 201, answer


@pytest.mark.parametrize("kind", UNUSED, ids=lambda kind: kind.kind)
def test_nobody_else_has_pods_made_with_it(server: ApiServer, kind: Kind) -> None:
    """A controller manager with one account for all controllers would make them."""
    for user in (AUTHOR, ONE_ACCOUNT, ""):
        status, answer = post(server, kind, maker(kind, {}, OURS), user, dry=True)
        assert status == 403, answer
        assert f"{MANAGED_BY}={MANAGER}" in answer["message"]
        status, answer = post(server, kind, maker(kind, {}, {}), user, dry=True)
        assert status == 201, answer


def test_pods_of_others_are_left_alone(server: ApiServer) -> None:
    for labels in ({}, {MANAGED_BY: "Helm"}):
        assert post(server, POD, pod(labels), dry=True)[0] == 201
    for kind in CONTROLLERS:
        status, answer = post(server, kind, maker(kind, {}, {}), dry=True)
        assert status == 201, answer


def test_the_label_cannot_be_put_on_later(server: ApiServer) -> None:
    assert post(server, POD, pod({}))[0] == 201
    url = f"/api/v1/namespaces/{SPACE}/pods/stranger"
    merge = "application/merge-patch+json"
    for labels, expected in ((OURS, 403), ({"team": "a"}, 200)):
        change = {"metadata": {"labels": labels}}
        assert server.request("PATCH", url, change, merge, AUTHOR)[0] == expected
    assert server.request("DELETE", f"{url}?gracePeriodSeconds=0", user=AUTHOR)[0] == 200
