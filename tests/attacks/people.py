"""People with the chart's roles and no others, and what everyone in a namespace can read."""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.install import NAMESPACE, RELEASE
from tests.support.kube import Kube

ROLES = "app.kubernetes.io/name=encbench,app.kubernetes.io/component=roles"
AUTHOR = "attacker"
KINDS = (
    "campaigns,testbeds,trials,overheadreports,encryptionmodes,instancetemplates,workloads,pods,"
    "jobs,statefulsets,services,configmaps,events"
)


@dataclass(frozen=True)
class Person:
    """Someone who uses kubectl under a name of their own."""

    kube: Kube
    name: str

    def apply(self, *objects: dict[str, Any]) -> None:
        """`kubectl apply` of some manifests."""
        self._put("apply", *objects)

    def create(self, *objects: dict[str, Any]) -> None:
        """`kubectl create` of some manifests, which reads nothing first."""
        self._put("create", *objects)

    def _put(self, verb: str, *objects: dict[str, Any]) -> None:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kube.kubectl(verb, "--filename=-", f"--as={self.name}", stdin=text)


def author(kube: Kube) -> Person:
    """Someone with all of the chart's roles for people in the tests' namespace, and no others."""
    roles = [body["metadata"]["name"] for body in kube.list("clusterroles", NAMESPACE, ROLES)]
    assert len(roles) == 3, roles
    group = "rbac.authorization.k8s.io"
    kube.apply(
        *(
            {
                "apiVersion": f"{group}/v1",
                "kind": "RoleBinding",
                "metadata": {"name": f"{AUTHOR}-{role}", "namespace": NAMESPACE},
                "subjects": [{"kind": "User", "name": AUTHOR, "apiGroup": group}],
                "roleRef": {"kind": "ClusterRole", "name": role, "apiGroup": group},
            }
            for role in roles
        )
    )
    return Person(kube, AUTHOR)


def shown(kube: Kube) -> str:
    """Every object but Secrets, with its status, and the operator's log."""
    everything = kube.kubectl("get", KINDS, f"--namespace={NAMESPACE}", "--output=json")
    log = kube.kubectl("logs", f"deployment/{RELEASE}-operator", f"--namespace={NAMESPACE}")
    return everything + log
