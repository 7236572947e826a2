"""What `plan` says of a cluster whose nodes could not hold a campaign's pods."""

from typing import Any

import pytest

from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    LIMIT_RANGE,
    NODE,
    STORAGE_CLASS,
    WORKLOAD,
)
from encbench.api.refusal import Reason
from encbench.cli.plan import from_cluster
from encbench.kube.pods import LINUX
from encbench.ports import Body, Rejected
from tests.support.fake_cluster import FakeCluster
from tests.support.manifests import body

SPACE = "bench"
CLIENT = {"image": "tool:1", "resources": {"cpu": "1", "memory": "128Mi"}}
NOTED = {Reason.FITS_NO_NODE, Reason.OUT_OF_RANGE, Reason.NOT_FOUND, Reason.DISKS_STAY}
SPREAD = {"placement": {"nodeSelector": {"pool": "db"}}}


def node(name: str, cpu: str = "8", memory: str = "32Gi", **more: Any) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**LINUX, **more.get("labels", {})}},
        "spec": {"taints": more["taints"]} if "taints" in more else {},
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": "110"}},
    }


def storage_class(name: str, *, is_default: bool = False, policy: str = "Delete") -> Body:
    marks = {"storageclass.kubernetes.io/is-default-class": "true"} if is_default else {}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": marks},
        "provisioner": "example.com/disks",
        "reclaimPolicy": policy,
    }


def cluster(*nodes: Body, instance: Body | None = None, **campaign: Any) -> FakeCluster:
    found = FakeCluster()
    found.add(INSTANCE_TEMPLATE, body(INSTANCE_TEMPLATE, "small", SPACE, **(instance or {})))
    found.add(ENCRYPTION_MODE, body(ENCRYPTION_MODE, "plain", SPACE))
    tde = body(ENCRYPTION_MODE, "tde", SPACE, atRest={"method": "engine"})
    found.add(ENCRYPTION_MODE, tde)
    found.add(WORKLOAD, body(WORKLOAD, "oltp", SPACE, client=CLIENT))
    found.add(CAMPAIGN, body(CAMPAIGN, "study", SPACE, **campaign))
    found.add(STORAGE_CLASS, storage_class("standard", is_default=True))
    for one in nodes:
        found.add(NODE, one)
    return found


async def said_of(cluster: FakeCluster) -> list[str]:
    answer = await from_cluster(cluster, SPACE, "study")
    assert answer.is_good
    (planned,) = answer.campaigns
    assert planned.outline is not None
    assert {note.reason for note in planned.notes} <= NOTED
    return [note.text for note in planned.notes]


async def notes(*nodes: Body, **given: Any) -> list[str]:
    return await said_of(cluster(*nodes, **given))


async def test_nodes_with_room_are_worth_no_word() -> None:
    assert await notes(node("n1"), node("n2")) == []
    assert await notes(node("n1"), allowColocation=True) == []
    assert await notes() == []


async def test_nodes_of_another_system_hold_nothing() -> None:
    windows = {"kubernetes.io/os": "windows"}
    tiny = (node(name, cpu="100m") for name in ("n1", "n2"))
    said = await notes(*tiny, node("n3", labels=windows), node("n4", labels=windows))
    assert len(said) == 2
    assert all("fits no node of this cluster: n1 offers 0.1 CPU" in one for one in said)


async def test_a_pod_larger_than_every_node() -> None:
    """2 cores and 4 GiB of the server's, and its agent."""
    large = {"resources": {"cpu": "2", "memory": "4Gi"}}
    two = [node(name, cpu="2", memory="16Gi") for name in ("n1", "n2")]
    (said,) = await notes(*two, instance=large)
    assert said == (
        "InstanceTemplate small: a database of 2.05 CPU and 4.1 GiB, sidecars included, fits no "
        "node of this cluster: n1 offers 2 CPU and 16.0 GiB. Ask for less in resources, or add a "
        "node of 3 cores and 6 GiB or more"
    )
    assert await notes(*two, node("n3", cpu="2050m", memory="5Gi"), instance=large) == []


@pytest.mark.parametrize("cpu", ["1", "900m"])
async def test_a_client_larger_than_every_node(cpu: str) -> None:
    """Its load takes 1 core; where that is too large too, the larger of both is named."""
    small = {"resources": {"cpu": "500m", "memory": "512Mi"}}
    (said,) = await notes(node("n1", cpu=cpu), node("n2", cpu=cpu), instance=small)
    assert said.startswith("Workload oltp: a client of 1.1 CPU and ")


