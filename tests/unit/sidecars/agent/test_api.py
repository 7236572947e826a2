"""The HTTP API with an agent of plain functions behind it, without sockets."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.adapters.sql import SqlError
from encbench.sidecars.agent.api import AgentApi, AgentParts
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.evidence import EvidenceError
from encbench.sidecars.agent.process import NotRunning
from encbench.sidecars.routes import Request, Response, said
from encbench.wire import agent as wire
from encbench.wire.slices import SlotsAnswer, SlotsOrder, SlotsState

AUTH = {"authorization": "Bearer secret"}
WISH: wire.EvidenceRequest = {"marker": "encbench-marker-0001", "full": True, "seconds": 600}


def slots_answer(run: str, state: SlotsState) -> Response:
    return said(SlotsAnswer(run=run, state=state, startAt=None, rows=[], clock=1.7e9, error=None))


@dataclass
class Behind:
    """What the agent does; each may be replaced by a test."""

    error: Exception | None = None
    wished: list[wire.EvidenceRequest] = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    slow: bool = False
    checked: list[wire.ChecksRequest] = field(default_factory=list)
    ordered: list[wire.StopRequest] = field(default_factory=list)
    timed: list[SlotsOrder] = field(default_factory=list)

    def stop(self, order: wire.StopRequest) -> Any:
        self.ordered.append(order)
        if self.error is not None:
            raise self.error
        return {"run": order["run"], "state": "armed"}

    def checks(self, wish: wire.ChecksRequest) -> Any:
        self.checked.append(wish)
        if self.error is not None:
            raise self.error
        return {"run": wish["run"], "state": "running"}

    def settle(self, _: Callable[[], bool], asked: wire.SettleRequest | None) -> Any:
        if self.error is not None:
            raise self.error
        return {"settled": True, "asked": asked}

    def server(self) -> Any:
        if self.error is not None:
            raise self.error
        return {"version": "10.11"}

    def slots(self, order: SlotsOrder) -> Response:
        self.timed.append(order)
        return slots_answer(order["run"], "running")

    def evidence(self, request: wire.EvidenceRequest, cancelled: Callable[[], bool]) -> Any:
        self.wished.append(request)
        self.began.set()
        if self.error is not None:
            raise self.error
        deadline = time.monotonic() + 30
        while self.slow and time.monotonic() < deadline:
            if cancelled():
                self.gone.set()
                raise EvidenceError("the caller has gone")
            time.sleep(0.01)
        return request


def api(behind: Behind) -> AgentApi:
    return AgentApi(
        AgentParts(
            token="secret",
            server=behind.server,
            room=lambda: {"room": None, "clock": 1.7e9},
            evidence=behind.evidence,
            settle=behind.settle,
            checks=behind.checks,
            stop=behind.stop,
            stopped=lambda run: {"run": run, "state": "unknown"},
            disarm=lambda run: {"run": run, "state": "disarmed"},
            slots=behind.slots,
            slots_read=lambda run: slots_answer(run, "unknown"),
        )
    )


def asked(
    method: str,
    target: str,
    body: object = b"",
    headers: dict[str, str] = AUTH,
    is_gone: Callable[[], bool] = lambda: False,
) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(method, target, headers, content, is_gone)


def get(behind: Behind, target: str, headers: dict[str, str] = AUTH) -> Response:
    return api(behind).answer(asked("GET", target, headers=headers))


def post(
    behind: Behind, target: str, body: object = b"", headers: dict[str, str] = AUTH
) -> Response:
    return api(behind).answer(asked("POST", target, body, headers))


def content(answer: Response) -> Any:
    return json.loads(answer.content)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "secret"},
        {"authorization": "Basic secret"},
    ],
)
def test_the_rest_needs_the_token(headers: dict[str, str]) -> None:
    behind = Behind()
    assert get(behind, "/v1/server", headers=headers).status == 401
    assert get(behind, "/metrics", headers=headers).status == 401
    answer = post(behind, "/v1/evidence", WISH, headers=headers)
    assert answer.status == 401
    assert "Bearer" in content(answer)["error"]
    assert behind.wished == []


def test_evidence_as_wished() -> None:
    behind = Behind()
    answer = post(behind, "/v1/evidence", WISH)
    assert (answer.status, content(answer)) == (200, WISH)
    post(behind, "/v1/evidence", {"marker": WISH["marker"]})
    assert behind.wished == [WISH, {"marker": WISH["marker"], "full": False, "seconds": 86400}]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"no json", b"\xff", b'{"marker": 7}', b'{"marker": "x"}', b"{}"]
)
def test_what_is_no_wish_is_refused_with_a_sentence(body: bytes) -> None:
    behind = Behind()
    answer = post(behind, "/v1/evidence", body)
    assert answer.status == 400
    assert "marker must be" in content(answer)["error"]
    odd = {**WISH, "full": "yes"}
    assert post(behind, "/v1/evidence", odd).status == 400
    assert behind.wished == []


@pytest.mark.parametrize(
    ("error", "status"),
    [(SqlError("away"), 503), (NotRunning("none"), 503), (EvidenceError("disk"), 500)],
)
def test_errors_are_sentences(error: Exception, status: int) -> None:
    behind = Behind(error=error)
    for answer in (
        get(behind, "/v1/server"),
        post(behind, "/v1/settle"),
        post(behind, "/v1/evidence", WISH),
    ):
        assert answer.status == status
        assert content(answer) == {"error": str(error)}
    missing = get(behind, "/v1/nothing")
    assert missing.status == 404
    assert "error" in content(missing)


def test_the_room_is_known_whatever_the_server_does() -> None:
    behind = Behind(error=SqlError("the database system is in recovery mode"))
    answer = get(behind, "/v1/room")
    assert (answer.status, content(answer)) == (200, {"room": None, "clock": 1.7e9})
    assert get(behind, "/v1/room", headers={}).status == 401


def test_settling() -> None:
    behind = Behind()
    answer = post(behind, "/v1/settle")
    assert (answer.status, content(answer)) == (200, {"settled": True, "asked": None})
    assert post(behind, "/v1/settle", headers={}).status == 401
    asked = {"run": "trial-uid", "ended": True}
    assert content(post(behind, "/v1/settle", asked))["asked"] == asked
    refused = post(behind, "/v1/settle", {"run": "trial-uid"})
    assert (refused.status, content(refused)["error"]) == (400, "ended must be true or false")


CHECKS = {"run": "trial-uid", "warehouses": 2, "loaded": False, "full": True, "seconds": 600}


def test_checks_as_wished() -> None:
    behind = Behind()
    answer = post(behind, "/v1/checks", CHECKS)
    assert (answer.status, content(answer)) == (200, {"run": "trial-uid", "state": "running"})
    assert behind.checked == [
        wire.ChecksRequest(run="trial-uid", warehouses=2, loaded=False, full=True, seconds=600)
    ]
    behind.error = Busy("another")
    assert post(behind, "/v1/checks", CHECKS).status == 503
    assert post(behind, "/v1/checks", CHECKS, {}).status == 401


def test_an_operator_of_an_earlier_version_asks_the_quick_conditions() -> None:
    behind = Behind()
    earlier = {name: value for name, value in CHECKS.items() if name != "full"}
    assert post(behind, "/v1/checks", earlier).status == 200
    assert [asked["full"] for asked in behind.checked] == [False]


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"run": ""}, "run must be"),
        ({"run": "x" * 129}, "run must be"),
        ({"run": 7}, "run must be"),
        ({"warehouses": 0}, "warehouses must be"),
        ({"warehouses": True}, "warehouses must be"),
        ({"loaded": "no"}, "loaded must be"),
        ({"full": "no"}, "full must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"seconds": None}, "seconds must be"),
    ],
)
def test_checks_that_cannot_be_meant(change: dict[str, Any], advice: str) -> None:
    behind = Behind()
    answer = post(behind, "/v1/checks", {**CHECKS, **change})
    assert answer.status == 400
    assert advice in content(answer)["error"]
    assert behind.checked == []


def test_another_request_is_answered_in_the_middle_of_a_search() -> None:
    behind, left = Behind(slow=True), threading.Event()
    agent = api(behind)
    with ThreadPoolExecutor() as callers:
        wish = asked("POST", "/v1/evidence", WISH, is_gone=left.is_set)
        search = callers.submit(agent.answer, wish)
        assert behind.began.wait(10)
        assert agent.answer(asked("GET", "/v1/recovery")).status == 200
        assert not search.done()
        left.set()
        assert search.result(10).status == 500
    assert behind.gone.is_set()


def test_one_search_at_a_time_and_none_for_a_caller_who_has_not_waited() -> None:
    behind, left = Behind(slow=True), threading.Event()
    agent = api(behind)
    with ThreadPoolExecutor() as callers:
        wish = asked("POST", "/v1/evidence", WISH)
        first = callers.submit(agent.answer, wish)
        assert behind.began.wait(10)
        second = callers.submit(agent.answer, wish)
        third = callers.submit(agent.answer, wish._replace(is_gone=left.is_set))
        left.set()
        time.sleep(0.05)
        assert not second.done()
        assert len(behind.wished) == 1
        behind.slow = False
        assert [one.result(10).status for one in (first, second, third)] == [200, 200, 503]
    assert len(behind.wished) == 2


def test_one_that_goes_while_it_waits_for_its_turn_keeps_no_place() -> None:
    behind, left = Behind(slow=True), threading.Event()
    agent = api(behind)
    with ThreadPoolExecutor() as callers:
        wish = asked("POST", "/v1/evidence", WISH)
        first = callers.submit(agent.answer, wish)
        assert behind.began.wait(10)
        settle = asked("POST", "/v1/settle", is_gone=left.is_set)
        second = callers.submit(agent.answer, settle)
        left.set()
        try:
            assert second.result(10).status == 503
            assert not first.done()
        finally:
            behind.slow = False
        assert first.result(10).status == 200


ORDER = {"run": "trial-uid", "stop": "Crash", "afterSeconds": 2.5, "seconds": 600}


def test_a_stop_is_armed_by_a_post_and_only_looked_at_by_a_get() -> None:
    behind = Behind()
    answer = post(behind, "/v1/recovery", ORDER)
    assert answer.status == 200
    assert content(answer) == {"run": "trial-uid", "state": "armed"}
    assert behind.ordered == [
        wire.StopRequest(run="trial-uid", stop="Crash", afterSeconds=2.5, seconds=600)
    ]
    look = get(behind, "/v1/recovery?run=another")
    assert content(look) == {"run": "another", "state": "unknown"}
    assert len(behind.ordered) == 1


def test_a_stop_is_called_off_by_a_delete() -> None:
    answer = api(Behind()).answer(asked("DELETE", "/v1/recovery?run=trial-uid"))
    assert (answer.status, content(answer)) == (200, {"run": "trial-uid", "state": "disarmed"})


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nobody_stops_the_server_without_the_token(method: str) -> None:
    behind = Behind()
    assert api(behind).answer(asked(method, "/v1/recovery", ORDER, {})).status == 401
    assert not behind.ordered


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run": ""}, "run must be"),
        ({"run": "x" * 129}, "run must be"),
        ({"stop": "Kill"}, "stop must be Clean or Crash"),
        ({"stop": None}, "stop must be Clean or Crash"),
        ({"afterSeconds": -1}, "afterSeconds must be"),
        ({"afterSeconds": True}, "afterSeconds must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"seconds": "600"}, "seconds must be"),
    ],
)
def test_a_stop_that_cannot_be_meant(change: dict[str, Any], said: str) -> None:
    behind = Behind()
    answer = post(behind, "/v1/recovery", {**ORDER, **change})
    assert answer.status == 400
    assert said in content(answer)["error"]
    assert not behind.ordered


def test_another_stop_has_to_wait() -> None:
    behind = Behind(error=Busy("the recovery of x has not ended"))
    answer = post(behind, "/v1/recovery", ORDER)
    assert answer.status == 503
    assert content(answer) == {"error": "the recovery of x has not ended"}


SLOTS: SlotsOrder = {
    "run": "trial-1",
    "startAt": 1.7e9,
    "warmup": 5,
    "period": 3.05,
    "slice": 3.0,
    "settle": 0.5,
    "slots": 60,
}


def test_slots_are_begun_by_a_post_and_only_looked_at_by_a_get() -> None:
    behind = Behind()
    answer = post(behind, "/v1/slices", SLOTS)
    assert content(answer)["state"] == "running"
    assert behind.timed == [SLOTS]
    look = get(behind, "/v1/slices?run=trial-1")
    assert (content(look))["state"] == "unknown"
    assert len(behind.timed) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"slots": 0}, "slots must be a whole number from 1 to 20000"),
        ({"slots": True}, "slots must be"),
        ({"warmup": -1}, "warmup must be a number of 0 or more"),
        ({"startAt": "now"}, "startAt must be Unix time"),
        ({"settle": 3.0}, "settle must be less than slice"),
        ({"period": 2.9}, "slice no more than period"),
    ],
)
def test_slots_that_cannot_be_meant(change: Any, why: str) -> None:
    behind = Behind()
    answer = post(behind, "/v1/slices", {**SLOTS, **change})
    assert answer.status == 400
    assert why in content(answer)["error"]
    assert behind.timed == []
