"""Wrapper and recorder as processes, with a stand-in for the tool and for the object store."""

import json
import os
import re
import signal
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.core.artefact import decode, digest_of
from encbench.core.evidence import ClientSummary
from encbench.report.analysis.bucket import parse_series
from encbench.sidecars.machine import read_machine
from encbench.tools.pod import wrapped
from tests.contract.client.harness import uploads
from tests.support import certified, fake_tool
from tests.support.busy import nearest
from tests.support.local_client import FILES, LocalClient, local_client
from tests.support.receiver import Receiver, receiving

pytestmark = pytest.mark.usefixtures("precedence")


def client(
    folder: Path, *arguments: object, limit: int = 20, **settings: Any
) -> AbstractContextManager[LocalClient]:
    """A client whose tool is the stand-in with these arguments."""
    folder.mkdir(exist_ok=True)
    command = wrapped(limit, fake_tool.command(folder, *arguments))
    return local_client(folder / "pod", command, warmup=int(str(arguments[0])), **settings)


def test_from_the_barrier_to_the_bucket(tmp_path: Path) -> None:
    assert nearest(lambda number: whole_run(tmp_path / f"{number}"), 1.0) <= 1.0


def whole_run(folder: Path) -> float:
    """By how much its begin and its CPU time are off, as a share of what is let pass."""
    with receiving(Receiver()) as receiver, client(folder, 1, 2, 0.5) as one:
        assert one.wait_for("waiting")["startAt"] is None
        start_at = time.time() + 1
        assert one.release(uploads(receiver), start_at)["state"] == "released"
        one.wait_for("running")
        one.wait_for_report()
        metrics = one.metrics()[1].decode()
        assert re.search("^encbench_client_tps [123]00$", metrics, re.MULTILINE)
        state = one.wait_for("uploaded")
        assert one.end() == 0
    assert state["exitCode"] == 0
    assert state["error"] is None
    own = fake_tool.account(one.output)
    assert state["lastTps"] == 300.0
    stored = {name: receiver.objects[f"client-0/{name}"] for name in FILES}
    assert state["digests"] == {name: digest_of(content) for name, content in stored.items()}
    assert one.termination_message() == {
        "prefix": "bench/overhead/trials/uid/client-0",
        "digests": state["digests"],
    }
    summary = decode(ClientSummary, stored["summary.json"], "summary.json")
    assert summary.window is not None
    assert summary.window.start == pytest.approx(own.start, abs=0.02)
    assert summary.window.end == pytest.approx(own.start + own.seconds, abs=0.02)
    assert summary.window.seconds == pytest.approx(own.seconds, abs=0.02)
    assert summary.cpu_seconds is not None
    assert summary.clock_skew_seconds == pytest.approx(0, abs=0.005)
    assert summary.began is not None
    assert summary.machine is not None
    flags = read_machine()["cpuFlags"]
    assert summary.machine.aes == ("aes" in flags if flags else None)
    late = summary.began.unix - start_at
    assert late > -0.03
    series = list(parse_series(stored["series.csv"], "series.csv"))
    assert [tps for _, tps in series] == [100.0, 200.0, 300.0]
    return max(late / 0.25, abs(summary.cpu_seconds - own.cpu_seconds) / 0.03)


def test_a_release_is_idempotent(tmp_path: Path, receiver: Receiver) -> None:
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        first = one.release(uploads(receiver), time.time() + 0.3)
        again = one.release(uploads(receiver), time.time() + 60)
        assert again["startAt"] == first["startAt"]
        one.wait_for("running")
        assert one.release(uploads(receiver), time.time() + 60)["state"] == "running"
        assert one.wait_for("uploaded")["startAt"] == first["startAt"]
        assert one.end() == 0
    assert one.output.count("Threads started!") == 1


def test_no_state_before_the_tool_waits(tmp_path: Path) -> None:
    with local_client(tmp_path) as one:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                status, content = one.get("/v1/state")
                break
            except OSError:
                time.sleep(0.05)
        assert status == 503
        assert "is not waiting" in json.loads(content)["error"]
        assert one.metrics()[0] == 200


def test_without_warm_up_the_window_is_the_whole_load(tmp_path: Path, receiver: Receiver) -> None:
    with client(tmp_path, 0, 1, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("uploaded")
    own = fake_tool.account(one.output)
    assert one.summary()["window"]["seconds"] == pytest.approx(own.seconds, abs=0.02)


def test_a_store_that_is_away_gets_everything_later(tmp_path: Path, receiver: Receiver) -> None:
    receiver.answer = 503
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        assert one.wait_for("finished")["error"] is None
        time.sleep(1.5)
        assert one.state()["state"] == "finished"
        receiver.answer = None
        one.wait_for("uploaded")
        assert one.end() == 0
    assert set(receiver.objects) == {f"client-0/{name}" for name in FILES}
    assert "SlowDown" in one.said()
    assert "5ecre7" not in one.said()


def test_an_answer_that_was_lost_does_no_harm(tmp_path: Path, receiver: Receiver) -> None:
    receiver.objects["client-0/output.log"] = b"stored before"
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("uploaded")
    assert ("client-0/output.log", 412) in receiver.tries


def test_fresh_urls_for_expired_ones(tmp_path: Path, receiver: Receiver) -> None:
    receiver.expired.add("X-Amz-Signature=0ld")
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver, "X-Amz-Signature=0ld"))
        state = one.wait_for("finished")
        while not (error := state["error"]):
            state = one.state()
        assert error == "the object store refused output.log: 403 AccessDenied"
        tries = len(receiver.tries)
        time.sleep(0.7)
        assert len(receiver.tries) == tries
        one.release(uploads(receiver))
        assert one.wait_for("uploaded")["error"] is None
        assert one.end() == 0
    assert one.output.count("Threads started!") == 1
    assert "0ld" not in one.said()


