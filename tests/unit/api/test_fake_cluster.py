"""The fake API server: held to the contract, and what it offers to tests beyond."""

from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, JOB, TESTBED, TRIAL
from encbench.kube.labels import owner_reference
from encbench.ports import Cluster, Conflict, Rejected, Unavailable
from tests.support.cluster_contract import ClusterContract
from tests.support.fake_cluster import Call, FakeCluster, RecordedEvent
from tests.support.manifests import body, config_map, job


class TestContract(ClusterContract):
    """All of it."""

    @pytest.fixture
    def cluster(self) -> Cluster:
        return FakeCluster()

    @pytest.fixture
    def namespace(self) -> str:
        return "one"

    @pytest.fixture
    def other_namespace(self) -> str:
        return "two"


def _owned(child: dict[str, Any], *owners: dict[str, Any]) -> dict[str, Any]:
    child["metadata"]["ownerReferences"] = [
        owner_reference(CAMPAIGN, owner["metadata"]["name"], owner["metadata"]["uid"])
        for owner in owners
    ]
    return child


async def test_dependents_go_with_their_last_owner() -> None:
    cluster = FakeCluster()
    first = cluster.add(CAMPAIGN, body(CAMPAIGN, "first", "ns"))
    second = cluster.add(CAMPAIGN, body(CAMPAIGN, "second", "ns"))
    testbed = cluster.add(TESTBED, _owned(body(TESTBED, "bed", "ns"), first))
    cluster.add(JOB, _owned(job("load", "ns"), testbed))
    cluster.add(CONFIG_MAP, _owned(config_map("shared", "ns"), first, second))
    await cluster.delete(CAMPAIGN, "ns", "first", first["metadata"]["uid"])
    assert cluster.all(TESTBED) == cluster.all(JOB) == []
    assert len(cluster.all(CONFIG_MAP)) == 1
    cluster.remove(CAMPAIGN, "ns", "second")
    assert cluster.all(CONFIG_MAP) == []


async def test_a_dependent_with_a_finalizer_waits_for_it() -> None:
    cluster = FakeCluster()
    owner = cluster.add(CAMPAIGN, body(CAMPAIGN, "study", "ns"))
    trial = _owned(body(TRIAL, "trial", "ns"), owner)
    trial["metadata"]["finalizers"] = ["encbench.io/hold"]
    cluster.add(TRIAL, trial)
    cluster.remove(CAMPAIGN, "ns", "study")
    assert cluster.one(TRIAL, "ns", "trial")["metadata"]["deletionTimestamp"]
    await cluster.patch_metadata(TRIAL, "ns", "trial", finalizers=[])
    assert cluster.all(TRIAL) == []


async def test_others_write_status_and_specs() -> None:
    cluster = FakeCluster()
    cluster.add(JOB, {**job("load", "ns"), "status": {"active": 1}})
    assert cluster.one(JOB, "ns", "load")["status"] == {"active": 1}
    cluster.set_status(JOB, "ns", "load", {"succeeded": 1})
    assert cluster.one(JOB, "ns", "load")["status"] == {"succeeded": 1}
    cluster.add(CAMPAIGN, body(CAMPAIGN, "study", "ns"))
    after = cluster.set_spec(CAMPAIGN, "ns", "study", suspend=True)
    assert after["spec"]["suspend"] is True
    assert after["metadata"]["generation"] == 2
    with pytest.raises(Rejected):
        cluster.set_spec(CAMPAIGN, "ns", "study", seed=7)
    assert cluster.calls == []


async def test_records_requests_and_events() -> None:
    cluster = FakeCluster()
    made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", "ns"))
    await cluster.get(CAMPAIGN, "ns", "study")
    await cluster.event(CAMPAIGN, made, "Accepted", "go", warning=True)
    assert cluster.calls == [
        Call("create", CAMPAIGN, "ns", "study"),
        Call("get", CAMPAIGN, "ns", "study"),
    ]
    assert list(cluster.writes) == cluster.calls[:1]
    assert cluster.events == [RecordedEvent(CAMPAIGN, "ns", "study", "Accepted", "go", True)]


async def test_reads_the_end_of_logs() -> None:
    cluster = FakeCluster()
    cluster.set_log("ns", "pod", "tool", "1\n2\n3\n")
    assert await cluster.logs("ns", "pod", "tool", 2) == "2\n3\n"


@pytest.mark.parametrize("after", [False, True])
async def test_a_fault_comes_before_or_after_the_write(after: bool) -> None:
    cluster = FakeCluster()
    cluster.fail_next(Unavailable(), after=after)
    assert await cluster.list(CONFIG_MAP, None) == []
    with pytest.raises(Unavailable):
        await cluster.create(CONFIG_MAP, config_map("one", "ns"))
    assert len(cluster.all(CONFIG_MAP)) == int(after)
    await cluster.create(CONFIG_MAP, config_map("two", "ns"))


async def test_a_fault_waits_for_its_request() -> None:
    cluster = FakeCluster()
    cluster.fail_next(Unavailable(), verb="list", kind=JOB)
    cluster.fail_next(KeyboardInterrupt(), verb="apply", skip=1)
    await cluster.create(CONFIG_MAP, config_map("one", "ns"))
    await cluster.list(CONFIG_MAP, "ns")
    with pytest.raises(Unavailable):
        await cluster.list(JOB, "ns")
    await cluster.apply(CONFIG_MAP, config_map("two", "ns"))
    with pytest.raises(KeyboardInterrupt):
        await cluster.apply(CONFIG_MAP, config_map("three", "ns"))
    assert [one["metadata"]["name"] for one in cluster.all(CONFIG_MAP)] == ["one", "two"]


async def test_what_is_handed_out_is_a_copy() -> None:
    cluster = FakeCluster()
    mine = config_map("one", "ns", a="1")
    made = await cluster.create(CONFIG_MAP, mine)
    mine["data"]["a"] = made["data"]["a"] = "2"
    assert cluster.one(CONFIG_MAP, "ns", "one")["data"] == {"a": "1"}


async def test_a_refused_status_leaves_the_version_usable() -> None:
    cluster = FakeCluster()
    made = cluster.add(CAMPAIGN, body(CAMPAIGN, "study", "ns"))
    with pytest.raises(Rejected):
        await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": 7}})
    await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
    with pytest.raises(Conflict):
        await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
