"""Readings at the edges of a block's slots, as every `ports.Agent` has them made, fake and real."""

import asyncio
import time
from typing import Any, cast

import pytest

from encbench.ports import Rejected
from encbench.wire.slices import SlotReading, SlotRow, SlotsAnswer, SlotsOrder
from tests.contract.database.harness import ServedAgent
from tests.support import sidecars
from tests.support.answers import whole

LATEST = 5.0
"""Seconds by which a busy machine may make a reading late."""
ROUNDING = 1e-3


def order(run: str, start_at: float, **fields: Any) -> SlotsOrder:
    """Two slots of 0.15 s, 0.2 s from each other."""
    times = {"warmup": 0.05, "period": 0.2, "slice": 0.15, "settle": 0.05, "slots": 2, **fields}
    return cast("SlotsOrder", {"run": run, "startAt": start_at, **times})


async def begun(one: ServedAgent, wanted: SlotsOrder) -> SlotsAnswer:
    answer = await one.database.begin_slots(one.address, one.access, wanted)
    whole(SlotsAnswer, answer)
    return answer


async def done(one: ServedAgent, run: str) -> SlotsAnswer:
    """The answer once all slots are read."""
    async with asyncio.timeout(30):
        while True:
            answer = await one.database.slots(one.address, one.access, run)
            whole(SlotsAnswer, answer)
            if answer["state"] != "running":
                assert (answer["state"], answer["error"]) == ("done", None)
                return answer
            await asyncio.sleep(0.05)


def readings(row: SlotRow) -> list[SlotReading]:
    return [row["begin"], row["counted"], row["end"]]


def edges(wanted: SlotsOrder, slot: int) -> list[float]:
    begin = wanted["startAt"] + wanted["warmup"] + slot * wanted["period"]
    return [begin, begin + wanted["settle"], begin + wanted["slice"]]


def are_on_time(wanted: SlotsOrder, row: SlotRow) -> None:
    """Each reading is at its edge, and counters never fall."""
    for found, edge in zip(readings(row), edges(wanted, row["slot"]), strict=True):
        assert edge - ROUNDING <= found["at"] < edge + LATEST
    used = [found["cpuSeconds"] for found in readings(row)]
    assert used == sorted(used)


async def test_slots_are_read_at_their_edges(either: ServedAgent) -> None:
    wanted = order("future", time.time() + 2)
    first = await begun(either, wanted)
    assert (first["state"], first["rows"]) == ("running", [])
    assert first["startAt"] == wanted["startAt"]
    rows = (await done(either, "future"))["rows"]
    assert [row["slot"] for row in rows] == [0, 1]
    for row in rows:
        are_on_time(wanted, row)


async def test_what_lies_before_a_late_order_is_read_at_once(either: ServedAgent) -> None:
    """Such a slot has no length, so no figure is made of it."""
    then = time.time()
    wanted = order("past", then - 100.0, slots=1, period=60.0, slice=60.0)
    await begun(either, wanted)
    (missed,) = (await done(either, "past"))["rows"]
    moments = [found["at"] for found in readings(missed)]
    assert moments == sorted(moments)
    assert then - ROUNDING <= moments[0] < then + LATEST
    assert moments[-1] - moments[0] < wanted["slice"] / 2


async def test_what_lies_after_a_late_order_is_read_on_time(either: ServedAgent) -> None:
    then = time.time()
    wanted = order("late", then - 10.0, period=12.0)
    await begun(either, wanted)
    missed, coming = (await done(either, "late"))["rows"]
    assert then - ROUNDING <= missed["begin"]["at"] < then + LATEST
    are_on_time(wanted, coming)


async def test_a_run_begins_once(either: ServedAgent) -> None:
    now = time.time()
    await begun(either, order("one", now + 3600))
    again = await begun(either, order("one", now + 3600.5))
    assert (again["state"], again["startAt"]) == ("running", now + 3600)


async def test_a_run_that_starts_at_another_time_begins_anew(either: ServedAgent) -> None:
    now = time.time()
    await begun(either, order("one", now + 3600))
    again = await begun(either, order("one", now - 10.0))
    assert again["startAt"] == now - 10.0
    await done(either, "one")


async def test_another_run_ends_the_last(either: ServedAgent) -> None:
    now = time.time()
    await begun(either, order("former", now + 3600))
    await begun(either, order("next", now - 10.0))
    await done(either, "next")
    former = await either.database.slots(either.address, either.access, "former")
    assert (former["state"], former["rows"]) == ("failed", [])
    assert former["error"] == "another run has begun"


async def test_the_last_runs_are_kept(either: ServedAgent) -> None:
    names = ["first", "second", "third", "fourth"]
    for name in names:
        await begun(either, order(name, time.time() - 10.0))
        await done(either, name)
    kept = [await either.database.slots(either.address, either.access, name) for name in names]
    assert [answer["state"] for answer in kept] == ["unknown", "done", "done", "done"]
    assert [len(answer["rows"]) for answer in kept] == [0, 2, 2, 2]


async def test_of_long_runs_fewer_are_kept(either: ServedAgent) -> None:
    names = ["first", "second", "third"]
    for name in names:
        await begun(either, order(name, time.time() + 3600, slots=9_000))
    kept = [await either.database.slots(either.address, either.access, name) for name in names]
    assert [answer["state"] == "unknown" for answer in kept] == [True, False, False]


async def test_a_run_that_was_never_ordered_is_unknown(either: ServedAgent) -> None:
    answer = await either.database.slots(either.address, either.access, "another")
    whole(SlotsAnswer, answer)
    assert (answer["run"], answer["state"]) == ("another", "unknown")
    assert (answer["startAt"], answer["rows"], answer["error"]) == (None, [], None)
    assert abs(answer["clock"] - time.time()) < 5


@pytest.mark.parametrize("times", [{"settle": 0.15}, {"slice": 0.3}])
async def test_slots_that_cannot_be_are_refused(
    either: ServedAgent, times: dict[str, float]
) -> None:
    with pytest.raises(Rejected, match="settle must be less than slice"):
        await begun(either, order("bad", time.time(), **times))
    answer = await either.database.slots(either.address, either.access, "bad")
    assert answer["state"] == "unknown"


async def test_a_wrong_token_is_refused(either: ServedAgent) -> None:
    wrong = sidecars.access("wrong")
    with pytest.raises(Rejected):
        await either.database.begin_slots(either.address, wrong, order("wrong", time.time()))
    with pytest.raises(Rejected):
        await either.database.slots(either.address, wrong, "wrong")


@pytest.mark.parametrize("wrong", [{"run": ""}, {"warehouses": 0}, {"seconds": 0.0}])
async def test_checks_that_cannot_be_meant_are_refused(
    either: ServedAgent, wrong: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {
        "run": "one",
        "warehouses": 1,
        "loaded": False,
        "full": False,
        "seconds": 60.0,
    }
    with pytest.raises(Rejected):
        await either.database.checks(either.address, either.access, **{**asked, **wrong})
