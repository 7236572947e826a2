"""Leases of nodes: one campaign at a time, in order of asking, and none held for the dead."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, LEASE, NODE, POD
from encbench.kube import labels
from encbench.kube.leases import Holder, Unit, parse
from encbench.ports import Body, Cluster, Rejected, Unavailable
from encbench.reconcile.claims import Use
from encbench.reconcile.nodes import (
    ALIVE,
    GONE,
    IDLE,
    LINGER,
    LONGEST,
    RENEW,
    SPARE,
    SWEEP,
    NodeLeases,
)
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.driver import Switch

SPACE = "encbench"
WORK = 30.0


class Time:
    """One clock for all, but for what an operator's own shows."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def ticks(self) -> float:
        return self.seconds


class Wrong:
    """A `ports.Clock` that is off."""

    def __init__(self, time: Time, off: float) -> None:
        self._time, self._off = time, off

    def now(self) -> datetime:
        since = timedelta(seconds=self._time.seconds + self._off)
        return datetime(2030, 1, 1, tzinfo=UTC) + since


class Installation:
    """A cluster and the operators on it."""

    def __init__(self) -> None:
        self.time = Time()
        self.cluster = FakeCluster()
        self.a, self.b, self.c = (self.operator() for _ in range(3))

    def operator(self, off: float = 0.0, cluster: Cluster | None = None) -> NodeLeases:
        clock = Wrong(self.time, off)
        return NodeLeases(cluster or self.cluster, clock, SPACE, self.time.ticks)

    def holder(self, node: str = "n1") -> str:
        found = parse(self.cluster.one(LEASE, SPACE, node)).holder
        return found.name if found else ""

    def queue(self, node: str = "n1") -> list[str]:
        return [one.unit.holder.name for one in parse(self.cluster.one(LEASE, SPACE, node)).queue]

    async def pass_time(self, seconds: float, *operators: NodeLeases) -> None:
        """In steps of a second; these operators tend their leases every five."""
        for number in range(round(seconds)):
            self.time.seconds += 1
            if number % 5 == 4:
                for one in operators:
                    await one.tend()

    async def work(self, seconds: float, leases: NodeLeases, what: Use) -> None:
        """The same, while the operator looks after its unit."""
        for _ in range(round(seconds)):
            leases.look_after(what.unit, what.member)
            self.time.seconds += 1
            if self.time.seconds % 5 == 0:
                await leases.tend()


def use(campaign: str, *nodes: str, unit: str = "trial 1", member: str = "", **more: Any) -> Use:
    owner = Holder(f"team-{campaign}", campaign, f"uid-of-{campaign}")
    usual = {"seconds": WORK, "expected": 20.0, **more}
    return Use(Unit(owner, unit), member or unit, frozenset(nodes or {"n1"}), **usual)


async def leave(leases: NodeLeases, what: Use) -> None:
    await leases.leave(what.unit, what.member)


def waits(leases: NodeLeases, what: Use) -> str:
    return leases.standing(what.unit, what.member, what.seconds).waits


def used(leases: NodeLeases, what: Use) -> frozenset[str]:
    return leases.standing(what.unit, what.member, what.seconds).used


@pytest.fixture
def here() -> Installation:
    return Installation()


async def test_a_node_is_one_campaign_s_at_a_time(here: Installation) -> None:
    one, two = use("one"), use("two")
    assert await here.a.take(one)
    assert used(here.a, one) == {"n1"}
    assert not await here.b.take(two)
    assert used(here.b, two) == frozenset()
    assert (here.holder(), here.queue()) == ("one", ["two"])
    assert waits(here.b, two) == "waits for node n1, held by campaign team-one/one, about a minute"


def of_cell(what: Use, cell: str) -> Use:
    holder = replace(what.unit.holder, cell=cell)
    return replace(what, unit=replace(what.unit, holder=holder))


