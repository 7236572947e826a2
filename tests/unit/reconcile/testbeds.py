"""Testbeds as a pass of a testbed sees them."""

from dataclasses import replace
from typing import Any

from encbench.core.starts import Start
from encbench.kube import labels
from encbench.reconcile.testbed.decision import TestbedDecision
from encbench.reconcile.testbed.facts import SetFacts, TestbedFound, TestbedSeen
from tests.unit.reconcile.seen import ALONE, NOW, a_pod, ready, status_of

UP = {"Provisioned": ("True", 10.0)}
LOADED = {**UP, "Loaded": ("True", 5.0)}
DATABASE = a_pod("bed-0", *ready("server", "agent"))


def saw(**fields: Any) -> TestbedSeen:
    """A pass that saw the testbed's database run, and nothing else to do."""
    there = SetFacts({"spec": {"replicas": 1, "template": {}}})
    usual = TestbedSeen(now=NOW, has_credentials=True, stateful_set=there, database=DATABASE)
    return replace(usual, **{"found": TestbedFound(nodes=ALONE), **fields})


def failure(decision: TestbedDecision) -> str:
    """Why it has failed."""
    assert status_of(decision, "Ready")[0] in ("False", "")
    return status_of(decision, "Failed")[1]


def a_set(replicas: int = 1, **notes: str) -> SetFacts:
    """A StatefulSet of so many replicas, with these annotations of its pods."""
    template: dict[str, Any] = {
        "metadata": {"labels": {"a": "b"}, **({"annotations": notes} if notes else {})},
        "spec": {"containers": [{"name": "server", "image": "old"}]},
    }
    return SetFacts(
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {
                "name": "bed",
                "namespace": "ns",
                "uid": "1",
                "resourceVersion": "77",
                "labels": {"x": "y"},
                "ownerReferences": [{"uid": "2"}],
                "managedFields": [{"manager": "encbench"}],
            },
            "spec": {"replicas": replicas, "serviceName": "bed", "template": template},
            "status": {"replicas": 1},
        }
    )


def set_for(start: Start, replicas: int) -> SetFacts:
    """The StatefulSet for that start of the server."""
    return a_set(replicas, **{labels.START: start.name, labels.RESET: start.reset})
