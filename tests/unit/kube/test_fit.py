"""Whether an empty node would take a pod."""

from typing import Any

import pytest

from encbench.kube.fit import Node, node, takes
from encbench.kube.nodes import PodRequest

OFFERED = {"cpu": "3920m", "memory": "12Gi"}


def a_node(**spec: Any) -> Node | None:
    meta = {"name": "n1", "labels": {"pool": "clients"}}
    return node({"metadata": meta, "spec": spec, "status": {"allocatable": OFFERED}})


def a_pod(cpu: str = "1", memory: str = "1Gi", **spec: Any) -> dict[str, Any]:
    own = {"resources": {"requests": {"cpu": cpu, "memory": memory}}}
    return {"containers": [own, {"name": "of another"}], **spec}


def test_a_node_as_it_says_of_itself() -> None:
    own = {"key": "dedicated", "effect": "NoSchedule"}
    wish = {"key": "dedicated", "effect": "PreferNoSchedule"}
    offers = PodRequest(3920, 12 << 30)
    assert a_node(taints=[own, wish]) == Node("n1", {"pool": "clients"}, (own,), offers)
    assert node({"metadata": {"name": "new"}}) is None


@pytest.mark.parametrize(
    ("pod", "fits"),
    [
        (a_pod(), True),
        (a_pod(cpu="3920m", memory="12Gi"), True),
        (a_pod(cpu="3921m"), False),
        (a_pod(memory="13Gi"), False),
        (a_pod(nodeSelector={"pool": "clients"}), True),
        (a_pod(nodeSelector={"pool": "client"}), False),
        (a_pod(memory="1e9"), True),
    ],
)
def test_labels_and_size(pod: dict[str, Any], fits: bool) -> None:
    one = a_node()
    assert one is not None
    assert takes(one, pod) is fits


def test_a_cordon_and_other_taints_keep_pods_away_that_do_not_tolerate_them() -> None:
    for key in ("dedicated", "node.kubernetes.io/unschedulable"):
        one = a_node(taints=[{"key": key, "effect": "NoSchedule"}])
        assert one is not None
        assert not takes(one, a_pod())
        assert takes(one, a_pod(tolerations=[{"key": key, "operator": "Exists"}]))