async def test_cells_of_one_campaign_are_no_exception_either(here: Installation) -> None:
    one, two = of_cell(use("one"), "c1"), of_cell(use("one", unit="trial 2"), "c2")
    assert await here.a.take(one)
    assert not await here.a.take(two)
    assert waits(here.a, two) == "waits for node n1, held by another cell of its campaign, " + (
        "about a minute"
    )
    await leave(here.a, one)
    assert await here.a.take(two)


async def test_what_nothing_works_on_goes_to_another_cell_of_its_campaign_at_once(
    here: Installation,
) -> None:
    one, two = of_cell(use("one"), "c1"), of_cell(use("one"), "c2")
    assert await here.a.take(one)
    await leave(here.a, one)
    assert not await here.a.take(use("other")), "of another campaign it has to ask first"
    assert not await here.a.take(two), "who waits already comes first"
    await here.pass_time(5, here.a)
    await leave(here.a, two)
    assert await here.a.take(use("other"))
    await leave(here.a, use("other"))
    await here.pass_time(20, here.a)
    assert await here.a.take(one)
    await leave(here.a, one)
    assert await here.a.take(two)


def test_a_holder_that_an_earlier_version_wrote_is_understood() -> None:
    for holder in (Holder("team", "one", "uid"), Holder("team", "one", "uid", "c1")):
        assert Holder.parse(str(holder)) == holder


async def test_two_campaigns_of_one_operator_are_no_exception(here: Installation) -> None:
    assert await here.a.take(use("one"))
    assert not await here.a.take(use("two"))


async def test_from_trial_to_trial_a_campaign_keeps_its_nodes_without_a_request(
    here: Installation,
) -> None:
    first = use("one", "n1", "n2")
    assert await here.a.take(first)
    asked = len(here.cluster.calls)
    for number in range(2, 6):
        await leave(here.a, first)
        first = use("one", "n1", "n2", unit=f"trial {number}")
        known = here.a.standing(first.unit, first.member, WORK)
        assert not known.used
        assert known.free == {"n1", "n2"}
        assert await here.a.take(first)
        here.time.seconds += 1
    assert len(here.cluster.calls) == asked


async def test_while_it_works_and_none_waits_a_renewal_is_one_write(here: Installation) -> None:
    one = use("one", seconds=600.0)
    await here.a.take(one)
    here.cluster.calls.clear()
    await here.work(3 * RENEW, here.a, one)
    asked = [call.verb for call in here.cluster.calls if call.verb != "list"]
    assert asked == ["apply"] * 3
    here.cluster.calls.clear()
    await here.b.take(use("two"))
    await here.work(RENEW, here.a, one)
    known = here.a.standing(one.unit, one.member, 1.0)
    assert known.used == {"n1"}
    assert not known.free, "it has seen by a conflict that another waits"
    await leave(here.a, one)
    assert here.holder() == ""


async def test_who_waits_for_a_cell_of_the_same_process_asks_seldom(here: Installation) -> None:
    one, two = use("one", seconds=600.0), use("two")
    await here.a.take(one)
    assert not await here.a.take(two)
    said = waits(here.a, two)
    here.cluster.calls.clear()
    for _ in range(int(ALIVE)):
        assert not await here.a.take(two)
        here.time.seconds += 1
    assert here.cluster.calls == []
    assert waits(here.a, two) == said
    assert not await here.a.take(two)
    assert [call.verb for call in here.cluster.calls] == ["get", "apply"], "a sign of life"
    await leave(here.a, one)
    assert not await here.b.take(use("three"))
    assert await here.a.take(two), "it was the first to ask"


async def test_it_hands_over_at_the_end_of_a_trial_and_then_waits_itself(
    here: Installation,
) -> None:
    one, two = use("one"), use("two")
    await here.a.take(one)
    await here.b.take(two)
    await here.pass_time(RENEW + 5, here.a)
    again = use("one", unit="trial 2")
    assert here.a.standing(again.unit, again.member, WORK).free == frozenset()
    await leave(here.a, one)
    assert here.holder() == ""
    assert not await here.a.take(again), "the other campaign is first"
    assert await here.b.take(two)
    assert (here.holder(), here.queue()) == ("two", ["one"])
    assert not await here.a.take(again)
    assert "before it" not in waits(here.a, again)


