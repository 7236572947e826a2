"""Reading what clients stored, of which nothing is trusted: neither its size nor its lines."""

import json
from pathlib import Path

import pytest

from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import collect as module
from encbench.reconcile.trial.collect import client_key, collect
from encbench.reconcile.trial.facts import Collected, TrialGathered, TrialSeen
from encbench.reconcile.trial.judge import judge
from encbench.wire.files import FILES, OUTPUT, SERIES, SUMMARY
from tests.support.fake_store import FakeStore
from tests.unit.reconcile.seen import NOW, a_trial

BARE = json.dumps({"schema": "encbench.io/client-summary/v1", "tool": "sysbench"}).encode()


async def collected(trial: Trial, store: FakeStore) -> Collected:
    return await collect(store, trial, TrialSeen(NOW, testbed=None, database=None, job=None))


def stored(trial: Trial, **content: bytes) -> FakeStore:
    """A store with the files of one client; `output`, `series` and `summary` replace theirs."""
    usual = {OUTPUT: b"nothing\n", SERIES: b"", SUMMARY: BARE}
    usual |= {name: content.get(name.partition(".")[0], usual[name]) for name in FILES}
    return FakeStore(objects={client_key(trial, 0, name): usual[name] for name in FILES})


@pytest.mark.parametrize("name", FILES)
async def test_a_file_that_is_too_large_is_not_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 1000)
    monkeypatch.setattr(module, "LARGEST_JSON", {})
    trial = a_trial()
    found = await collected(trial, stored(trial, **{name.partition(".")[0]: b"x" * 1001}))
    assert found.too_large == f"{client_key(trial, 0, name)} has 1,001 bytes, more than 1,000"
    assert found.measurement is None


async def test_a_summary_that_would_grow_in_memory_is_not_read() -> None:
    trial = a_trial()
    found = await collected(trial, stored(trial, summary=b"[" + b"{}," * 2**15 + b"0]"))
    assert found.too_large == f"{client_key(trial, 0, SUMMARY)} has 98,307 bytes, more than 65,536"


async def test_a_log_of_very_many_lines_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)
    trial = a_trial()
    found = await collected(trial, stored(trial, output=b"event\n" * 11))
    assert found.too_large == f"{client_key(trial, 0, OUTPUT)} has 11 lines, more than 10"
    assert set(found.artefacts) == {f"client-0/{name}" for name in FILES}


async def test_backspaces_that_only_overwrite_are_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)
    trial = a_trial()
    status = b"Running Average" + b"\b" * 15
    assert not (await collected(trial, stored(trial, output=status * 10))).too_large
    assert (await collected(trial, stored(trial, output=status * 11))).too_large


RELEASED = NOW.timestamp() - 75


def with_window(start: float, end: float, ahead: float = 0.0) -> bytes:
    offset = {"seconds": ahead, "roundTrip": 0.001}
    window = {"start": start, "end": end, "seconds": 60.0}
    return json.dumps({**json.loads(BARE), "window": window, "clockOffset": offset}).encode()


@pytest.mark.parametrize(
    "summary",
    [
        with_window(RELEASED + 10, 1e15),
        with_window(0, RELEASED + 70),
        with_window(RELEASED + 10, RELEASED + 1000),
        with_window(RELEASED + 3600, RELEASED + 3660),
        with_window(RELEASED - 3600, RELEASED - 3540),
        with_window(5.0, 9.0, ahead=1e6),
        with_window(1e300, 1.1e300, ahead=-1e308),
    ],
    ids=["endless", "from-the-first", "long", "later", "earlier", "negative", "no-float"],
)
async def test_a_window_that_the_trial_cannot_have_had_is_not_asked_for(summary: bytes) -> None:
    trial = a_trial(releaseAt=RELEASED)
    found = await collected(trial, stored(trial, summary=summary))
    assert (found.window, found.measurement) == (None, None)
    assert found.misplaced.startswith("the clients' window lies from ")
    assert set(found.artefacts) == {f"client-0/{name}" for name in FILES}
    outcome, reason, message = judge(trial.spec, TrialGathered(found))
    assert (outcome, reason, message) == ("Invalid", "ClockSet", found.misplaced)


@pytest.mark.parametrize("ahead", [0.0, -7200.0, 1e6])
async def test_a_window_of_the_run_is_asked_for_whatever_the_client_s_clock(ahead: float) -> None:
    trial = a_trial(releaseAt=RELEASED)
    summary = with_window(RELEASED + 10 + ahead, RELEASED + 71.5 + ahead, ahead)
    found = await collected(trial, stored(trial, summary=summary))
    assert found.window is not None
    assert found.window.start == pytest.approx(RELEASED + 10)
    assert not found.misplaced


async def test_what_waited_in_a_client_is_among_its_facts() -> None:
    trial = a_trial(releaseAt=RELEASED)
    log = Path(__file__).parents[2] / "data/sysbench/rate.log"
    waiting = log.read_text().replace("[ 1s ] queue length: 0", "[ 1s ] queue length: 293")
    summary = with_window(RELEASED + 10, RELEASED + 13)
    found = await collected(trial, stored(trial, summary=summary, output=waiting.encode()))
    assert [client.queue for client in found.clients] == [(293, 0)]
