"""The leader of two operators is killed: the other goes on within 15 s, to the same outcome."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, conditions, ended, trials
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE, RELEASE, install
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full
NAME = "handed-over"
HAND_OVER = 20.0
"""Seconds from the last renewal of the killed leader to the next one's acquisition."""


@pytest.fixture
def two(installed: Kube) -> Iterator[Kube]:
    """The release with an operator that stands by."""
    install(installed, "operator.replicas=2")
    yield installed
    install(installed, "operator.replicas=1")


def lease(kube: Kube) -> dict[str, Any]:
    found = kube.get("lease", f"{RELEASE}-shard-0", NAMESPACE)
    assert found is not None
    spec: dict[str, Any] = found["spec"]
    return spec


def moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_the_next_one_takes_over(two: Kube, start: Start) -> None:
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 2, "maxReplacements": 0}))
    took = []
    for _ in range(2):
        wait_for_running_trial(two, NAME)
        before = lease(two)
        leader = before["holderIdentity"].rpartition("_")[0]
        two.kubectl("delete", "pod", leader, "-n", NAMESPACE, "--grace-period=0", "--force")
        after = wait_for("the next leader", partial(_next, two, before), 60, every=0.2)
        assert after["holderIdentity"].rpartition("_")[0] != leader
        assert after["leaseTransitions"] == before["leaseTransitions"] + 1
        # All by the clocks of one machine, and `before` may be two seconds older than the death.
        took.append(moment(after["acquireTime"]) - moment(before["renewTime"]))
        two.kubectl(
            *("rollout", "status", f"deployment/{RELEASE}-operator", "-n", NAMESPACE),
            "--timeout=120s",
        )
    assert max(took) <= HAND_OVER, took

    body = wait_for("the end of the campaign", lambda: ended(two, NAME), 600)
    assert conditions(body)["Complete"]["status"] == "True", body["status"]
    done = trials(two, NAME)
    places = sorted((t["spec"]["block"], t["spec"]["arm"]["name"]) for t in done)
    arms = ("plaintext", "plaintext-control")
    assert places == [(block, arm) for block in (1, 2) for arm in arms], "each once, none replaced"
    assert {t["status"]["outcome"] for t in done} == {"Succeeded"}
    keys = sorted(t["status"]["artefactKey"] for t in done)
    report = two.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    with bucket(two) as store:
        index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
    assert sorted(entry["key"] for entry in index["trials"]) == keys, "counted once each"
    assert len(set(keys)) == len(keys)


def _next(kube: Kube, before: dict[str, Any]) -> dict[str, Any] | None:
    found = lease(kube)
    return found if found.get("holderIdentity") not in (None, before["holderIdentity"]) else None
