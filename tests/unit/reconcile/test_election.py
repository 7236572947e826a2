"""One process acts for a shard, the next one takes over in time, and none is led twice."""

import asyncio
import logging
from typing import Any

import pytest

from encbench.api.kinds import LEASE
from encbench.kube.shards import Shard
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import election
from encbench.reconcile.absences import Absences
from encbench.reconcile.election import ACTS, AGAIN, LASTS, Deposed
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.candidates import ELECTION, SPACE, Instant, Process, lease

HAND_OVER = 15.0
"""Seconds from the death of a leader to the next one's first act."""


class Processes:
    """As many as a test wants, on one cluster."""

    def __init__(self) -> None:
        self.instant = Instant()
        self.cluster = FakeCluster()

    def one(self, name: str, **more: Any) -> Process:
        return Process(self.instant, self.cluster, name, **more)

    async def pass_time(self, seconds: float, *alive: Process, step: float = 0.1) -> None:
        """These stand and renew meanwhile, as often as they want."""
        end = self.instant.seconds + seconds
        while self.instant.seconds < end:
            for process in alive:
                if process.ticks() >= process.due:
                    process.due = process.ticks() + await process.elector.attempt()
            self.instant.seconds += step


@pytest.fixture
def here() -> Processes:
    return Processes()


def test_the_figures_keep_the_promise() -> None:
    assert AGAIN + LASTS + AGAIN < HAND_OVER, "with a look that came just too early"
    assert ACTS + AGAIN < LASTS, "a leader stops well before the next one begins"
    assert ACTS > 3 * AGAIN, "it may fail to renew twice"


async def test_a_single_process_leads_with_its_first_attempt(here: Processes) -> None:
    only = here.one("only")
    assert not only.elector.leads
    assert await only.elector.attempt() == AGAIN
    assert only.elector.leads
    assert await only.elector.elected() == Shard(0, 1)
    assert only.elector.standing() == {0: True}
    found = lease(here.cluster)
    assert (found.holder, found.seconds, found.shard) == (only.identity, LASTS, Shard(0, 1))
    # To see what there is, to make and take the Lease, to see whether there are rivals meanwhile.
    verbs = [call.verb for call in here.cluster.calls]
    assert verbs == ["list", "create", "apply", "apply", "list"]
    here.cluster.calls.clear()
    await here.pass_time(60, only)
    assert {call.verb for call in here.cluster.calls} == {"apply"}
    assert 60 / AGAIN - 1 <= len(here.cluster.calls) <= 60 / AGAIN + 1
    assert lease(here.cluster).transitions == 1


@pytest.mark.parametrize("off", [0.0, -86400.0, 86400.0])
async def test_a_killed_leader_is_followed_in_time(here: Processes, off: float) -> None:
    one, two = here.one("one"), here.one("two", off=off)
    await here.pass_time(30, one, two)
    assert (one.led, two.led) == (0, None)
    killed = here.instant.seconds
    while two.led is None:
        await here.pass_time(0.1, two)
    assert ACTS < here.instant.seconds - killed <= AGAIN + LASTS + 0.2 < HAND_OVER
    assert one.led is None
    assert lease(here.cluster).transitions == 2


async def test_a_leader_knows_when_it_could_not_act(here: Processes) -> None:
    only = here.one("only", off=1e6)
    await here.pass_time(20, only)
    assert only.elector.absences() == Absences()
    last = only.now()
    for seconds in (600, 120):
        await here.pass_time(seconds)
        during = only.elector.absences().waited(last, only.now())
        await here.pass_time(0.1, only)
        assert only.elector.leads
        after = only.elector.absences().waited(last, only.now())
        assert max(during, after) <= 2 * (AGAIN + 0.2), "but for what it took to notice"
    await here.pass_time(60, only)
    assert len(only.elector.absences().spans) == 2
    assert only.elector.absences().waited(last, only.now()) == pytest.approx(60, abs=5)


async def test_who_stands_by_knows_as_well_when_it_takes_over(here: Processes) -> None:
    one, two = here.one("one"), here.one("two")
    await here.pass_time(60, one, two)
    assert two.elector.absences() == Absences()
    cut_off = two.now()
    await here.pass_time(600)
    await here.pass_time(20, two)
    assert (one.led, two.led) == (None, 0)
    assert two.elector.absences().waited(cut_off, two.now()) == pytest.approx(20, abs=AGAIN + 0.2)


