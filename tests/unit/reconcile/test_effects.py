"""Effects: adopting what is ours, and never what is somebody else's."""

import logging

import pytest

from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, JOB, TRIAL, Kind
from encbench.kube.labels import ACTIVE, owner_reference
from encbench.ports import Body, Conflict
from encbench.reconcile import objects
from encbench.reconcile.effects.cluster import NotOurs, perform
from encbench.reconcile.effects.effect import Announce, Apply, Create, Delete, ObjectEffect, Retire
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster


@pytest.fixture
def cluster() -> FakeCluster:
    found = FakeCluster()
    found.add(CAMPAIGN, manifests.body(CAMPAIGN, "study", "ns"))
    return found


def study(cluster: FakeCluster) -> Body:
    return cluster.one(CAMPAIGN, "ns", "study")


def a_child(cluster: FakeCluster, kind: Kind = CONFIG_MAP, uid: str | None = None) -> Body:
    owner = uid or study(cluster)["metadata"]["uid"]
    make = manifests.job if kind == JOB else manifests.config_map
    body: Body = make("child", "ns")
    body["metadata"]["ownerReferences"] = [owner_reference(CAMPAIGN, "study", owner)]
    return body


async def do(cluster: FakeCluster, *effects: ObjectEffect) -> None:
    assert not await perform(cluster, objects.campaign(study(cluster)), *effects)


async def test_creating_twice_adopts_our_own(cluster: FakeCluster) -> None:
    effect = Create(JOB, a_child(cluster, JOB))
    await do(cluster, effect, effect)
    assert len(cluster.all(JOB)) == 1


@pytest.mark.parametrize("effect", [Create, Apply])
async def test_what_an_earlier_campaign_left_is_not_taken_over(
    cluster: FakeCluster, effect: type[Create] | type[Apply]
) -> None:
    old = cluster.add(CONFIG_MAP, a_child(cluster, uid="an earlier one"))
    with pytest.raises(NotOurs, match="ConfigMap child already exists and has another owner"):
        await do(cluster, effect(CONFIG_MAP, a_child(cluster)))
    assert cluster.one(CONFIG_MAP, "ns", "child") == old


async def test_what_is_gone_before_it_can_be_adopted_is_a_conflict(cluster: FakeCluster) -> None:
    cluster.fail_next(Conflict("taken"), verb="create")
    with pytest.raises(Conflict):
        await do(cluster, Create(JOB, a_child(cluster, JOB)))


async def test_applying_again_changes_our_own(cluster: FakeCluster) -> None:
    body = a_child(cluster)
    await do(cluster, Apply(CONFIG_MAP, {**body, "data": {"a": "1"}}))
    await do(cluster, Apply(CONFIG_MAP, {**body, "data": {"a": "2"}}))
    assert cluster.one(CONFIG_MAP, "ns", "child")["data"] == {"a": "2"}


async def test_only_the_named_incarnation_is_deleted(cluster: FakeCluster) -> None:
    job = cluster.add(JOB, a_child(cluster, JOB))
    await do(cluster, Delete(JOB, "ns", "child", "another"))
    assert cluster.all(JOB)
    await do(cluster, Delete(JOB, "ns", "child", job["metadata"]["uid"]))
    assert not cluster.all(JOB)


async def test_what_is_announced_is_logged(
    cluster: FakeCluster, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await do(cluster, Announce("Accepted", "it starts"))
        await do(cluster, Announce("NotStored", "the store\nis away", warning=True))
    first, second = caplog.records
    assert (first.levelname, second.levelname) == ("INFO", "WARNING")
    assert first.getMessage() == "Campaign ns/study: Accepted: it starts"
    assert "\n" not in second.getMessage()
    assert first.__dict__["subject"] == {"kind": "Campaign", "namespace": "ns", "name": "study"}


async def test_retiring_takes_the_label_off_and_telling_records_an_event(
    cluster: FakeCluster,
) -> None:
    body = manifests.body(TRIAL, "run", "ns")
    body["metadata"]["labels"] = {ACTIVE: "true", "other": "stays"}
    trial = cluster.add(TRIAL, body)
    effects = (Retire(), Announce("Why", "so", warning=True))
    await perform(cluster, objects.trial(trial), *effects)
    assert cluster.one(TRIAL, "ns", "run")["metadata"]["labels"] == {"other": "stays"}
    (event,) = cluster.events
    assert (event.name, event.reason, event.note, event.warning) == ("run", "Why", "so", True)
