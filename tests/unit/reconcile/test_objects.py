"""Campaigns that are over: known as such before they are parsed."""

from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.objects import has_ended, is_over, under_way
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.seen import with_status

STATES = {
    "new": {},
    "refused": {"Accepted": ("False", 9.0), "Stalled": ("True", 9.0)},
    "running": {"Accepted": ("True", 9.0), "Complete": ("False", 9.0)},
    "complete": {"Accepted": ("True", 9.0), "Complete": ("True", 9.0)},
    "failed": {"Accepted": ("True", 9.0), "Failed": ("True", 9.0)},
}


def in_state(name: str) -> Body:
    return with_status(manifests.body(CAMPAIGN, name, "ns"), STATES[name])


@pytest.mark.parametrize("name", STATES)
def test_it_is_over_when_it_has_ended(name: str) -> None:
    body = in_state(name)
    assert is_over(body) == has_ended(objects.campaign(body)) == (name in ("complete", "failed"))


@pytest.mark.parametrize("status", [None, {}, {"conditions": None}, {"conditions": ["Complete"]}])
def test_one_that_says_nothing_is_not_over(status: Any) -> None:
    assert not is_over({**in_state("new"), "status": status})


async def test_only_those_that_are_under_way_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, parsed = FakeCluster(), list[str]()
    for name in STATES:
        cluster.add(CAMPAIGN, in_state(name))
    parse = objects.campaign

    def counted(body: Body) -> objects.Campaign:
        parsed.append(body["metadata"]["name"])
        return parse(body)

    monkeypatch.setattr(objects, "campaign", counted)
    found = [one.name for one in await under_way(cluster, "ns")]
    assert sorted(found) == sorted(parsed) == ["new", "refused", "running"]