async def test_a_selector_that_no_node_answers() -> None:
    said = await notes(node("n1", labels={"pool": "web"}), node("n2"), instance=SPREAD)
    assert said == [
        "InstanceTemplate small: no node of this cluster has the labels that a database asks for "
        "(kubernetes.io/os=linux, pool=db): label a node, or correct placement.nodeSelector"
    ]
    own = node("n3", labels={"pool": "db", "zone": "a"})
    assert await notes(node("n1"), own, instance=SPREAD) == []


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "dedicated", "value": "db"}, True),
        ({"key": "dedicated", "value": "db", "effect": "NoSchedule"}, True),
        ({"key": "dedicated", "value": "db", "effect": "NoExecute"}, False),
        ({"key": "dedicated", "value": "web"}, False),
        ({"key": "dedicated"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
async def test_taints_are_tolerated_as_the_scheduler_would(toleration: Body, fits: bool) -> None:
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    own = node("n1", labels={"pool": "db"}, taints=[taint])
    place = {"nodeSelector": {"pool": "db"}, "tolerations": [toleration]}
    said = await notes(own, node("n2"), instance={"placement": place})
    why = (
        "InstanceTemplate small: every node that a database may use has a taint that it does not "
        "tolerate: write placement.tolerations for dedicated=db:NoSchedule, or remove the taint"
    )
    assert said == ([] if fits else [why])


async def test_what_will_pass_is_no_taint() -> None:
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    wish = {"key": "dedicated", "value": "db", "effect": "PreferNoSchedule"}
    assert await notes(node("n1", taints=[cordon]), node("n2", taints=[wish])) == []


async def test_one_node_for_both_needs_a_word_in_the_campaign() -> None:
    (said,) = await notes(node("n1"))
    assert said.startswith("a client needs another node than its database's, and of this cluster ")
    assert "only n1 takes either: add a node, or write allowColocation: true" in said
    assert len(await notes(node("n1"), node("n2", cpu="1"))) == 1


async def test_a_node_that_has_not_reported_may_hold_anything() -> None:
    new = {**node("n2"), "status": {}}
    assert await notes(node("n1"), new) == []


async def test_without_the_right_to_list_nodes_nothing_is_said() -> None:
    found = cluster(node("n1"))
    found.fail_next(Rejected("nodes is forbidden"), verb="list", kind=NODE)
    assert await said_of(found) == []
    assert len(await said_of(found)) == 1


def limit_range(*limits: Body, namespace: str = SPACE) -> Body:
    meta = {"name": "small", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": meta, "spec": {"limits": limits}}


def of(kind: str, **bounds: Body) -> Body:
    return {"type": kind, **bounds}


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (of("Container", min={"cpu": "50m", "memory": "64Mi"}), []),
        (of("Container", max={"cpu": "4"}, default={"ephemeral-storage": "2Gi"}), []),
        (of("PersistentVolumeClaim", min={"storage": "1Ti"}), []),
        (
            of("Container", min={"cpu": "60m"}),
            [
                "InstanceTemplate small: LimitRange small refuses a database, because container "
                "agent requests 50m of cpu: min is 60m. Correct either; docs/install.md "
                "has the sizes that encbench sets itself"
            ],
        ),
        (
            of("Container", max={"memory": "127Mi"}),
            ["container initialise limits 512Mi", "tool limits 128Mi"],
        ),
        # Floats would add them to a little more.
        (of("Pod", max={"cpu": "1100m"}), []),
        (of("Container", min={"cpu": "0.05"}), []),
        (
            of("Pod", max={"cpu": "1050m"}),
            ["a client, because its containers' limits of cpu are 1 + 100m: max is 1050m"],
        ),
    ],
)
async def test_a_limit_range_that_refuses_a_pod(limit: Body, said: list[str]) -> None:
    found = cluster()
    found.add(LIMIT_RANGE, limit_range(limit))
    found.add(LIMIT_RANGE, limit_range(of("Container", min={"cpu": "9"}), namespace="other"))
    notes = await said_of(found)
    assert len(notes) == len(said)
    assert all(words in note for words, note in zip(said, notes, strict=True))


async def test_a_volume_without_a_storage_class() -> None:
    named = cluster(instance={"storage": {"size": "1Gi", "className": "fast"}})
    assert await said_of(named) == [
        "InstanceTemplate small: this cluster has no StorageClass fast: create it, or name another "
        "(kubectl get storageclasses)"
    ]
    named.add(STORAGE_CLASS, storage_class("fast"))
    assert await said_of(named) == []
    unnamed = cluster()
    unnamed.remove(STORAGE_CLASS, "", "standard")
    unnamed.add(STORAGE_CLASS, storage_class("fast"))
    (said,) = await said_of(unnamed)
    assert "this cluster has no default StorageClass: name one in storage.className" in said
    unnamed.fail_next(Rejected("storageclasses is forbidden"), verb="list", kind=STORAGE_CLASS)
    assert await said_of(unnamed) == []


async def test_disks_that_outlive_their_testbeds() -> None:
    encrypted = {"method": "volume", "volume": {"storageClassName": "luks"}}
    found = cluster()
    found.remove(ENCRYPTION_MODE, SPACE, "tde")
    found.add(ENCRYPTION_MODE, body(ENCRYPTION_MODE, "tde", SPACE, atRest=encrypted))
    found.add(STORAGE_CLASS, storage_class("luks", policy="Retain"))
    found.add(STORAGE_CLASS, storage_class("of-others", policy="Retain"))
    (said,) = await said_of(found)
    assert said.startswith("StorageClass luks has reclaimPolicy: Retain, so every testbed leaves")
    found.remove(STORAGE_CLASS, "", "standard")
    found.add(STORAGE_CLASS, storage_class("standard", is_default=True, policy="Retain"))
    assert len(await said_of(found)) == 2
