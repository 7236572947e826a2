"""A watched namespace is deleted under a campaign: neither it nor the operator is held up.

The operator runs as a process with the roles of the chart. No namespace controller runs here, so
the tests do what it does: everything in the namespace is deleted, and the Role comes first.
"""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.reconcile.campaign.cleanup import FINALIZER
from tests.support import chart, manifests, operators
from tests.support.apiserver import OPERATOR, ApiServer
from tests.support.kube import wait_for

RBAC = "rbac.authorization.k8s.io"
KOPF_GIVES_UP = 60.0
"""Seconds after which kopf ends with its usual settings."""
_numbers = count(1)


class Installation:
    """The chart's rights in two namespaces, and the operator as its own user."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        number = next(_numbers)
        self.server, self.folder = server, folder
        self.doomed, self.other = (f"{name}-{number}" for name in ("doomed", "other"))
        for name in (self.doomed, self.other, chart.NAMESPACE):
            server.namespace(name)
        values = {"watchNamespaces": [self.doomed, self.other], "fullnameOverride": f"b{number}"}
        self.roles = chart.render(values)
        for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"):
            for component in ("operator", "leases", "election"):
                for body in self.roles.all(kind, component):
                    self._grant(body)
        for kind in ("Role", "RoleBinding"):
            (body,) = self.roles.all(kind, "election")
            self._grant({**body, "metadata": {**body["metadata"], "namespace": self.doomed}})

    def _grant(self, body: dict[str, Any]) -> None:
        if "subjects" in body:
            body["subjects"] = [{"kind": "User", "name": OPERATOR, "apiGroup": RBAC}]
        status, answer = self.server.request("POST", self._rbac(body), body)
        assert status == 201, answer

    @staticmethod
    def _rbac(body: dict[str, Any], name: str = "") -> str:
        space = body["metadata"].get("namespace")
        place = f"/namespaces/{space}" if space else ""
        return f"/apis/{RBAC}/v1{place}/{body['kind'].lower()}s{name}"

    @contextmanager
    def operator(self, *more: str) -> Iterator[subprocess.Popen[bytes]]:
        """The operator, from when it is ready; object store and Prometheus are away."""
        own = [f"--{use}-namespace={chart.NAMESPACE}" for use in ("release", "lease")]
        own += [f"--election={self.doomed}", "--pod=operator", *more]
        kubeconfig = self.server.kubeconfig_of(OPERATOR)
        with operators.operator(kubeconfig, self.folder, (self.doomed, self.other), *own) as one:
            yield one

    def campaign(self, space: str) -> str:
        """The URL of a campaign that is applied there with its parts."""
        matrix = {"instanceRefs": ["small"], "modeRefs": ["plain"], "workloadRefs": ["oltp"]}
        for kind, name, spec in (
            (INSTANCE_TEMPLATE, "small", {}),
            (ENCRYPTION_MODE, "plain", {}),
            (WORKLOAD, "oltp", {}),
            (CAMPAIGN, "study", {"matrix": [matrix]}),
        ):
            url = f"/apis/{kind.api_version}/namespaces/{space}/{kind.plural}"
            body = manifests.body(kind, name, space, **spec)
            status, answer = self.server.request("POST", url, body)
            assert status == 201, answer
        return f"{url}/study"

    def seen(self, url: str) -> dict[str, Any] | None:
        """The object there."""
        status, body = self.server.request("GET", url)
        assert status in (200, 404), body
        return body if status == 200 else None

    def accepted(self, url: str) -> Callable[[], bool]:
        """Condition: the operator has taken the campaign up."""

        def check() -> bool:
            body = self.seen(url) or {}
            return "resolved" in body.get("status", {})

        return check

    def delete_doomed(self, campaign: str) -> None:
        """As the namespace's controller does."""
        self._delete(f"/api/v1/namespaces/{self.doomed}")
        for kind in ("Role", "RoleBinding"):
            for body in self.roles.all(kind, "operator"):
                if body["metadata"]["namespace"] == self.doomed:
                    self._delete(self._rbac(body, f"/{body['metadata']['name']}"))
        self._delete(campaign)
        still = self.seen(campaign)
        assert still is None or still["metadata"]["finalizers"] == [FINALIZER]

    def _delete(self, url: str) -> None:
        status, answer = self.server.request("DELETE", url)
        assert status == 200, answer


@pytest.fixture
def installation(api_server: ApiServer, tmp_path: Path) -> Installation:
    return Installation(api_server, tmp_path)


def test_neither_the_operator_nor_the_namespace_is_held_up(installation: Installation) -> None:
    with installation.operator() as process:
        doomed = installation.campaign(installation.doomed)
        wait_for("the campaign's acceptance", installation.accepted(doomed), 30)
        installation.delete_doomed(doomed)
        wait_for("the campaign's end", lambda: installation.seen(doomed) is None, 30)
        other = installation.campaign(installation.other)
        wait_for("the acceptance of the next one", installation.accepted(other), 30)
        assert process.poll() is None


def test_an_operator_that_starts_then_lets_go_of_it(installation: Installation) -> None:
    with installation.operator():
        doomed = installation.campaign(installation.doomed)
        wait_for("the campaign's acceptance", installation.accepted(doomed), 30)
    installation.delete_doomed(doomed)
    with installation.operator() as process:
        wait_for("the campaign's end", lambda: installation.seen(doomed) is None, 30)
        other = installation.campaign(installation.other)
        wait_for("the acceptance of the next one", installation.accepted(other), 30)
        assert process.poll() is None


def test_an_operator_whose_own_namespace_goes_lets_go_of_all(installation: Installation) -> None:
    with installation.operator(f"--release-namespace={installation.doomed}") as process:
        other = installation.campaign(installation.other)
        wait_for("the campaign's acceptance", installation.accepted(other), 30)
        installation._delete(f"/api/v1/namespaces/{installation.doomed}")
        process.terminate()
        process.wait(30)
    body = installation.seen(other)
    assert body is not None
    assert "finalizers" not in body["metadata"]
    installation._delete(other)
    assert installation.seen(other) is None


@pytest.mark.full
def test_a_forbidden_namespace_does_not_end_the_watches(installation: Installation) -> None:
    installation._delete(f"/api/v1/namespaces/{installation.doomed}")
    for body in installation.roles.all("RoleBinding", "operator"):
        if body["metadata"]["namespace"] == installation.doomed:
            installation._delete(installation._rbac(body, f"/{body['metadata']['name']}"))
    with installation.operator() as process:
        time.sleep(KOPF_GIVES_UP)
        other = installation.campaign(installation.other)
        wait_for("its acceptance", installation.accepted(other), 30)
        assert process.poll() is None
