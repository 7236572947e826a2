"""What the recorder answers, without sockets."""

import json
import math
from typing import Any

import pytest

from encbench.sidecars.recorder.api import Api
from encbench.sidecars.recorder.process import Usage
from encbench.sidecars.recorder.run import Run
from encbench.sidecars.routes import Request, Response
from encbench.tools.progress import Sample
from encbench.wire.files import FILES, SLICES

AUTH = {"authorization": "Bearer t0ken"}
UPLOADS = {name: f"http://store/{name}?X-Amz-Signature=5ecre7" for name in FILES}
TURNS = {"warmup": 0, "period": 3, "slice": 2.5, "settle": 0.5, "slots": 4, "own": [0, 2]}
OF_TURNS = {"startAt": 5, "uploads": {**UPLOADS, SLICES: f"http://store/{SLICES}"}}


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def api(run: Run) -> Api:
    return Api(run, "t0ken", "http://store")


def get(api: Api, path: str, headers: dict[str, str] = AUTH) -> Response:
    return api.answer(Request("GET", path, headers, b""))


def release(api: Api, body: Any) -> Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return api.answer(Request("POST", "/v1/release", AUTH, content))


def test_the_whole_life(api: Api, run: Run) -> None:
    assert get(api, "/v1/state").status == 503
    assert release(api, {"startAt": 5, "uploads": UPLOADS}).status == 503
    run.wait()
    state = json.loads(get(api, "/v1/state").content)
    assert state.pop("clock") > 1.7e9
    assert state == {
        "state": "waiting",
        "startAt": None,
        "exitCode": None,
        "lastTps": None,
        "digests": {},
        "error": None,
        "away": None,
        "window": None,
    }
    state = json.loads(release(api, {"startAt": 5, "uploads": UPLOADS}).content)
    assert (state["state"], state["startAt"]) == ("released", 5.0)
    run.start(lambda: None)
    run.last = Sample(1, 12.5, 250.0, 2.0, 0.0)
    state = json.loads(get(api, "/v1/state").content)
    assert (state["state"], state["lastTps"]) == ("running", 12.5)
    run.finish(0, {"output.log": "sha256:0"})
    state = json.loads(get(api, "/v1/state").content)
    assert (state["exitCode"], state["digests"]) == (0, {"output.log": "sha256:0"})


def test_a_later_release_changes_the_urls_only(api: Api, run: Run) -> None:
    run.wait()
    release(api, {"startAt": 5, "uploads": UPLOADS})
    run.finish(0, {})
    run.fail("refused", run.uploads)
    fresh = {name: f"{url}2" for name, url in UPLOADS.items()}
    state = json.loads(release(api, {"startAt": 9, "uploads": fresh}).content)
    assert (state["state"], state["startAt"], state["error"]) == ("finished", 5.0, None)
    assert run.uploads == fresh


def test_a_refusal_of_urls_that_were_replaced_meanwhile_is_no_error(run: Run) -> None:
    run.wait()
    run.release(5.0, UPLOADS)
    old = run.uploads
    run.release(5.0, UPLOADS)
    run.fail("refused", old)
    assert run.error is None


def test_the_first_release_tells_how_our_clock_is(api: Api, run: Run) -> None:
    run.wait()
    assert run.clock is None
    own = {"seconds": -0.25, "roundTrip": 0.01}
    release(api, {"startAt": 5, "uploads": UPLOADS, "clock": own})
    assert run.clock == own
    release(api, {"startAt": 5, "uploads": UPLOADS, "clock": {"seconds": 9, "roundTrip": 9}})
    assert run.clock == own


def test_a_release_may_have_turns(api: Api, run: Run) -> None:
    run.wait()
    assert release(api, {**OF_TURNS, "slots": TURNS}).status == 200
    assert run.slots == TURNS


def test_each_release_may_renew_the_store_s_ca() -> None:
    run = Run("of the environment")
    run.wait()
    api, own = Api(run, "t0ken", "http://store"), {"startAt": 5, "uploads": UPLOADS}
    release(api, own)
    assert run.authority == "of the environment", "operators up to 1.0 send none"
    release(api, {**own, "authority": "renewed"})
    assert run.authority == "renewed"
    release(api, own)
    assert run.authority == "renewed"
    release(api, {**own, "authority": None})
    assert run.authority is None, "everyone trusts the store by now"