async def test_who_asks_first_is_first(here: Installation) -> None:
    one, two, three = use("one"), use("two"), use("three")
    await here.a.take(one)
    await here.b.take(two)
    await here.c.take(three)
    assert "with 1 before it in the queue" in waits(here.c, three)
    await here.a.tend()
    await leave(here.a, one)
    await here.pass_time(10, here.a)
    assert not await here.c.take(three)
    assert await here.b.take(two)


async def test_the_wait_is_that_of_all_before(here: Installation) -> None:
    await here.a.take(use("one", expected=200.0))
    await here.b.take(use("two", expected=100.0))
    three = use("three")
    await here.c.take(three)
    assert "about 5 min" in waits(here.c, three)
    unknown = use("four", expected=None)
    await here.c.take(unknown)
    five = use("five")
    await here.b.take(five)
    assert " min" not in waits(here.b, five)


async def test_a_holder_that_needs_more_than_its_time_is_no_matter_of_a_minute(
    here: Installation,
) -> None:
    await here.a.take(use("one", expected=5.0))
    two = use("two")
    await here.b.take(two)
    await here.pass_time(10, here.a, here.b)
    await here.b.take(two)
    assert waits(here.b, two).endswith("held by campaign team-one/one, longer than planned")


async def test_all_trials_of_a_block_are_one(here: Installation) -> None:
    block = [use("one", node, unit="block", member=node) for node in ("n1", "n2")]
    for member in block:
        assert await here.a.take(member)
    assert used(here.a, block[0]) == {"n1", "n2"}
    other = use("two", "n2")
    assert not await here.b.take(other)
    await here.pass_time(RENEW + 5, here.a)
    await leave(here.a, block[0])
    assert here.holder("n2") == "one", "the other trial still runs"
    await leave(here.a, block[1])
    assert await here.b.take(other)


async def test_units_of_one_campaign_share_a_node_until_another_campaign_waits(
    here: Installation,
) -> None:
    loads = [use("one", unit=f"testbed {arm}") for arm in "abc"]
    assert await here.a.take(loads[0])
    assert await here.a.take(loads[1])
    await here.b.take(use("two"))
    await here.pass_time(RENEW + 5, here.a)
    assert not await here.a.take(loads[2]), "else the other would wait for ever"
    await leave(here.a, loads[0])
    assert here.holder() == "one"
    await leave(here.a, loads[1])
    assert await here.b.take(use("two"))


async def test_two_that_want_each_other_s_nodes_do_not_lock_each_other_out(
    here: Installation,
) -> None:
    """Each has one node already, and asks for both."""
    one, two = use("one", "n2"), use("two", "n1")
    await here.a.take(one)
    await here.b.take(two)
    both = {here.a: use("one", "n1", "n2"), here.b: use("two", "n1", "n2")}
    done: list[str] = []
    for _ in range(60):
        for leases, what in both.items():
            if what.unit.holder.name not in done and await leases.take(what):
                assert used(leases, what) == {"n1", "n2"}
                done.append(what.unit.holder.name)
                await leave(leases, what)
        await here.pass_time(1, here.a, here.b)
        for leases in both:
            await leases.tend()
    assert done == ["two", "one"]


async def test_a_dead_operator_s_node_is_taken_once_its_work_must_have_ended(
    here: Installation,
) -> None:
    made = here.cluster.add(CAMPAIGN, alive("one"))
    one = Use(
        Unit(Holder("team-one", "one", made["metadata"]["uid"]), "t"), "t", frozenset({"n1"}), WORK
    )
    await here.a.take(one)
    await here.work(40, here.a, one)
    two = use("two")
    waited = 0
    while not await here.b.take(two):
        await here.pass_time(1, here.b)
        waited += 1
    assert WORK < waited <= WORK + SPARE + 1