def test_a_ca_that_was_renewed_comes_with_fresh_urls(tmp_path: Path) -> None:
    """The store's, after the pod was made: its environment has the old one."""
    tls = certified.context()
    with receiving(Receiver(), tls) as receiver:
        store = f"https://localhost:{receiver.port}"
        urls = {name: f"{store}/client-0/{name}?X-Amz-Signature=5ecre7" for name in FILES}
        old = certified.authority("another").certificate
        more = {"ENCBENCH_STORE": store, "ENCBENCH_STORE_AUTHORITY": old}
        with client(tmp_path, 0, 1, 0, more=more) as one:
            one.wait_for("waiting")
            one.release(urls)
            state = one.wait_for("finished")
            while not (error := state["error"]):
                state = one.state()
            assert "its certificate is not trusted" in error
            # A store's CA may be long: the operator takes 64 KiB.
            own = certified.issued().authority
            renewed = own + "\n" * (60 * 1024) + own
            one.release(urls, authority=renewed)
            assert one.wait_for("uploaded")["error"] is None
            assert one.end() == 0
        assert set(receiver.objects) == {f"client-0/{name}" for name in FILES}


@pytest.mark.parametrize("during", ["warm-up", "window"])
def test_a_tool_that_is_killed(tmp_path: Path, receiver: Receiver, during: str) -> None:
    warmup, seconds = (5, 1) if during == "warm-up" else (1, 5)
    with client(tmp_path, warmup, seconds, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("running")
        time.sleep(1.5)
        os.kill(_tool(one), signal.SIGKILL)
        state = one.wait_for("uploaded")
        assert one.end() == 0
        assert one.wrapper is not None
        assert one.wrapper.wait() == 137
    assert state["exitCode"] == 137
    assert one.summary()["window"] is None
    assert set(receiver.objects) == {f"client-0/{name}" for name in FILES}


def test_a_tool_that_fails(tmp_path: Path, receiver: Receiver) -> None:
    with client(tmp_path, 0, 1, 0, 1) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        state = one.wait_for("uploaded")
    assert (state["exitCode"], one.summary()["window"]) == (1, None)
    assert fake_tool.ACCOUNT in one.said()


def test_a_tool_container_that_is_gone_leaves_its_log(tmp_path: Path, receiver: Receiver) -> None:
    """Out of memory: the kernel kills the wrapper with the tool, and nobody stamps the end."""
    with client(tmp_path, 1, 5, 0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("running")
        time.sleep(0.5)
        tool = _tool(one)
        assert one.wrapper is not None
        one.wrapper.kill()
        os.kill(tool, signal.SIGKILL)
        state = one.wait_for("uploaded")
        assert one.end() == 0
    assert (state["exitCode"], one.summary()["window"]) == (None, None)


def test_a_tool_container_that_ends_at_the_barrier(tmp_path: Path) -> None:
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        assert one.wrapper is not None
        one.wrapper.kill()
        assert one.end() == 1
    assert "ended before its start" in one.termination_message()["error"]


def test_stopped_at_the_barrier(tmp_path: Path) -> None:
    with client(tmp_path, 1, 1, 0) as one:
        one.wait_for("waiting")
        one.recorder.terminate()
        assert one.end(15) == 1
        assert one.wrapper is not None
        assert one.wrapper.wait(15) == 70


def test_stopped_while_the_tool_runs(tmp_path: Path, receiver: Receiver) -> None:
    """A deleted pod: both containers get SIGTERM, and the grace period is for the log."""
    with client(tmp_path, 1, 60, 0, limit=90, grace=10.0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("running")
        time.sleep(0.5)
        assert one.wrapper is not None
        one.recorder.terminate()
        one.wrapper.terminate()
        assert one.end(15) == 0
    assert set(receiver.objects) == {f"client-0/{name}" for name in FILES}


def test_stopped_while_the_store_is_away(tmp_path: Path, receiver: Receiver) -> None:
    receiver.answer = 500
    with client(tmp_path, 0, 1, 0, grace=1.0) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("finished")
        time.sleep(0.3)
        one.recorder.terminate()
        tries = len(receiver.tries)
        assert one.end(15) == 1
    assert len(receiver.tries) - tries < 5
    assert "could not be stored in time: 500" in one.termination_message()["error"]
    assert set(one.termination_message()["digests"]) == set(FILES)


def test_a_run_that_nobody_asks_about_ends_by_itself(tmp_path: Path, receiver: Receiver) -> None:
    with client(tmp_path, 0, 1, 0, linger=0.5) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        assert one.end() == 0


def _tool(one: LocalClient) -> int:
    from encbench.sidecars.recorder.process import find

    assert one.wrapper is not None
    found = find(one.wrapper.pid, "sysbench")
    assert found is not None
    return found
