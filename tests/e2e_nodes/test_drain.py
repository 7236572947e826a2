"""What an administrator does to nodes: a cordon disturbs nothing, nor does a drain that evicts.

A drain that deletes pods is survived.
"""

from typing import Any

import pytest

from tests.e2e.campaigns import Start, conditions, trials
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import apart
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, Kube, wait_for


def _outcome(kube: Kube, name: str) -> str | None:
    trial = kube.get("trial", name, NAMESPACE) or {}
    phase: str = trial.get("status", {}).get("phase", "")
    return phase if phase in ("Succeeded", "Invalid", "Failed") else None


def _outcomes(kube: Kube, campaign: str) -> list[str]:
    return [trial.get("status", {}).get("phase", "") for trial in trials(kube, campaign)]


def test_a_drain_waits_for_the_trial_and_a_forced_one_is_named_and_survived(
    installed: Kube, start: Start, nodes: Nodes
) -> None:
    name = start(apart(installed, nodes, "drained", blocks={"min": 3, "maxReplacements": 2}))
    first = wait_for_running_trial(installed, name)["metadata"]["name"]
    installed.kubectl("cordon", nodes.databases)
    try:
        # Before the clients end: then nothing of theirs would be left to evict.
        with pytest.raises(CommandFailed, match="disruption budget"):
            _drain(installed, nodes.clients, "--timeout=2s")
        installed.kubectl("uncordon", nodes.clients)
        with pytest.raises(CommandFailed, match="disruption budget"):
            _drain(installed, nodes.databases, "--timeout=8s")
        wait_for("the end of the trial", lambda: _outcome(installed, first), 120)
        assert _outcome(installed, first) == "Succeeded"
        wait_for_running_trial(installed, name)
        # The administrator insists: pods are deleted whatever budget protects them.
        _drain(installed, nodes.databases, "--disable-eviction", "--timeout=120s")
        body = wait_for("a word about it", lambda: _unschedulable(installed, name), 60)
        assert "fits no node" in body["status"]["step"]
    finally:
        installed.kubectl("uncordon", *nodes.further)
    before = _outcomes(installed, name).count("Succeeded")
    wait_for(
        "a trial that succeeds after the drain",
        lambda: _outcomes(installed, name).count("Succeeded") > before,
        240,
    )
    body = installed.get("campaign", name, NAMESPACE) or {}
    assert conditions(body)["Hindered"]["status"] == "False"
    assert set(_outcomes(installed, name)) & {"Invalid", "Failed"}, "the drain spoiled a trial"


def _drain(kube: Kube, node: str, *more: str) -> None:
    """As every node needs it whose pods have volumes, and on which a DaemonSet runs."""
    usual = ("--force", "--ignore-daemonsets", "--delete-emptydir-data")
    kube.kubectl("drain", node, *usual, *more)


def _unschedulable(kube: Kube, campaign: str) -> dict[str, Any] | None:
    body = kube.get("campaign", campaign, NAMESPACE) or {}
    fact = conditions(body).get("Hindered", {})
    told = fact.get("status") == "True" and fact["reason"] == "Unschedulable"
    return body if told else None
