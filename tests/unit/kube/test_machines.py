"""What a Node says of itself, and when two are alike."""

from typing import Any

import pytest

from encbench.api.testbed import Machine
from encbench.kube.machines import differences, of_node

USUAL = Machine(
    node="n1",
    cpu_model="Some CPU",
    kernel="6.1.0",
    allocatable_cores=7.91,
    allocatable_bytes=30 * 2**30,
    instance_type="m5.2xlarge",
    zone="a",
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ()),
        ({"node": "n2", "zone": "b", "instance_type": "other"}, ()),
        ({"cpu_model": "Other"}, ("CPU Some CPU against Other",)),
        ({"kernel": "6.2.0"}, ("kernel 6.1.0 against 6.2.0",)),
        ({"allocatable_cores": 15.89}, ("7.91 allocatable cores against 15.89",)),
        ({"allocatable_bytes": 30 * 2**30 - 2**20}, ()),
        ({"allocatable_bytes": 60 * 2**30}, ("30.0 GiB of allocatable memory against 60.0 GiB",)),
        ({"cpu_model": None, "kernel": None, "allocatable_cores": None}, ()),
    ],
)
def test_what_makes_two_machines_unlike(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    other = USUAL.model_copy(update=changes)
    assert differences(USUAL, other) == words
    assert bool(differences(other, USUAL)) == bool(words)


def test_an_earlier_agent_that_named_no_part_of_an_arm_cpu_is_no_other_machine() -> None:
    bare, one, other = (
        USUAL.model_copy(update={"cpu_model": f"aarch64{numbers}"})
        for numbers in ("", ", implementer 0x41, part 0xd0c", ", implementer 0x41, part 0xd40")
    )
    assert differences(bare, one) == differences(other, bare) == ()
    assert differences(one, other)


def test_every_difference_is_told() -> None:
    other = USUAL.model_copy(update={"cpu_model": "Other", "kernel": "6.2.0"})
    assert len(differences(USUAL, other)) == 2


def test_a_node() -> None:
    body = {
        "metadata": {
            "name": "n1",
            "labels": {
                "node.kubernetes.io/instance-type": "m5.2xlarge",
                "topology.kubernetes.io/zone": "a",
            },
        },
        "status": {
            "capacity": {"cpu": "8", "memory": "32Gi"},
            "allocatable": {"cpu": "7910m", "memory": "31457280Ki"},
            "nodeInfo": {
                "kubeletVersion": "v1.33.1",
                "containerRuntimeVersion": "containerd://v2",
                "osImage": "Some OS 12" + "." * 300,
            },
        },
    }
    known = of_node("n1", body)
    assert known.allocatable_cores == pytest.approx(7.91)
    assert known.allocatable_bytes == 30 * 2**30
    assert (known.instance_type, known.zone) == ("m5.2xlarge", "a")
    assert (known.kubelet, known.container_runtime) == ("v1.33.1", "containerd://v2")
    assert known.os_image is not None and len(known.os_image) == 256


@pytest.mark.parametrize("offered", [{}, {"cpu": "1e3", "memory": "much"}, {"cpu": None}])
def test_what_a_node_does_not_say_is_not_known(offered: dict[str, Any]) -> None:
    known = of_node("n1", {"status": {"allocatable": offered}})
    assert known == Machine(node="n1")
    assert of_node("n1", {}) == Machine(node="n1")