async def test_a_living_operator_keeps_its_node_however_long_it_works(here: Installation) -> None:
    load, two = use("one", unit="testbed a"), use("two")
    await here.a.take(load)
    for _ in range(600):
        await here.work(1, here.a, load)
        assert not await here.b.take(two)


@pytest.mark.parametrize("off", [-300.0, 300.0])
async def test_wrong_clocks_take_nothing_from_anybody(here: Installation, off: float) -> None:
    one, two, wrong = use("one"), use("two"), here.operator(off)
    await here.a.take(one)
    for _ in range(120):
        assert not await wrong.take(two)
        await here.work(1, here.a, one)
    assert here.queue() == ["two"], "it keeps its place"
    await leave(here.a, one)
    assert await wrong.take(two)
    assert not await here.a.take(use("one", unit="trial 2"))


def alive(name: str, **status: Any) -> dict[str, Any]:
    body = manifests.body(CAMPAIGN, name, f"team-{name}")
    return {**body, "status": status} if status else body


@pytest.mark.parametrize("how", ["deleted", "another", "over"])
async def test_of_a_campaign_that_is_no_more_the_node_is_taken_soon(
    here: Installation, how: str
) -> None:
    over = {"type": "Complete", "status": "True", "reason": "Why", "lastTransitionTime": SINCE}
    owner = Holder("team-one", "one", "gone")
    if how != "deleted":
        made = here.cluster.add(CAMPAIGN, alive("one", conditions=[over]))
        owner = Holder("team-one", "one", made["metadata"]["uid"] if how == "over" else "another")
    await here.a.take(Use(Unit(owner, "trial"), "trial", frozenset({"n1"}), 3600.0))
    two = use("two")
    await here.b.take(two)
    await here.pass_time(ALIVE - 1)
    assert not await here.b.take(two), "it may be renewed at any moment"
    await here.pass_time(2)
    assert await here.b.take(two)


SINCE = "2030-01-01T00:00:00Z"


async def test_what_a_dead_process_left_is_freed_though_none_waits(here: Installation) -> None:
    made = here.cluster.add(CAMPAIGN, alive("one"))
    owner = Holder("team-one", "one", made["metadata"]["uid"])
    await here.a.take(Use(Unit(owner, "trial"), "trial", frozenset({"n1"}), 3600.0))
    await here.b.take(use("two", "n2", seconds=3600.0))
    await here.pass_time(SWEEP + ALIVE + 5, here.b)
    assert (here.holder(), here.holder("n2")) == ("one", "two"), "its campaign still runs"
    await here.cluster.delete(CAMPAIGN, "team-one", "one", made["metadata"]["uid"])
    await here.pass_time(SWEEP + 5, here.b)
    assert (here.holder(), here.holder("n2")) == ("", "two")
    await here.a.tend()
    assert here.holder() == "", "nor does the first one write it again"


async def test_it_is_known_which_nodes_others_have(here: Installation) -> None:
    one, two = use("one", "n1"), of_cell(use("two", "n2"), "c1")
    await here.a.take(one)
    await here.b.take(two)
    await here.b.tend()
    other = of_cell(two, "c2")
    standings = [here.b.standing(x.unit, x.member, WORK).taken for x in (one, two, other)]
    assert standings == [{"n2"}, {"n1"}, {"n1", "n2"}]
    await here.a.tend()
    assert here.a.standing(one.unit, one.member, WORK).taken == {"n2"}
    await leave(here.b, two)
    await here.pass_time(IDLE + SWEEP + 10, here.b)
    assert here.b.standing(one.unit, one.member, WORK).taken == set()


async def test_what_has_run_out_is_freed_too(here: Installation) -> None:
    here.cluster.add(CAMPAIGN, alive("one"))
    await here.a.take(use("one"))
    await here.pass_time(WORK + SPARE + SWEEP, here.b)
    assert here.holder() == ""


