"""Reading what clients stored, of which nothing is trusted: neither its size nor its lines."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from encbench.api.trial import Window
from encbench.api.workload import Recovery
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import collect as module
from encbench.reconcile.trial.collect import client_key, collect
from encbench.reconcile.trial.facts import Collected, TrialFound, TrialGathered, TrialSeen
from encbench.reconcile.trial.judge import judge
from encbench.wire.files import FILES, OUTPUT, SERIES, SUMMARY
from encbench.wire.recorder import ClockOffset
from tests.support.fake_store import FakeStore
from tests.unit.reconcile.seen import NOW, a_trial

BARE = json.dumps({"schema": "encbench.io/client-summary/v1", "tool": "sysbench"}).encode()
LOG = (Path(__file__).parents[2] / "data/sysbench/rate.log").read_bytes()
LOG = LOG.replace(b"4.0623s", b"70.0623s")
"""Of a load of 70 seconds, as the trial's."""


async def collected(trial: Trial, store: FakeStore, **after: ClockOffset) -> Collected:
    """`after` is how the client's clock was against ours when its run had ended."""
    clocks = dict(enumerate(after.values()))
    seen = TrialSeen(NOW, testbed=None, database=None, job=None, found=TrialFound(clocks=clocks))
    return await collect(store, trial, seen)


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


def with_window(start: float, end: float, ahead: float = 0.0, took: float = 0.001) -> bytes:
    offset = {"seconds": ahead, "roundTrip": took}
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


@pytest.mark.parametrize(("round_trip", "moved"), [(1.0, 0.0), (0.5, 0.4)])
async def test_our_clock_has_not_moved_by_what_a_slow_answer_explains(
    round_trip: float, moved: float
) -> None:
    """After the run, too, an offset is no more exact than half of its round trip."""
    trial = a_trial(releaseAt=RELEASED)
    store = stored(trial, summary=with_window(RELEASED + 10, RELEASED + 70), output=LOG)
    after: ClockOffset = {"seconds": -0.4, "roundTrip": round_trip}
    assert (await collected(trial, store, after=after)).own_clock_moved == pytest.approx(moved)


@pytest.mark.parametrize(
    ("ahead", "later", "moved"), [(0.0, 0.55, 0.0), (0.31, 0.55, 0.0), (0.31, 1.0, -0.69)]
)
async def test_an_offset_that_was_taken_for_none_may_be_as_large_as_its_round_trip(
    ahead: float, later: float, moved: float
) -> None:
    trial = a_trial(releaseAt=RELEASED)
    summary = with_window(RELEASED + 10, RELEASED + 70, ahead, took=0.6)
    after: ClockOffset = {"seconds": later, "roundTrip": 0.01}
    found = await collected(trial, stored(trial, summary=summary, output=LOG), after=after)
    assert found.own_clock_moved == pytest.approx(moved)


async def test_what_waited_in_a_client_is_among_its_facts() -> None:
    trial = a_trial(releaseAt=RELEASED)
    waiting = LOG.decode().replace("[ 1s ] queue length: 0", "[ 1s ] queue length: 293")
    summary = with_window(RELEASED + 10, RELEASED + 13)
    found = await collected(trial, stored(trial, summary=summary, output=waiting.encode()))
    assert [client.queue for client in found.clients] == [(293, 0)]


def left(moment: float) -> bytes:
    """The output of a client of whose two threads one ended after so many seconds."""
    over = "".join(f"encbench-over {at:.6f} 1893499070.000000\n" for at in (moment, 70.0))
    return LOG.replace(b"Latency histogram", over.encode() + b"Latency histogram", 1)


@pytest.mark.parametrize("moment", [69.31, 70.0, 95.0], ids=["stamps", "at-once", "long"])
async def test_threads_that_stayed_to_the_end_of_the_load(moment: float) -> None:
    trial = a_trial(releaseAt=RELEASED)
    store = stored(trial, summary=with_window(RELEASED + 10, RELEASED + 70), output=left(moment))
    found = await collected(trial, store)
    assert (found.problem, found.measurement is None) == ("", False)


