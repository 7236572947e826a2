"""How many operators there are, and what they are told of each other."""

from collections.abc import Sequence
from typing import Any

import pytest

from encbench.__main__ import contender
from encbench.options import arguments
from tests.support.chart import NAMESPACE, Manifest, Refused, Rendered, render


def deployed(chart: Rendered) -> Manifest:
    found: Manifest = chart.one("Deployment", "operator")["spec"]
    return found


def started_with(chart: Rendered) -> Sequence[str]:
    (container,) = deployed(chart)["template"]["spec"]["containers"]
    assert {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}} in (
        container["env"]
    )
    return [arg.replace("$(POD_NAME)", "bench-encbench-operator-1") for arg in container["args"]]


def rolling(surge: int) -> Manifest:
    amounts = {"maxSurge": surge, "maxUnavailable": 1 - surge}
    return {"type": "RollingUpdate", "rollingUpdate": amounts}


@pytest.mark.parametrize(
    ("shards", "replicas", "pods", "strategy"),
    [
        # With maxUnavailable: 1, Helm would wait for none of one.
        (1, 1, 1, {"type": "Recreate"}),
        (3, 1, 3, rolling(0)),
        (1, 2, 2, rolling(1)),
        (2, 3, 6, rolling(1)),
    ],
)
def test_each_shard_has_its_pods(shards: int, replicas: int, pods: int, strategy: Manifest) -> None:
    chart = render({"operator": {"shards": shards, "replicas": replicas}})
    spec = deployed(chart)
    assert (spec["replicas"], spec["strategy"]) == (pods, strategy)
    args = arguments().parse_args(started_with(chart))
    own = contender(args)
    assert (own.namespace, own.election, own.shards) == (NAMESPACE, "bench-encbench", shards)
    assert own.identity.startswith("bench-encbench-operator-1_")
    assert own.succeeds("bench-encbench-operator-1_00000000")
    assert not own.succeeds("bench-encbench-operator-10_00000000")
    assert contender(args).identity != own.identity
    assert bool(chart.all("PodDisruptionBudget", "operator")) == (replicas > 1)


def test_pods_keep_apart_and_a_drain_takes_one_at_a_time() -> None:
    chart = render({"operator": {"shards": 2, "replicas": 2}})
    spec = deployed(chart)["template"]["spec"]
    ((wish,), *_) = spec["affinity"]["podAntiAffinity"].values()
    own = deployed(chart)["selector"]
    assert wish["podAffinityTerm"] == {
        "labelSelector": own,
        "topologyKey": "kubernetes.io/hostname",
    }
    budget = chart.one("PodDisruptionBudget", "operator")["spec"]
    assert budget == {"maxUnavailable": 1, "selector": own}


def test_an_affinity_of_ones_own_replaces_that() -> None:
    own: dict[str, Any] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    chart = render({"operator": {"replicas": 2, "affinity": own}})
    assert deployed(chart)["template"]["spec"]["affinity"] == own


def test_without_a_standby_none_is_kept_from_a_drain(default: Rendered) -> None:
    assert not default.all("PodDisruptionBudget")
    assert "affinity" not in deployed(default)["template"]["spec"]


@pytest.mark.parametrize("field", ["shards", "replicas"])
def test_there_is_no_release_without_an_operator(field: str) -> None:
    with pytest.raises(Refused, match=field):
        render({"operator": {field: 0}})