async def test_a_sweep_that_fails_is_tried_again(here: Installation) -> None:
    await here.a.take(use("one"))
    way = Switch(here.cluster)
    other = here.operator(cluster=way)
    way.away = True
    await here.pass_time(WORK, other)
    way.away = False
    await here.pass_time(ALIVE + 2 * SWEEP, other)
    assert here.holder() == ""


async def test_a_holder_that_may_not_be_looked_up_is_waited_for(here: Installation) -> None:
    await here.a.take(use("one", seconds=100.0))
    two = use("two")
    await here.b.take(two)
    await here.pass_time(ALIVE + 1)
    here.cluster.fail_next(Rejected("campaigns is forbidden"), verb="get", kind=CAMPAIGN)
    assert not await here.b.take(two)


async def test_a_dead_operator_s_place_in_the_queue_is_given_up(here: Installation) -> None:
    one, two, three = use("one"), use("two"), use("three")
    await here.a.take(one)
    await here.b.take(two)
    await here.c.take(three)
    for _ in range(int(GONE) + 5):
        await here.work(1, here.a, one)
        await here.c.take(three)
    assert here.queue() == ["three"]
    await leave(here.a, one)
    assert await here.c.take(three)


async def test_the_next_process_goes_on_with_its_campaign_s_nodes(here: Installation) -> None:
    one = use("one")
    await here.a.take(one)
    await here.b.take(use("two"))
    successor = here.operator()
    assert await successor.take(one)
    assert used(successor, one) == {"n1"}
    await here.pass_time(RENEW + 5, successor)
    await leave(successor, one)
    assert await here.b.take(use("two"))


async def test_what_an_earlier_version_held_for_the_campaign_is_its_cell_s(
    here: Installation,
) -> None:
    await here.a.take(use("one"))
    successor, cell = here.operator(), of_cell(use("one"), "c1")
    assert not await here.b.take(of_cell(use("two"), "c1")), "another campaign waits as before"
    assert await successor.take(cell)
    assert used(successor, cell) == {"n1"}
    assert not await successor.take(of_cell(use("one", unit="trial 2"), "c2"))


async def test_idle_nodes_go_back(here: Installation) -> None:
    one = use("one")
    await here.a.take(one)
    await leave(here.a, one)
    await here.pass_time(IDLE - 5, here.a)
    assert here.holder() == "one", "its next trial may come"
    await here.pass_time(10, here.a)
    assert here.holder() == ""
    assert not here.a.busy


async def test_what_is_deleted_has_time_to_end(here: Installation) -> None:
    """A client has 60 s."""
    one = use("one", seconds=3600.0)
    await here.a.take(one)
    here.a.abandon("team-one", "trial 1")
    for _ in range(13):
        await here.pass_time(5, here.a)
        assert not await here.b.take(use("two"))
    await here.pass_time(15, here.a)
    assert await here.b.take(use("two"))


@pytest.mark.parametrize("takes", [300, None])
async def test_a_deleted_database_may_take_minutes_to_end(
    here: Installation, takes: int | None
) -> None:
    one = of_cell(use("one", seconds=3600.0), "c1")
    await here.a.take(one)
    here.a.abandon("team-one", "trial 1")
    here.cluster.grace_seconds = 600
    pods = [a_pod(here, "n1", cell="c1"), a_pod(here, "n2", cell="c1"), a_pod(here, "n1")]
    for pod in pods:
        here.cluster.remove(POD, "team-one", pod["metadata"]["name"])
    await here.pass_time(takes or 600, here.a)
    assert not await here.b.take(use("two"))
    if takes is not None:
        here.cluster.end(pods[0])
    await here.pass_time(20, here.a)
    assert await here.b.take(use("two")), "it has ended, or nothing is known of it any more"


