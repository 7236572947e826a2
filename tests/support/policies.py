"""The chart's admission policies on a real API server, and users with rights of their own."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from encbench.api.kinds import Kind
from encbench.ports import Body
from tests.support import chart
from tests.support.apiserver import ApiServer
from tests.support.kube import wait_for

OPERATOR = f"system:serviceaccount:{chart.NAMESPACE}:bench-encbench-operator"
_POLICIES = "/apis/admissionregistration.k8s.io/v1"
_GROUP = "rbac.authorization.k8s.io"
Answer = tuple[int, Any]


def grant(server: ApiServer, space: str, name: str, user: str, **rule: list[str]) -> None:
    """A Role of one rule in the namespace, bound to the user."""
    role = {"metadata": {"name": name}, "rules": [rule]}
    subject = {"kind": "User", "name": user, "apiGroup": _GROUP}
    ref = {"kind": "Role", "name": name, "apiGroup": _GROUP}
    binding = {"metadata": {"name": name}, "subjects": [subject], "roleRef": ref}
    for plural, body in (("roles", role), ("rolebindings", binding)):
        status, answer = server.request(
            "POST", f"/apis/{_GROUP}/v1/namespaces/{space}/{plural}", body
        )
        assert status == 201, answer


@contextmanager
def in_force(
    server: ApiServer, space: str, values: Mapping[str, Any], refused: Callable[[], bool]
) -> Iterator[None]:
    """The policies that the chart installs for the namespace, once they refuse what they should."""
    made = []
    watched = {"watchReleaseNamespace": False, "watchNamespaces": [space], **values}
    try:
        for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"):
            plural = "validatingadmissionpolic" + ("ies" if kind.endswith("y") else "ybindings")
            for body in chart.render(watched).all(kind):
                status, answer = server.request("POST", f"{_POLICIES}/{plural}", body)
                assert status == 201, answer
                made.append(f"{_POLICIES}/{plural}/{body['metadata']['name']}")
        wait_for("the policies", refused, 30)
        yield
    finally:
        for url in reversed(made):
            server.request("DELETE", url)


def post(server: ApiServer, kind: Kind, body: Body, user: str, *, dry: bool = False) -> Answer:
    """Create an object as that user, an administrator if empty; `dry` leaves nothing behind."""
    root = "/api/v1" if kind.api_version == "v1" else f"/apis/{kind.api_version}"
    url = f"{root}/namespaces/{body['metadata']['namespace']}/{kind.plural}"
    return server.request("POST", f"{url}?dryRun=All" if dry else url, body, user=user)
