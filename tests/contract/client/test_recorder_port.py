"""`ports.Recorder`: the adapter with a real recorder, and the fake."""

import asyncio
import json
import time

import pytest

from encbench.ports import Rejected, Unavailable
from encbench.wire.recorder import ClockOffset
from encbench.wire.slices import OwnSlots
from tests.contract.client.harness import Harness, uploads
from tests.support.sidecars import access

pytestmark = pytest.mark.usefixtures("precedence")

WRONG = access("wrong", "recorder")
SLOTS = OwnSlots(warmup=0.2, period=0.3, slice=0.2, settle=0.1, slots=3, own=[0, 2])
STATE = {"state", "startAt", "exitCode", "lastTps", "digests", "clock", "error", "away", "window"}


async def test_not_before_the_tool_waits(harness: Harness) -> None:
    with pytest.raises(Unavailable):
        await harness.recorder.state(harness.address, harness.access)
    with pytest.raises(Unavailable):
        await harness.recorder.release(
            harness.address, harness.access, time.time(), uploads(harness.receiver)
        )


async def test_the_whole_life(harness: Harness) -> None:
    await harness.wait()
    waiting = await harness.recorder.state(harness.address, harness.access)
    assert set(waiting) == STATE
    assert waiting["state"] == "waiting"
    assert waiting["clock"] == pytest.approx(time.time(), abs=5)
    assert (waiting["startAt"], waiting["exitCode"]) == (None, None)
    assert (waiting["digests"], waiting["error"]) == ({}, None)
    start_at = time.time() + 0.3
    urls = uploads(harness.receiver)
    released = await harness.recorder.release(harness.address, harness.access, start_at, urls)
    assert (released["state"], released["startAt"]) == ("released", start_at)
    done = await harness.until("uploaded")
    assert set(done) == STATE
    assert done["exitCode"] == 0
    assert set(done["digests"]) == set(urls)
    assert all(digest.startswith("sha256:") for digest in done["digests"].values())
    assert len(harness.receiver.objects) == 3
    assert harness.starts() == 1


async def test_a_second_release_answers_with_the_first_s_start(harness: Harness) -> None:
    await harness.wait()
    urls = uploads(harness.receiver)
    first = await harness.recorder.release(harness.address, harness.access, time.time() + 0.3, urls)
    again = await harness.recorder.release(harness.address, harness.access, time.time() + 99, urls)
    assert again["startAt"] == first["startAt"]
    await harness.until("uploaded")
    assert harness.starts() == 1


async def test_expired_urls_can_be_replaced(harness: Harness) -> None:
    harness.receiver.expired.add("X-Amz-Signature=0ld")
    await harness.wait()
    old = uploads(harness.receiver, "X-Amz-Signature=0ld")
    await harness.recorder.release(harness.address, harness.access, time.time(), old)
    async with asyncio.timeout(30):
        state = await harness.until("finished")
        while state["error"] is None:
            await asyncio.sleep(0.02)
            state = await harness.until("finished")
    assert "0ld" not in state["error"]
    fresh = uploads(harness.receiver)
    renewed = await harness.recorder.release(harness.address, harness.access, time.time(), fresh)
    assert renewed["state"] in ("finished", "uploaded")
    assert renewed["error"] is None
    await harness.until("uploaded")
    assert harness.starts() == 1


async def test_a_wrong_token_is_rejected(harness: Harness) -> None:
    await harness.wait()
    with pytest.raises(Rejected, match="token"):
        await harness.recorder.state(harness.address, WRONG)
    with pytest.raises(Rejected, match="token"):
        await harness.recorder.release(
            harness.address, WRONG, time.time(), uploads(harness.receiver)
        )


async def test_a_release_without_all_urls_is_rejected(harness: Harness) -> None:
    await harness.wait()
    some = uploads(harness.receiver)
    del some["summary.json"]
    with pytest.raises(Rejected, match="uploads"):
        await harness.recorder.release(harness.address, harness.access, time.time(), some)
    state = await harness.recorder.state(harness.address, harness.access)
    assert state["state"] == "waiting"


async def test_a_client_in_turns_stores_its_slices_and_keeps_its_first_slots_and_clock(
    harness: Harness,
) -> None:
    await harness.wait()
    recorder, where, access = harness.recorder, harness.address, harness.access
    urls = uploads(harness.receiver)
    with pytest.raises(Rejected, match="uploads"):
        await recorder.release(where, access, time.time() + 1, urls, SLOTS)
    urls["slices.json"] = harness.receiver.url("client-0/slices.json")
    clock = ClockOffset(seconds=0.25, roundTrip=0.01)
    start_at = time.time() + 1
    first = await recorder.release(where, access, start_at, urls, SLOTS, clock)
    assert (first["state"], first["startAt"]) == ("released", start_at)
    other, later = OwnSlots(**{**SLOTS, "own": [1]}), ClockOffset(seconds=9.0, roundTrip=0.5)
    again = await recorder.release(where, access, start_at + 99, urls, other, later)
    assert again["startAt"] == start_at
    done = await harness.until("uploaded")
    assert set(done["digests"]) == set(urls)
    assert harness.takes_turns(start_at, SLOTS)
    summary = json.loads(harness.receiver.objects["client-0/summary.json"])
    assert summary["clockOffset"] == clock


async def test_results_go_to_the_client_s_own_store_alone(harness: Harness) -> None:
    await harness.wait()
    for elsewhere in ("http://127.0.0.1:1", "https://store.example.com", "http://127.0.0.1"):
        urls = {**uploads(harness.receiver), "series.csv": f"{elsewhere}/client-0/series.csv"}
        with pytest.raises(Rejected, match=r"must be in .*http://127\.0\.0\.1:"):
            await harness.recorder.release(harness.address, harness.access, time.time(), urls)
    state = await harness.recorder.state(harness.address, harness.access)
    assert state["state"] == "waiting"


async def test_nobody_there(harness: Harness) -> None:
    with pytest.raises(Unavailable):
        await harness.recorder.state("127.0.0.1:9", harness.access)
