"""The schedule follows from the seed alone, and keeps faults of one lane apart."""

from collections import Counter
from itertools import islice, pairwise

from tests.chaos.faults import FAULTS
from tests.chaos.schedule import Planned, campaigns

ALL = list(FAULTS.values())


def plans(seed: int, count: int = 30, each: int = 12) -> list[list[Planned]]:
    return list(islice(campaigns(seed, ALL, each), count))


def test_the_seed_decides_everything() -> None:
    assert plans(1) == plans(1)
    assert plans(1) != plans(2)


def test_every_fault_comes_as_often_as_any_other() -> None:
    rounds = 12
    found = [one for plan in plans(5, len(ALL), rounds) for one in plan]
    counts = Counter(one.fault.name for one in found)
    assert set(counts) == set(FAULTS)
    assert set(counts.values()) == {rounds}


def test_two_faults_of_one_lane_are_never_on_together() -> None:
    for plan in plans(3):
        moments = [one.at for one in plan]
        assert moments == sorted(moments)
        for lane in {one.fault.lane for one in plan}:
            own = [one for one in plan if one.fault.lane == lane]
            for first, second in pairwise(own):
                assert second.at > first.at + first.hold


def test_faults_of_different_lanes_are() -> None:
    assert any(
        second.at < first.at + first.hold for plan in plans(3) for first, second in pairwise(plan)
    )


def test_the_end_of_the_campaign_comes_last() -> None:
    ends = [plan for plan in plans(4) if any(one.fault.lane == "campaign" for one in plan)]
    assert ends
    for plan in ends:
        assert [one.fault.name for one in plan if one.fault.lane == "campaign"] == [
            plan[-1].fault.name
        ]