async def test_a_deleted_database_has_as_long_however_often_it_is_seen_to_be_gone(
    here: Installation,
) -> None:
    await here.a.take(of_cell(use("one", seconds=3600.0), "c1"))
    pod = a_pod(here, "n1", cell="c1")
    here.cluster.grace_seconds = 3600
    here.cluster.remove(POD, "team-one", pod["metadata"]["name"])
    for _ in range(int(LONGEST) // 5 + 2):
        here.a.abandon("team-one", "trial 1")
        await here.pass_time(5, here.a)
        given = await here.b.take(use("two"))
    assert given


async def test_a_member_of_a_name_that_is_used_again_has_as_long_to_end(here: Installation) -> None:
    one = of_cell(use("one", seconds=3600.0), "c1")
    await here.a.take(one)
    here.a.abandon("team-one", "trial 1")
    await here.a.take(one)
    for _ in range(int(LONGEST) // 5):
        await here.work(5, here.a, one)
    pod = a_pod(here, "n1", cell="c1")
    here.cluster.grace_seconds = 3600
    here.cluster.remove(POD, "team-one", pod["metadata"]["name"])
    here.a.abandon("team-one", "trial 1")
    for _ in range(int(LINGER) // 5 + 3):
        await here.pass_time(5, here.a)
        assert not await here.b.take(use("two")), "its pod is still ending"


async def test_time_without_the_api_server_is_none_of_a_deleted_database_s(
    here: Installation,
) -> None:
    way = Switch(here.cluster)
    leases = here.operator(cluster=way)
    await leases.take(of_cell(use("one", seconds=3600.0), "c1"))
    pod = a_pod(here, "n1", cell="c1")
    here.cluster.grace_seconds = 3600
    here.cluster.remove(POD, "team-one", pod["metadata"]["name"])
    leases.abandon("team-one", "trial 1")
    way.away = True
    await here.pass_time(LONGEST, leases)
    way.away = False
    for _ in range(int(LINGER) // 5 + 3):
        await here.pass_time(5, leases)
        assert not await here.b.take(use("two")), "its pod is still ending"


def a_pod(here: Installation, node: str, cell: str = "another") -> Body:
    marks = {labels.CAMPAIGN: "one", labels.CELL: cell}
    meta = {"name": f"{cell}-{node}", "namespace": "team-one", "labels": marks}
    spec = {"nodeName": node, "containers": [{"name": "server", "image": "mariadb:1"}]}
    return here.cluster.add(POD, {"metadata": meta, "spec": spec})


async def test_what_is_never_looked_at_again_has_ended_in_its_time(here: Installation) -> None:
    """Such as a trial that another version has written."""
    await here.a.take(use("one", seconds=100.0))
    await here.pass_time(95, here.a)
    assert here.holder() == "one"
    await here.pass_time(10 + IDLE + 5, here.a)
    assert here.holder() == ""


async def test_without_the_api_server_nothing_new_begins(here: Installation) -> None:
    way = Switch(here.cluster)
    leases = here.operator(cluster=way)
    one = use("one")
    await leases.take(one)
    way.away = True
    await here.work(SPARE / 2, leases, one)
    assert used(leases, one) == {"n1"}
    await here.work(SPARE, leases, one)
    assert used(leases, one) == frozenset(), "another may take it before this has ended"
    assert not await leases.take(one)
    assert "the lease of node n1 cannot be had: nobody answers" in waits(leases, one)
    way.away = False
    assert await leases.take(one)
    assert waits(leases, one) == ""


async def test_who_cannot_write_one_lease_keeps_the_other(here: Installation) -> None:
    """Its trial runs on both nodes, and others wait for the second one."""
    one, two = use("one", "n1", "n2"), use("two", "n2")
    assert await here.a.take(one)
    assert not await here.b.take(two)
    here.time.seconds += SPARE + 1
    here.a.look_after(one.unit, one.member)
    here.cluster.fail_next(Unavailable("no writes"), verb="apply")
    assert not await here.a.take(one), "its leases do not outlast its work any more"
    await here.a.tend()
    assert here.holder("n2") == "one"
    assert not await here.b.take(two)
    assert await here.a.take(one)
    assert used(here.a, one) == {"n1", "n2"}


@pytest.mark.parametrize("had_all", [False, True])
async def test_who_is_refused_a_lease_keeps_others_only_if_it_has_begun(
    here: Installation, had_all: bool
) -> None:
    """A block whose second trial's node has a Lease that is not encbench's."""
    first = use("one", "n2", "n3", unit="block", member="first")
    if not had_all:
        assert await here.b.take(use("three", "n3"))
    assert await here.a.take(first) == had_all
    assert used(here.a, first) >= {"n2"}
    spec = {"holderIdentity": "n1", "leaseDurationSeconds": 40}
    here.cluster.add(LEASE, {"metadata": {"name": "n1", "namespace": SPACE}, "spec": spec})
    second = use("one", "n1", unit="block", member="second")
    assert not await here.a.take(second)
    assert "is not encbench's" in waits(here.a, second)
    two = use("two", "n2")
    assert not await here.b.take(two), "its campaign keeps what is idle for a moment"
    await here.pass_time(RENEW + 5, here.a)
    assert await here.b.take(two) == (not had_all)


async def test_a_long_time_without_the_api_server_is_no_neglect(here: Installation) -> None:
    way = Switch(here.cluster)
    leases = here.operator(cluster=way)
    load, two = use("one", unit="testbed", seconds=600.0), use("two")
    await leases.take(load)
    assert not await leases.take(two)
    await here.pass_time(60, leases)
    way.away = True
    await here.pass_time(720, leases)
    way.away = False
    await leases.tend()
    assert here.holder() == "one", "its load goes on, and no pass could say so"
    assert not await leases.take(two)
    await here.pass_time(600, leases)
    assert here.holder() == "", "no pass looks after it any more"


async def test_a_long_time_without_the_api_server_is_not_the_holder_s_silence(
    here: Installation,
) -> None:
    """Whoever is the first to ask afterwards."""
    ways = [Switch(here.cluster) for _ in range(2)]
    first, other = (here.operator(cluster=way) for way in ways)
    made = here.cluster.add(CAMPAIGN, alive("one"))
    owner = Holder("team-one", "one", made["metadata"]["uid"])
    load, two = Use(Unit(owner, "testbed"), "testbed", frozenset({"n1"}), 600.0), use("two")
    await first.take(load)
    await here.pass_time(10, first)
    assert not await other.take(two)
    for way in ways:
        way.away = True
    await here.pass_time(1200, first, other)
    for way in ways:
        way.away = False
    assert not await other.take(two)
    await here.pass_time(20, first, other)
    assert not await other.take(two)
    assert here.holder() == "one"
    assert used(first, load) == {"n1"}


async def test_no_other_cell_takes_what_this_process_knows_to_be_at_work(
    here: Installation,
) -> None:
    load, two = use("one", unit="testbed", seconds=600.0), use("two")
    await here.a.take(load)
    assert not await here.a.take(two)
    here.time.seconds += 600 + SPARE + 1
    here.a.look_after(load.unit, load.member)
    assert not await here.a.take(two)
    assert here.holder() == "one"
    await leave(here.a, load)
    assert await here.a.take(two)
    await leave(here.a, two)
    await here.pass_time(IDLE + 5, here.a)
    assert await here.a.take(load)


async def test_who_lost_its_lease_does_not_write_it_again(here: Installation) -> None:
    way = Switch(here.cluster)
    leases = here.operator(cluster=way)
    one, two = use("one"), use("two")
    await leases.take(one)
    await here.b.take(two)
    way.away = True
    for _ in range(int(WORK + SPARE) + 1):
        here.time.seconds += 1
        await here.b.take(two)
    assert here.holder() == "two"
    way.away = False
    await leases.tend()
    assert here.holder() == "two"
    assert used(leases, one) == frozenset()
    assert not await leases.take(one)


@pytest.mark.parametrize("after", [False, True])
async def test_a_write_that_fails_is_tried_again(here: Installation, after: bool) -> None:
    one = use("one")
    here.cluster.fail_next(Unavailable("away"), after=after, verb="apply")
    assert not await here.a.take(one)
    assert await here.a.take(one)
    assert here.holder() == "one"


async def test_another_s_lease_is_left_alone(here: Installation) -> None:
    """Kubelets have Leases of their nodes' names, in a namespace of their own."""
    spec = {"holderIdentity": "n1", "leaseDurationSeconds": 40}
    body = {"metadata": {"name": "n1", "namespace": SPACE}, "spec": spec}
    before = here.cluster.add(LEASE, body)
    one = use("one")
    assert not await here.a.take(one)
    assert "is not encbench's" in waits(here.a, one)
    assert here.cluster.one(LEASE, SPACE, "n1") == before


async def test_a_lease_goes_with_its_node(here: Installation) -> None:
    here.cluster.add(NODE, {"metadata": {"name": "n1"}})
    one = use("one", "n1", "n2")
    assert await here.a.take(one)
    here.cluster.remove(NODE, "", "n1")
    await here.work(RENEW, here.a, one)
    assert [body["metadata"]["name"] for body in here.cluster.all(LEASE)] == ["n2"]
    assert used(here.a, one) == {"n2"}, "renewing makes no Lease anew"


async def test_nothing_is_kept_of_nodes_that_are_gone(here: Installation) -> None:
    """Whoever adds and removes nodes all day has as many names."""
    for number in range(5):
        name, there = f"n{number}", use("one", f"n{number}", "stays")
        here.cluster.add(NODE, {"metadata": {"name": name}})
        assert await here.a.take(there)
        await here.pass_time(SWEEP + 5, here.b)
        await leave(here.a, there)
        here.cluster.remove(NODE, "", name)
    await here.pass_time(SWEEP + 5, here.a, here.b)
    for one in (here.a, here.b):
        assert set(one._signs) <= {"stays"}
        assert not one._locks
    assert "stays" in here.b._signs


async def test_who_waits_for_a_node_s_lock_has_the_same_as_who_holds_it(here: Installation) -> None:
    held = here.a._lock("n1")
    async with held:
        waits = asyncio.create_task(here.a.take(use("one")))
        await asyncio.sleep(0)
        assert not waits.done()
        await here.a.tend()
        assert here.a._lock("n1") is held
    assert await waits


async def test_a_node_that_registers_anew_under_work_is_not_free(here: Installation) -> None:
    here.cluster.add(NODE, {"metadata": {"name": "n1"}})
    one, two = use("one"), use("two")
    assert await here.a.take(one)
    here.cluster.remove(NODE, "", "n1")
    here.cluster.add(NODE, {"metadata": {"name": "n1"}})
    await here.work(RENEW, here.a, one)
    assert here.holder() == "one"
    assert used(here.a, one) == {"n1"}
    assert not await here.b.take(two)


async def test_nobody_withdraws_from_the_queue_of_a_node_that_is_gone(here: Installation) -> None:
    here.cluster.add(NODE, {"metadata": {"name": "n1"}})
    two = use("two")
    await here.a.take(use("one"))
    await here.b.take(two)
    here.cluster.remove(NODE, "", "n1")
    await leave(here.b, two)
    assert here.cluster.all(LEASE) == []


async def test_who_may_not_see_the_node_has_a_lease_that_stays(here: Installation) -> None:
    here.cluster.add(NODE, {"metadata": {"name": "n1"}})
    here.cluster.fail_next(Rejected("nodes is forbidden"), verb="get", kind=NODE)
    assert await here.a.take(use("one"))
    assert "ownerReferences" not in here.cluster.one(LEASE, SPACE, "n1")["metadata"]


async def test_who_gives_up_leaves_the_queue(here: Installation) -> None:
    two = use("two")
    await here.a.take(use("one"))
    await here.b.take(two)
    await leave(here.b, two)
    assert here.queue() == []
    assert not here.b.busy


async def test_a_unit_that_needs_another_node_gives_the_first_back(here: Installation) -> None:
    await here.a.take(use("one", "n1"))
    assert await here.a.take(use("one", "n2"))
    await here.b.take(use("two", "n1"))
    await here.pass_time(RENEW, here.a)
    assert await here.b.take(use("two", "n1"))
