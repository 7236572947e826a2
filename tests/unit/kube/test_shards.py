"""Shards: which campaign is whose must never change, and everything of a campaign goes with it."""

from collections import Counter
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, JOB, OVERHEAD_REPORT, POD, TESTBED, TRIAL, Kind
from encbench.kube.labels import CAMPAIGN as LABEL
from encbench.kube.shards import Shard, campaign_of, shard_of

GOLDEN = {
    ("bench", "one"): [0, 1, 1, 1, 9],
    ("bench", "two"): [0, 0, 0, 2, 10],
    ("bench", "three"): [0, 0, 2, 2, 6],
    ("team-a", "one"): [0, 0, 0, 0, 4],
}
"""The shard where there are 1, 2, 3, 4 and 16. Two versions that disagree would both act."""


def body(name: str, *, ref: Any = None, label: str = "") -> dict[str, Any]:
    meta = {"name": name, "namespace": "bench", "labels": {LABEL: label} if label else {}}
    return {"metadata": meta, "spec": {} if ref is None else {"campaignRef": ref}}


@pytest.mark.parametrize(
    ("place", "shards"), GOLDEN.items(), ids=lambda one: "/".join(map(str, one))
)
def test_a_campaign_stays_where_it_is(place: tuple[str, str], shards: list[int]) -> None:
    assert [shard_of(*place, count) for count in (1, 2, 3, 4, 16)] == shards


@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_shards_are_of_like_size(count: int) -> None:
    sizes = Counter(shard_of("team-a", f"campaign-{number}", count) for number in range(1000))
    assert sizes.keys() == {*range(count)}
    assert max(sizes.values()) < 1.3 * 1000 / count


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (CAMPAIGN, body("study", label="other")),
        (TESTBED, body("study-tde", ref={"name": "study"}, label="other")),
        (TRIAL, body("study-b1-tde", ref={"name": "study"})),
        (OVERHEAD_REPORT, body("study", ref={"name": "study"})),
        (JOB, body("study-b1-tde-client", label="study")),
        (POD, body("study-b1-tde-client-x7x2p", label="study")),
        (POD, body("study")),
        (TRIAL, body("study", ref="no mapping")),
        (TRIAL, {"metadata": {"name": "study", "namespace": "bench"}, "spec": None}),
    ],
    ids=lambda one: one.kind if isinstance(one, Kind) else "",
)
def test_what_belongs_to_a_campaign_goes_with_it(kind: Kind, found: dict[str, Any]) -> None:
    assert campaign_of(kind, found) == "study"
    own = shard_of("bench", "study", 3)
    assert [Shard(index, 3).has(kind, found) for index in range(3)] == [
        index == own for index in range(3)
    ]
    assert Shard().has(kind, found)
