"""The agent's readings at the edges of a block's slots."""

import json
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from encbench.sidecars.agent.process import CpuPeriods, Reading
from encbench.sidecars.agent.slots import KEPT_SLOTS, SlotRuns
from encbench.sidecars.routes import Response
from encbench.wire.slices import SlotsAnswer, SlotsOrder
from tests.support.answers import whole
from tests.support.busy import nearest
from tests.support.kube import wait_for

BEGUN = Reading(
    process_id=7, started_at=1.0, cpu_seconds=0.0, resident_bytes=0, read_bytes=5, write_bytes=None
)


def order(run: str, slots: int = 3, after: float = 0.05) -> SlotsOrder:
    start = time.time() + after
    return SlotsOrder(
        run=run, slots=slots, startAt=start, warmup=0.05, period=0.11, slice=0.1, settle=0.03
    )


def burning() -> Reading:
    """A server that uses one core all the time."""
    return replace(BEGUN, cpu_seconds=time.monotonic())


def content(response: Response) -> SlotsAnswer:
    """What the caller reads."""
    assert response.status == 200
    return cast(SlotsAnswer, json.loads(response.content + b"".join(response.rest)))


def finished(runs: SlotRuns, run: str) -> SlotsAnswer:
    deadline = time.monotonic() + 10
    while (answer := content(runs.look(run)))["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return answer


def test_every_slot_is_read_at_its_edges() -> None:
    """A busy machine makes readings late; a wrong moment makes those of every run early or late."""
    assert nearest(lambda number: lateness(f"run {number}"), 0.02, most=20) <= 0.02


def lateness(run: str) -> float:
    """Of the reading of a run that was nearest to its edge."""
    used: list[float] = []

    def counted() -> Reading:
        used.append(round(time.monotonic(), 6))
        return replace(BEGUN, cpu_seconds=used[-1])

    runs, wanted = SlotRuns(counted), order(run)
    whole(SlotsAnswer, content(runs.begin(wanted)))
    answer = finished(runs, run)
    whole(SlotsAnswer, answer)
    assert (answer["state"], [row["slot"] for row in answer["rows"]]) == ("done", [0, 1, 2])
    assert answer["startAt"] == wanted["startAt"]
    late: list[float] = []
    told: list[float] = []
    for row in answer["rows"]:
        begin = wanted["startAt"] + 0.05 + row["slot"] * 0.11
        for edge, after in (("begin", 0.0), ("counted", 0.03), ("end", 0.1)):
            read = row[edge]  # type: ignore[literal-required]
            late.append(read["at"] - (begin + after))
            told.append(read["cpuSeconds"])
            assert (read["readBytes"], read["writeBytes"]) == (5, None)
    assert told == used
    assert min(late) >= 0
    return min(late)


def test_the_same_name_looks_and_another_replaces() -> None:
    runs = SlotRuns(burning)
    runs.begin(order("one", slots=1000))
    assert content(runs.begin(order("one")))["run"] == "one"
    runs.begin(order("two"))
    ended = finished(runs, "one")
    assert (ended["state"], ended["error"]) == ("failed", "another run has begun")
    assert finished(runs, "two")["state"] == "done"


def test_the_last_runs_are_kept() -> None:
    runs = SlotRuns(burning)
    for name in ("one", "two", "three", "four"):
        runs.begin(order(name, slots=1))
        assert finished(runs, name)["state"] == "done"
    looked = content(runs.look("one"))
    whole(SlotsAnswer, looked)
    assert looked["clock"] == pytest.approx(time.time(), abs=5)
    assert (looked["run"], looked["state"], looked["startAt"]) == ("one", "unknown", None)
    assert [len(finished(runs, name)["rows"]) for name in ("two", "three", "four")] == [1, 1, 1]


def test_of_long_runs_fewer_are_kept() -> None:
    """The agent's memory is small."""
    runs = SlotRuns(burning)
    for name in ("one", "two", "three"):
        runs.begin(order(name, slots=9_000, after=60))
    assert content(runs.look("one"))["state"] == "unknown"
    assert finished(runs, "two")["error"] == "another run has begun"


@pytest.mark.parametrize(
    ("readers", "why"),
    [
        ([lambda: None], "no server is running"),
        ([burning, lambda: None], "no proxy is running"),
        ([burning, None, lambda: None], "no file system is running"),
    ],
)
def test_a_reading_that_cannot_be_made_ends_the_run(
    readers: list[Callable[[], Reading | None]], why: str
) -> None:
    runs = SlotRuns(*readers)
    runs.begin(order("one"))
    answer = finished(runs, "one")
    assert (answer["state"], answer["error"], answer["rows"]) == ("failed", why, [])


def test_a_proxy_is_read_beside_the_server() -> None:
    runs = SlotRuns(burning, burning)
    runs.begin(order("one", slots=1))
    (row,) = finished(runs, "one")["rows"]
    assert row["end"]["proxyCpuSeconds"] > row["begin"]["proxyCpuSeconds"]
    assert "volumeCpuSeconds" not in row["end"]


def test_a_file_system_is_read_by_itself_as_well() -> None:
    runs = SlotRuns(burning, volume=burning)
    runs.begin(order("one", slots=1))
    (row,) = finished(runs, "one")["rows"]
    assert row["end"]["volumeCpuSeconds"] > row["begin"]["volumeCpuSeconds"]


def test_an_order_that_begins_at_another_time_is_another() -> None:
    """A block that missed its start begins later, and its readings with it."""
    runs, first = SlotRuns(burning), order("block", after=30)
    runs.begin(first)
    again = SlotsOrder(**{**first, "startAt": first["startAt"] + 0.2})
    assert content(runs.begin(again))["startAt"] == first["startAt"], "clocks were compared anew"
    later = order("block", after=0.05)
    assert content(runs.begin(later))["startAt"] == later["startAt"]
    assert finished(runs, "block")["state"] == "done"


def test_what_the_limits_held_up_is_read_where_the_kernel_shows_it() -> None:
    held_up = replace(BEGUN, periods=CpuPeriods(ran=200, throttled=31))
    runs = SlotRuns(lambda: held_up, burning)
    runs.begin(order("one", slots=1))
    answer = finished(runs, "one")
    whole(SlotsAnswer, answer)
    assert answer["rows"][0]["end"]["periods"] == {"database": {"ran": 200, "throttled": 31}}


def test_the_longest_block_has_room_in_the_agent() -> None:
    """Its readings and its answer, which is sent in pieces, beside what an agent takes at rest."""
    held_up = replace(
        BEGUN,
        cpu_seconds=1e5 / 3,
        read_bytes=9_123_456_789_012,
        write_bytes=8_123_456_789_012,
        periods=CpuPeriods(ran=1_234_567, throttled=123_456),
    )
    runs, slots = SlotRuns(*[lambda: held_up] * 3), 1000

    def whole_block() -> Response | None:
        found = runs.look("block")
        return found if len(found.rest) > slots else None

    tracemalloc.start()
    try:
        runs.begin(order("block", slots, after=-3600))
        answer = wait_for("the last slot", whole_block, 60, every=0.05)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert max(map(len, answer.rest)) < 2000
    assert most / slots * KEPT_SLOTS < 30 * 2**20