@pytest.mark.parametrize("resigns", [False, True])
@pytest.mark.parametrize("pod", ["", "bench-0"])
async def test_a_new_process_knows_for_how_long_none_has_led(
    here: Processes, pod: str, resigns: bool
) -> None:
    one, two = here.one("one", pod=pod), here.one("two", pod=pod)
    await here.pass_time(60, one)
    if resigns:
        await one.elector.resign()
    left = one.now()
    await here.pass_time(3600)
    began = two.now()
    await here.pass_time(LASTS + AGAIN, two)
    assert two.led == 0
    assert two.elector.absences().waited(left, began) == pytest.approx(0, abs=0.2)
    assert two.elector.absences().waited(began, two.now()) <= LASTS + AGAIN
    await here.pass_time(60, two)
    assert len(two.elector.absences().spans) == 1


async def test_an_absence_that_no_deadline_could_notice_is_none(here: Processes) -> None:
    only = here.one("only")
    await here.pass_time(10, only)
    await here.pass_time(ACTS - 2 * AGAIN)
    await here.pass_time(10, only)
    assert only.elector.absences() == Absences()


async def test_one_that_resigns_is_followed_at_the_next_look(here: Processes) -> None:
    one, two = here.one("one"), here.one("two")
    await here.pass_time(5, one, two)
    await one.elector.resign()
    assert one.led is None
    assert lease(here.cluster).holder == ""
    await here.pass_time(AGAIN + 0.1, two)
    assert two.led == 0


async def test_a_frozen_leader_acts_no_more_and_ends(here: Processes) -> None:
    one, two = here.one("one"), here.one("two")
    await here.pass_time(5, one, two)
    await here.pass_time(LASTS + AGAIN, two)
    assert (one.led, two.led) == (None, 0)
    with pytest.raises(Deposed, match=r"bench-shard-0 is held by machine_two$"):
        await one.elector.attempt()
    assert two.led == 0


async def test_a_leader_that_was_late_goes_on_where_none_has_followed(here: Processes) -> None:
    only = here.one("only")
    await only.elector.attempt()
    here.instant.seconds += ACTS
    assert not only.elector.leads
    here.instant.seconds += 3600
    await only.elector.attempt()
    assert only.elector.leads
    assert lease(here.cluster).transitions == 1


async def test_while_the_api_server_is_away_none_ends(here: Processes) -> None:
    one, two = here.one("one"), here.one("two")
    await here.pass_time(5, one, two)
    for _ in range(10):
        for process, verb in ((one, "apply"), (two, "list")):
            here.cluster.fail_next(Unavailable("away"), verb=verb, kind=LEASE)
            with pytest.raises(Unavailable):
                await process.elector.attempt()
        here.instant.seconds += 12
    assert (one.led, two.led) == (None, None)
    await one.elector.attempt()
    await two.elector.attempt()
    assert (one.led, two.led) == (0, None)


@pytest.mark.parametrize("late", [0.0, ACTS])
async def test_an_answer_that_is_lost_deposes_none(here: Processes, late: float) -> None:
    only = here.one("only")
    await here.pass_time(AGAIN, only)
    here.cluster.fail_next(Unavailable("lost"), after=True, verb="apply", kind=LEASE)
    with pytest.raises(Unavailable):
        await only.elector.attempt()
    here.instant.seconds += late
    assert await only.elector.attempt() == 0.0
    await only.elector.attempt()
    assert only.elector.leads


@pytest.mark.parametrize("verb", ["create", "apply"])
async def test_neither_does_one_while_it_begins(here: Processes, verb: str) -> None:
    only = here.one("only")
    here.cluster.fail_next(Unavailable("lost"), after=True, verb=verb, kind=LEASE)
    with pytest.raises(Unavailable):
        await only.elector.attempt()
    assert not only.elector.leads
    await only.elector.attempt()
    assert only.elector.leads


async def test_a_restarted_container_does_not_wait_for_itself(here: Processes) -> None:
    before = here.one("first", pod="operator-1")
    await before.elector.attempt()
    after, other = here.one("second", pod="operator-1"), here.one("other", pod="operator-10")
    await other.elector.attempt()
    assert other.led is None
    await after.elector.attempt()
    assert after.led == 0
    with pytest.raises(Deposed):
        await before.elector.attempt()


async def test_it_takes_its_own_shard_again(here: Processes) -> None:
    one, before = here.one("one", shards=2), here.one("two", shards=2, pod="operator-2")
    await here.pass_time(1, one, before)
    assert (one.led, before.led) == (0, 1)
    await one.elector.resign()
    after = here.one("three", shards=2, pod="operator-2")
    await after.elector.attempt()
    assert after.led == 1


async def test_any_process_takes_any_shard(here: Processes) -> None:
    every = [here.one(name, shards=2) for name in "abc"]
    await here.pass_time(1, *every)
    assert [process.led for process in every] == [0, 1, None]
    assert await every[1].elector.elected() == Shard(1, 2)
    assert every[1].elector.standing() == {0: False, 1: True}
    await every[1].elector.resign()
    await here.pass_time(AGAIN + 0.1, every[0], every[2])
    assert every[2].led == 1


