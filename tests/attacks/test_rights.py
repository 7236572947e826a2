"""What the accounts' own tokens open on a real cluster, beyond what the chart grants them: nothing.

What would change something is tried as a dry run, which the API server refuses by the same rules.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.attacks.callers import Caller, account, administrator
from tests.e2e.bucket import SERVICE
from tests.support.install import NAMESPACE, OPERATOR, RELEASE, is_own
from tests.support.kube import Kube

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not is_own(), reason="the administrator's certificate must be at hand"),
]

STORE, DRY = f"{SERVICE}-0", "?dryRun=All"
CORE, APPS = "/api/v1", "/apis"
HERE, ELSEWHERE = f"{CORE}/namespaces/{NAMESPACE}", f"{CORE}/namespaces/kube-system"
OURS = f"{APPS}/encbench.io/v1alpha1/namespaces/{NAMESPACE}"
RBAC = f"{APPS}/rbac.authorization.k8s.io/v1"
POLICIES = f"{APPS}/admissionregistration.k8s.io/v1"
NETWORK = f"{APPS}/networking.k8s.io/v1/namespaces/{NAMESPACE}"


@dataclass(frozen=True)
class Attempt:
    """A request; the administrator's is understood, which shows that it means something."""

    method: str
    path: str
    body: Any = None
    acts_as: str = ""

    def by(self, caller: Caller) -> int:
        return caller.request(self.method, self.path, self.body, self.acts_as)


def _named(api_version: str, kind: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "planted"}, **rest}


_POD = _named(
    "v1",
    "Pod",
    spec={
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": "main",
                "image": "any:1",
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
        ],
    },
)
_EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": STORE}}
_ADMINISTRATOR = _named(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    roleRef={
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "cluster-admin",
    },
    subjects=[
        {"kind": "ServiceAccount", "name": f"{RELEASE}-{name}", "namespace": NAMESPACE}
        for name in ("operator", "prometheus")
    ],
)
_MODE = _named("encbench.io/v1alpha1", "EncryptionMode", spec={})
_EXEC = "stdout=true&container=minio"

ATTEMPTS = {
    "see all Secrets of its namespace": Attempt("GET", f"{HERE}/secrets"),
    "see everybody's Secrets": Attempt("GET", f"{CORE}/secrets"),
    "follow Secrets": Attempt("GET", f"{HERE}/secrets?watch=true&timeoutSeconds=1"),
    "read ConfigMaps elsewhere": Attempt("GET", f"{ELSEWHERE}/configmaps/coredns"),
    "change a Secret": Attempt("PATCH", f"{HERE}/secrets/{SERVICE}{DRY}", {}),
    "delete a Secret": Attempt("DELETE", f"{HERE}/secrets/{SERVICE}{DRY}"),
    "run a command": Attempt("POST", f"{HERE}/pods/{STORE}/exec?command=true&{_EXEC}"),
    "attach to a container": Attempt("POST", f"{HERE}/pods/{STORE}/attach?{_EXEC}"),
    "forward a port": Attempt("POST", f"{HERE}/pods/{STORE}/portforward?ports=9000"),
    "reach a pod through the API server": Attempt(
        "GET", f"{HERE}/pods/{STORE}:9000/proxy/minio/health/live"
    ),
    "add a container": Attempt("PATCH", f"{HERE}/pods/{STORE}/ephemeralcontainers{DRY}", {}),
    "make a pod": Attempt("POST", f"{HERE}/pods{DRY}", _POD),
    "make a pod elsewhere": Attempt("POST", f"{ELSEWHERE}/pods{DRY}", _POD),
    "delete a pod": Attempt("DELETE", f"{HERE}/pods/{STORE}{DRY}"),
    "evict a pod": Attempt("POST", f"{HERE}/pods/{STORE}/eviction{DRY}", _EVICTION),
    "close a node": Attempt("PATCH", f"{CORE}/nodes/{{node}}{DRY}", {}),
    "reach a kubelet": Attempt("GET", f"{CORE}/nodes/{{node}}/proxy/pods"),
    "become an administrator": Attempt("POST", f"{RBAC}/clusterrolebindings{DRY}", _ADMINISTRATOR),
    "give itself rights": Attempt(
        "PATCH", f"{RBAC}/namespaces/{NAMESPACE}/roles/{RELEASE}-{NAMESPACE}{DRY}", {}
    ),
    "make a token of another account": Attempt(
        "POST",
        f"{HERE}/serviceaccounts/default/token{DRY}",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
    ),
    "act as an account": Attempt("GET", f"{HERE}/pods", acts_as=OPERATOR),
    "make a namespace": Attempt("POST", f"{CORE}/namespaces{DRY}", _named("v1", "Namespace")),
    "delete its namespace": Attempt("DELETE", f"{HERE}{DRY}"),
    "turn an admission policy off": Attempt(
        "PATCH",
        f"{POLICIES}/validatingadmissionpolicybindings/{RELEASE}-{NAMESPACE}-references{DRY}",
        {},
    ),
    "open its network": Attempt("DELETE", f"{NETWORK}/networkpolicies/{SERVICE}{DRY}"),
    "write what people write": Attempt("POST", f"{OURS}/encryptionmodes{DRY}", _MODE),
    "change its own kinds": Attempt(
        "PATCH",
        f"{APPS}/apiextensions.k8s.io/v1/customresourcedefinitions/trials.encbench.io{DRY}",
        {},
    ),
    "delete the store's volume": Attempt(
        "DELETE", f"{HERE}/persistentvolumeclaims/data-{STORE}{DRY}"
    ),
}
"""What neither account may do, by what it is tried for."""
PROMETHEUS = {
    **ATTEMPTS,
    "read the store's Secret": Attempt("GET", f"{HERE}/secrets/{SERVICE}"),
    "read campaigns": Attempt("GET", f"{OURS}/campaigns"),
    "read logs": Attempt("GET", f"{HERE}/pods/{STORE}/log?container=minio&tailLines=1"),
    "read nodes": Attempt("GET", f"{CORE}/nodes"),
    "read pods elsewhere": Attempt("GET", f"{ELSEWHERE}/pods"),
    "make a Secret": Attempt("POST", f"{HERE}/secrets{DRY}", _named("v1", "Secret")),
}
"""The operator may do some of what is only here."""
UNDERSTOOD = (200, 201, 400)
"""400: a stream was asked for without the change of protocol that it needs."""


def judged(kube: Kube, caller: Caller, attempts: dict[str, Attempt]) -> dict[str, tuple[int, int]]:
    """What an account and the administrator are told, unless the one is forbidden it alone."""
    admin = administrator(kube)
    node = kube.kubectl("get", "nodes", "--output=jsonpath={.items[0].metadata.name}")
    found = {}
    for what, one in attempts.items():
        attempt = Attempt(one.method, one.path.format(node=node), one.body, one.acts_as)
        told = attempt.by(caller), attempt.by(admin)
        if told[0] != 403 or told[1] not in UNDERSTOOD:
            found[what] = told
    return found


def test_the_operator_s_token_opens_nothing_else(installed: Kube) -> None:
    caller = account(installed, "operator")
    for granted in (f"{HERE}/pods", f"{OURS}/campaigns", f"{HERE}/secrets/{SERVICE}"):
        assert caller.request("GET", granted) == 200
    assert judged(installed, caller, ATTEMPTS) == {}


def test_prometheus_s_token_opens_nothing_else(installed: Kube) -> None:
    caller = account(installed, "prometheus")
    assert caller.request("GET", f"{HERE}/pods") == 200
    assert judged(installed, caller, PROMETHEUS) == {}