def test_only_a_receiver_of_the_end_ends_the_run(api: Api, run: Run) -> None:
    run.wait()
    early = get(api, "/v1/state")
    run.uploaded()
    assert early.sent is not None
    early.sent()
    assert not run.seen
    late = get(api, "/v1/state")
    assert not run.seen
    assert late.sent is not None
    late.sent()
    assert run.seen


@pytest.mark.parametrize("header", [{}, {"authorization": "Bearer no"}, {"authorization": "t0ken"}])
@pytest.mark.parametrize("path", ["/v1/state", "/v1/release"])
def test_nothing_without_the_token(api: Api, header: dict[str, str], path: str) -> None:
    assert get(api, path, header).status == 401


def test_metrics_are_for_everybody(api: Api, run: Run) -> None:
    def lines() -> list[str]:
        text = api.public(Request("GET", "/metrics", {}, b"")).content.decode()
        return [line for line in text.splitlines() if not line.startswith("#")]

    assert [line.split()[0] for line in lines()] == ["encbench_recorder_cpu_seconds_total"]
    run.wait()
    run.start(lambda: Usage(1.0, 3.25, 1, 1, None))
    run.last = Sample(1, 12.5, 250.0, 2.0, 0.0)
    assert lines()[:-1] == [
        "encbench_client_tps 12.5",
        "encbench_client_qps 250",
        "encbench_client_latency_p95_seconds 0.002",
        "encbench_client_cpu_seconds_total 3.25",
    ]
    run.last = Sample(2, 13.5, math.nan, math.nan, 0.0)
    assert [line.split()[0] for line in lines()[:2]] == [
        "encbench_client_tps",
        "encbench_client_cpu_seconds_total",
    ]
    run.finish(0, {})
    assert lines()[:-1] == ["encbench_client_cpu_seconds_total 3.25"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        [],
        {},
        {"startAt": "now", "uploads": UPLOADS},
        {"startAt": True, "uploads": UPLOADS},
        {"startAt": 5},
        {"startAt": 5, "uploads": {}},
        {"startAt": 5, "uploads": {**UPLOADS, "more": "http://store/more"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "file:///etc/passwd"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": None}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "http://elsewhere/output.log?5ecre7"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "https://store/output.log?5ecre7"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "http://store.evil/output.log"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "http://store@evil/output.log"}},
        {"startAt": 5, "uploads": {**UPLOADS, "output.log": "http://store:81/output.log"}},
        {"startAt": 5, "uploads": UPLOADS, "authority": 3},
        {"startAt": 5, "uploads": UPLOADS, "clock": 3},
        {"startAt": 5, "uploads": UPLOADS, "clock": {"seconds": 3}},
        {"startAt": 5, "uploads": UPLOADS, "clock": {"seconds": True, "roundTrip": 0.1}},
        {"startAt": 5, "uploads": UPLOADS, "slots": TURNS},
        OF_TURNS,
        *(
            {**OF_TURNS, "slots": {**TURNS, **wrong}}
            for wrong in (
                {"warmup": -1},
                {"settle": -1},
                {"settle": 2.5},
                {"period": 2},
                {"slots": 2},
                {"slots": 4.0},
                {"own": [2, 0]},
                {"own": [0, 0]},
                {"own": [-1, 0]},
                {"own": [0, True]},
            )
        ),
    ],
)
def test_a_release_that_is_none(api: Api, run: Run, body: Any) -> None:
    run.wait()
    answer = release(api, body)
    assert answer.status == 400
    assert b"5ecre7" not in answer.content
    assert run.state == "waiting"


def test_a_url_of_another_store_is_named_by_its_file(api: Api, run: Run) -> None:
    run.wait()
    answer = release(api, {"startAt": 5, "uploads": {**UPLOADS, "series.csv": "http://evil/x"}})
    assert b"the URL of series.csv must be in the client's own store, http://store" in (
        answer.content
    )
    assert b"evil" not in answer.content


def test_other_paths_and_methods(api: Api) -> None:
    assert get(api, "/").status == 404
    assert get(api, "/v1/release").status == 405
    assert get(api, "/metrics").status == 404
    assert api.public(Request("POST", "/metrics", {}, b"")).status == 405
    assert api.public(Request("GET", "/metrics?x=1", {}, b"")).status == 200
    assert api.public(Request("GET", "/v1/state", AUTH, b"")).status == 404