@pytest.mark.parametrize(("before", "after"), [(1, 2), (3, 2), (2, 1)])
async def test_a_new_number_of_shards_waits_for_the_old_one(
    here: Processes, before: int, after: int
) -> None:
    old = [here.one(f"old{number}", shards=before) for number in range(before + 1)]
    await here.pass_time(5, *old)
    new = [here.one(f"new{number}", shards=after) for number in range(after)]
    await here.pass_time(60, *old, *new)
    assert not any(process.elector.leads for process in new)
    while old:
        await old.pop(0).elector.resign()
        assert not any(process.elector.leads for process in new)
        await here.pass_time(AGAIN + 0.1, *old, *new)
        assert any(process.elector.leads for process in new) == (not old)
    await here.pass_time(AGAIN + 0.1, *new)
    assert sorted(process.led or 0 for process in new) == [*range(after)]
    late = here.one("late", shards=before)
    await here.pass_time(30, late, *new)
    assert late.led is None


async def test_a_frozen_leader_of_the_old_number_finds_the_new_one(here: Processes) -> None:
    """Its own Lease is as it was: none of the new processes needed just that one."""
    old, new = here.one("old", shards=2), here.one("new", shards=1)
    await here.pass_time(1, first := here.one("first", shards=2), old)
    assert old.led == 1
    await first.elector.resign()
    await here.pass_time(LASTS + AGAIN, new)
    assert new.led == 0
    with pytest.raises(Deposed):
        await old.elector.attempt()
    assert lease(here.cluster, 1).holder == ""
    await here.pass_time(AGAIN, new)
    assert new.led == 0


async def test_a_look_counts_only_if_the_lease_was_kept_meanwhile(
    here: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one with another number of shards may have begun after the look, and before now."""
    only, apply = here.one("only"), here.cluster.apply
    late = iter([ACTS / 2 + 0.1] * 2)

    async def apply_late(*args: Any) -> Any:
        here.instant.seconds += next(late, 0.0)
        return await apply(*args)

    monkeypatch.setattr(here.cluster, "apply", apply_late)
    await only.elector.attempt()
    assert not only.elector.leads
    await only.elector.attempt()
    assert only.elector.leads


async def test_of_two_numbers_that_begin_at_once_one_leads_in_the_end(here: Processes) -> None:
    one, two = here.one("one", shards=1), here.one("two", shards=2)
    await here.pass_time(60, one, two)
    assert [process.elector.leads for process in (one, two)].count(True) == 1


async def test_without_its_lease_a_leader_ends(here: Processes) -> None:
    only = here.one("only")
    await only.elector.attempt()
    here.cluster.remove(LEASE, SPACE, f"{ELECTION}-shard-0")
    with pytest.raises(Deposed, match=r"is held by none$"):
        await only.elector.attempt()


async def test_leases_of_other_elections_and_of_nodes_are_left_alone(here: Processes) -> None:
    await here.one("only").elector.attempt()
    (own,) = await here.cluster.list(LEASE, SPACE)
    assert own["metadata"]["labels"]["app.kubernetes.io/instance"] == ELECTION
    assert own["metadata"]["labels"]["app.kubernetes.io/component"] == "shard-lease"
    assert own["metadata"]["annotations"] == {"encbench.io/shards": "1"}


async def test_a_lease_that_cannot_be_read_is_named(here: Processes) -> None:
    only = here.one("only")
    await only.elector.attempt()
    await only.elector.resign()
    body = here.cluster.one(LEASE, SPACE, f"{ELECTION}-shard-0")
    body["metadata"]["annotations"] = {"encbench.io/shards": "many"}
    await here.cluster.apply(LEASE, body)
    with pytest.raises(Rejected, match="a Lease of bench cannot be read"):
        await only.elector.attempt()


async def test_what_is_in_the_way_is_said_once(
    here: Processes, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(election, "SOON", 0.0)
    only = here.one("only")
    for _ in range(3):
        here.cluster.fail_next(Rejected("leases is forbidden"), verb="list", kind=LEASE)
    with caplog.at_level(logging.INFO):
        standing = asyncio.create_task(only.elector.run())
        await asyncio.wait_for(only.elector.elected(), 5)
    standing.cancel()
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "machine_only does not lead: the Leases of shards: leases is forbidden",
        "machine_only leads shard 0 of 1",
    ]


async def test_one_that_cannot_resign_acts_no_more_either(
    here: Processes, caplog: pytest.LogCaptureFixture
) -> None:
    only = here.one("only")
    await only.elector.attempt()
    here.cluster.fail_next(Unavailable("away"), verb="list", kind=LEASE)
    await only.elector.resign()
    assert not only.elector.leads
    assert "the shard's Lease has to run out: away" in caplog.text
