"""What the scheduler looks for in a pod, and how much of a node it may give away."""

from typing import Any

import pytest

from encbench.kube.nodes import (
    EVERYWHERE,
    GIBIBYTE,
    LARGEST,
    NodeSize,
    PodRequest,
    allocatable,
    least_node,
    requested,
    total,
)

MIB = 2**20


def container(cpu: str, memory: str, **more: Any) -> dict[str, Any]:
    return {"resources": {"requests": {"cpu": cpu, "memory": memory}}, **more}


def test_containers_are_added_up() -> None:
    pod = {"containers": [container("4", "32Gi"), container("50m", "96Mi")]}
    assert requested(pod) == PodRequest(4050, 32 * GIBIBYTE + 96 * MIB)


def test_an_init_container_counts_if_it_needs_more() -> None:
    pod = {"initContainers": [container("2", "16Mi")], "containers": [container("1", "64Mi")]}
    assert requested(pod) == PodRequest(2000, 64 * MIB)


def test_a_sidecar_counts_beside_all_that_come_after_it() -> None:
    """As in the Kubernetes documentation on sidecar containers."""
    inits = [
        container("100m", "1Mi"),
        container("1", "8Mi", restartPolicy="Always"),
        container("3", "1Mi"),
    ]
    pod = {"initContainers": inits, "containers": [container("1500m", "16Mi")]}
    assert requested(pod) == PodRequest(1000 + 3000, 24 * MIB)


@pytest.mark.parametrize(
    ("node", "millicores", "gibibytes"),
    [
        # What GKE's documentation computes: 70 millicores of 2 cores; of 8 GiB, 1.8 and 100 MiB.
        (NodeSize(2, 8), 1930, 6.2 - 100 / 1024),
        (NodeSize(16, 64), 15890, 64 - 1 - 0.8 - 0.8 - 2.88 - 100 / 1024),
        (NodeSize(64, 256), 63770, 256 - 1 - 0.8 - 0.8 - 6.72 - 2.56 - 100 / 1024),
    ],
)
def test_a_node_keeps_a_part_for_itself(node: NodeSize, millicores: int, gibibytes: float) -> None:
    found = allocatable(node)
    assert found.millicores == pytest.approx(millicores, abs=1)
    assert found.bytes / GIBIBYTE == pytest.approx(gibibytes, abs=0.001)


@pytest.mark.parametrize(
    "pod",
    [
        PodRequest(1, 1),
        PodRequest(4050, 2**35),
        PodRequest(15100, 25 * 2**30),
        PodRequest(2**44, 2**60),
    ],
)
def test_the_least_node_holds_it_and_a_smaller_one_does_not(pod: PodRequest) -> None:
    node, wanted = least_node(pod), total(pod, EVERYWHERE)
    offered = allocatable(node)
    assert offered.millicores >= wanted.millicores
    assert offered.bytes >= wanted.bytes
    smaller = allocatable(NodeSize(node.cores - 1, node.gibibytes - 1))
    assert smaller.millicores < wanted.millicores
    assert smaller.bytes < wanted.bytes


def test_what_no_machine_has_is_the_largest_node() -> None:
    wanted = {"containers": [container("9223372036854775807", "9999999999999999Ti")]}
    assert least_node(requested(wanted)) == NodeSize(LARGEST, LARGEST)