@pytest.mark.parametrize(
    "output", [left(50.0), LOG.replace(b"70.0623s", b"50.0000s")], ids=["a-thread", "all"]
)
async def test_a_run_that_a_script_ended_is_no_measurement(output: bytes) -> None:
    """It exits with 0, and its report is complete."""
    trial = a_trial(releaseAt=RELEASED, replicas=2)
    summary = with_window(RELEASED + 10, RELEASED + 70)
    ends = {SUMMARY: summary, OUTPUT: output}
    found = await collected(trial, of_two(trial, {SUMMARY: summary}, ends))
    assert found.problem == (
        "client 1, or one of its threads, ended by itself 20.0 s before its load was over: event() "
        "must return nothing, because a value ends its thread"
    )
    assert judge(trial.spec, TrialGathered(found)) == ("Failed", "OutputUnreadable", found.problem)


async def test_without_a_window_the_output_says_why() -> None:
    trial = a_trial(releaseAt=RELEASED)
    found = await collected(trial, stored(trial))
    assert found.problem.startswith("the output is not sysbench 1.0's: line 1")
    found = await collected(trial, stored(trial, output=LOG))
    assert found.problem == "a client has no measured window"


def of_two(trial: Trial, *content: dict[str, bytes]) -> FakeStore:
    """A store with the files of two clients."""
    usual = {OUTPUT: LOG, SERIES: b"", SUMMARY: BARE}
    return FakeStore(
        objects={
            client_key(trial, index, name): found
            for index, own in enumerate(content)
            for name, found in (usual | own).items()
        }
    )


async def test_a_window_is_what_all_clients_have_in_common() -> None:
    trial = a_trial(releaseAt=RELEASED, replicas=2)
    one, other = (10.0, 70.0), (11.5, 71.0)
    for spans in ((one, other), (other, one)):
        summaries = (with_window(RELEASED + start, RELEASED + end) for start, end in spans)
        store = of_two(trial, *({SUMMARY: summary} for summary in summaries))
        found = await collected(trial, store)
        assert found.window == Window(start=RELEASED + 11.5, end=RELEASED + 70.0)


def cut_off(late: float, ran: float, connects: float | None = None) -> dict[str, bytes]:
    """The files of a client that began so late, and whose server was stopped under it.

    Its load began when it had connected, or at once where its recorder does not say.
    """
    stamps = {"began": (late, 0.0), "ended": (late + ran, ran)}
    if connects is not None:
        stamps["loadBegan"] = (late + connects, connects)
    summary = {
        name: {"unix": RELEASED + at, "monotonic": clock} for name, (at, clock) in stamps.items()
    }
    lines = "".join(
        f"[ {second}s ] thds: 8 tps: 50.00 qps: 100.00 (r/w/o: 50.00/40.00/10.00) "
        "lat (ms,95%): 2.00 err/s: 0.00 reconn/s: 0.00\n"
        for second in range(1, int(ran - (connects or 0.0)) + 1)
    )
    return {
        OUTPUT: f"sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n{lines}".encode(),
        SUMMARY: json.dumps({**json.loads(BARE), **summary}).encode(),
    }


def crashing(replicas: int) -> Trial:
    """A trial whose server is stopped 70 seconds after the release."""
    trial = a_trial(releaseAt=RELEASED, replicas=replicas)
    recovery = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    return replace(trial, spec=trial.spec.model_copy(update={"workload": recovery}))


async def test_so_it_is_of_clients_whose_server_was_stopped() -> None:
    trial = crashing(2)
    on_time, late = cut_off(0.0, 70.0), cut_off(2.0, 68.0)
    for content in ((on_time, late), (late, on_time)):
        found = await collected(trial, of_two(trial, *content))
        assert found.window == Window(start=RELEASED + 12.0, end=RELEASED + 70.0), found.problem


async def test_its_seconds_count_from_when_the_load_began() -> None:
    """The first client had its threads connected after two seconds and a half."""
    trial = crashing(2)
    content = cut_off(0.0, 70.0, connects=2.5), cut_off(0.0, 70.0, connects=1.0)
    found = await collected(trial, of_two(trial, *content))
    assert found.window == Window(start=RELEASED + 12.5, end=RELEASED + 69.5), found.problem
    assert [client.began for client in found.clients] == [RELEASED + 2.5, RELEASED + 1.0]


@pytest.mark.parametrize(
    ("late", "ran", "early"),
    [(5.0, 65.0, 0.0), (-5.0, 70.0, 0.0), (0.0, 65.0, 5.0)],
    ids=["began-late", "clock-behind", "ended-early"],
)
async def test_a_client_that_began_late_has_not_ended_early(
    late: float, ran: float, early: float
) -> None:
    trial = crashing(1)
    found = await collected(trial, of_two(trial, cut_off(late, ran)))
    assert (found.early, found.window is None) == (early, early > 0)
