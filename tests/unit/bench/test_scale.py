"""The bench of scale: its figures, and its stand-ins as the operator meets them."""

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from encbench.adapters.agent import HttpAgent
from encbench.adapters.prometheus import Prometheus as Adapter
from encbench.adapters.recorder import HttpRecorder
from encbench.kube import labels
from encbench.ports import Access, Rejected
from encbench.wire.files import FILES
from encbench.wire.sidecar import TOKEN, Sidecar, certified_name, mounted
from tests.bench.scale import present, process, sidecars
from tests.bench.scale.__main__ import main
from tests.bench.scale.api import Body
from tests.bench.scale.figures import Figure, Gate, each, pace, percentile, table
from tests.bench.scale.measure import asked_rate
from tests.bench.scale.pods import Pods
from tests.bench.scale.prometheus import Prometheus
from tests.bench.scale.recording import script
from tests.support.certified import authority
from tests.support.daemon import free_port
from tests.support.sidecars import TESTBED, pair
from tests.unit.reconcile.clients import Plan

SPACE, TOKENS = "scale", {"agent": "a-token", "recorder": "another"}
DATABASE, CLIENT = "127.66.6.1", "127.66.6.2"


def test_a_gate_takes_what_lies_within_its_bounds() -> None:
    assert Gate(2.0, 1.0).holds(2.0)
    assert not Gate(2.0, 1.0).holds(2.1)
    assert not Gate(least=1.0).holds(0.9)
    assert not Gate(1.0).holds(float("nan"))


def test_the_table_says_what_was_missed() -> None:
    made = table([Figure("rate", 3.0, "trials/s", Gate(least=4.0)), Figure("trials", 3.0)])
    first, second = made.splitlines()
    assert first.endswith("MISSED")
    assert "MISSED" not in second


def test_the_pace_at_either_end() -> None:
    slowing = [0.5 * n for n in range(100)] + [50.0 + n for n in range(100)]
    seen = pace(slowing, 20, 1)
    assert seen.first == pytest.approx(2.0)
    assert seen.last == pytest.approx(1.0)
    assert seen.drift == pytest.approx(0.5)
    with pytest.raises(ValueError, match="too few"):
        pace(slowing[:10], 5, 1)


def test_the_work_on_all_trials_before_the_first_end_is_not_given_away() -> None:
    """Five workers, a trial a second in all: the first five end together after five seconds."""
    ends = [5.0 * turn + 0.01 * worker for turn in range(1, 11) for worker in range(5)]
    assert (len(ends) - 1) / (ends[-1] - ends[0]) > 1.08, "which is more than there was"
    assert pace(ends, 5, 5).whole == pytest.approx(1.0, rel=0.01)
    with pytest.raises(ValueError, match="24 trials are too few for a rate with 5 under way: 25"):
        pace(ends[:24], 2, 5)


@pytest.mark.parametrize("chosen", ["--ceiling=150", "--trials=5"])
def test_a_run_too_small_for_a_rate_is_refused(
    chosen: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench", chosen])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "or more, or 0" in capsys.readouterr().err


def test_the_rate_is_that_of_the_goal_or_what_the_machine_does() -> None:
    assert str(asked_rate(None)) == ">= 20"
    assert str(asked_rate(100.0)) == ">= 20"
    assert str(asked_rate(10.0)) == ">= 8"


def test_percentiles() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0


def test_what_a_trial_cost() -> None:
    assert each({"etcd": 1.0}, {"etcd": 2.0, "new": 0.5}, 10) == {"etcd": 100.0, "new": 50.0}


async def test_the_script_is_that_of_a_whole_trial() -> None:
    found = await script()
    assert labels.ACTIVE in found.trial["metadata"]["labels"]
    assert "status" not in found.trial
    assert len(found.statuses) >= 3
    assert found.statuses[-1]["outcome"] == "Succeeded"
    assert found.job["spec"]["template"]["metadata"]["labels"][labels.TRIAL]


def test_copies_fill_the_plan_but_for_what_is_there() -> None:
    arms = {name: {"arm": {"name": name}, "testbedRef": {"name": name}} for name in "abc"}
    model: Body = {
        "metadata": {"labels": {}, "ownerReferences": []},
        "spec": {"concurrency": 1, "block": 1, "arm": {"name": "a"}},
        "status": {"outcome": "Succeeded"},
    }
    made = list(present._copies(model, arms, {present.place(model)}, 2))
    assert len(made) == 2 * len(present.CONCURRENCY) * 3 - 1
    assert len({present.place(body) for body in made} | {present.place(model)}) == len(made) + 1


def test_the_operator_gets_the_charts_arguments_but_for_where_things_are() -> None:
    made = process.arguments({"--s3-endpoint": "http://here"})
    assert [one for one in made if one.startswith("--s3-endpoint")] == ["--s3-endpoint=http://here"]
    assert any(one.startswith("--server-image=mariadb=") for one in made)


class _Server:
    """The API server, as far as pods ask it."""

    def __init__(self) -> None:
        self.patched: list[Body] = []

    async def get(self, kind: Any, namespace: str, name: str) -> Body:
        if kind.kind == "Secret":
            entries = {}
            for sidecar in ("agent", "recorder"):
                made, token = pair(sidecar), TOKENS[sidecar]
                texts = {TOKEN: token, "tls.crt": made.certificate, "tls.key": made.key}
                for entry, file in mounted(sidecar).items():
                    entries[entry] = base64.b64encode(texts[file].encode()).decode()
            return {"data": entries}
        return {"spec": {"mode": {}, "campaignRef": {"name": "study"}}}

    async def changes(self, *_: Any) -> AsyncIterator[tuple[str, Body]]:
        own = {labels.TESTBED: TESTBED, labels.CAMPAIGN: "study"}
        yield "ADDED", _pod(DATABASE, {**own, labels.COMPONENT: "database"})
        await asyncio.sleep(0.2)
        yield "ADDED", _pod(CLIENT, {**own, labels.COMPONENT: "client", labels.TRIAL: "t"})
        await asyncio.Event().wait()

    async def patch(self, *_: Any) -> Body:
        self.patched.append(_[3])
        return {}


def _pod(address: str, marks: dict[str, str]) -> Body:
    running = [
        {"name": name, "state": {"running": dict[str, str]()}} for name in ("tool", "recorder")
    ]
    return {
        "metadata": {"name": address, "uid": address, "labels": marks},
        "spec": {"nodeName": "n1", "containers": [{"command": ["sysbench", "--threads=4"]}]},
        "status": {"phase": "Running", "podIP": address, "containerStatuses": running},
    }


def _access(sidecar: Sidecar, token: str = "") -> Access:
    name = certified_name(sidecar, TESTBED)
    return Access(token or TOKENS[sidecar], authority().certificate, name)


@pytest.fixture
async def standing() -> AsyncIterator[tuple[sidecars.Sidecars, _Server]]:
    """Stand-ins of a database and a client, on ports of their own."""
    server = _Server()
    pods = Pods(server, SPACE)  # type: ignore[arg-type]
    made = sidecars.Sidecars(pods, ports=(free_port(), free_port()))
    async with made.serving():
        following = asyncio.create_task(pods.follow())
        async with asyncio.timeout(10):
            while not pods.recorder.clients:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        yield made, server
        following.cancel()


async def test_an_agent_answers_at_its_pods_address(
    standing: tuple[sidecars.Sidecars, _Server],
) -> None:
    made, _ = standing
    agent = HttpAgent()
    where = f"{DATABASE}:{made.ports[0]}"
    facts = await agent.server(where, _access("agent"))
    assert facts["version"].startswith("10.11")
    found = await agent.evidence(where, _access("agent"), "m" * 32, full=True)
    assert found["files"]
    with pytest.raises(Rejected):
        await agent.server(where, _access("agent", "wrong"))
    await agent.aclose()


async def test_a_client_runs_stores_its_files_and_ends(
    standing: tuple[sidecars.Sidecars, _Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, server = standing
    plan = Plan(warmup=0, duration=1, tps=10.0)
    monkeypatch.setattr(sidecars, "PLAN", plan)
    stored: dict[str, bytes] = {}

    async def store(request: web.Request) -> web.Response:
        stored[request.path] = await request.read()
        return web.Response()

    app = web.Application()
    app.add_routes([web.put("/{name}", store)])
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    recorder, where = HttpRecorder(), f"{CLIENT}:{made.ports[1]}"
    assert (await recorder.state(where, _access("recorder")))["state"] == "waiting"
    uploads = {name: f"http://127.0.0.1:{port}/{name}" for name in FILES}
    start = time.time() + 0.1
    await recorder.release(where, _access("recorder"), start, uploads)
    answered = time.time()
    async with asyncio.timeout(30):
        while (  # noqa: ASYNC110
            await recorder.state(where, _access("recorder"))
        )["state"] != "uploaded":
            await asyncio.sleep(0.05)
        while not server.patched:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await recorder.aclose()
    await runner.cleanup()
    assert {name.removeprefix("/") for name in stored} == set(FILES)
    assert b"Number of threads: 4" in stored["/output.log"]
    assert server.patched[0]["status"]["phase"] == "Succeeded"
    (late,) = made.seen.late
    assert -0.1 <= late <= answered - start, "it is that of the release, early by 0.1 s at most"
    assert made.seen.reactions


async def test_prometheus_has_the_series_of_a_window(
    standing: tuple[sidecars.Sidecars, _Server],
) -> None:
    made, _ = standing
    now = time.time()
    async with Prometheus(made.pods).serving() as url:
        adapter = Adapter(url)
        metric = "encbench_database_cpu_seconds_total"
        selector = f'{metric}{{namespace="{SPACE}",testbed="{TESTBED}"}}'
        (one,) = await adapter.raw(selector, now - 5, now)
        assert one.labels["node"] == "n1"
        assert len(one.samples) >= 4
        (first, before), *_, (last, after) = one.samples
        assert (after - before) / (last - first) == pytest.approx(0.02)
        node = 'node_cpu_seconds_total{cpu!="",mode=~"idle|iowait|steal",node="n1"}'
        assert len(await adapter.raw(node, now - 5, now)) == 6
        assert await adapter.raw(f'{metric}{{testbed="other"}}', now - 5, now) == []
        for matcher, count in (
            ('node=~"|n1"', 1),
            ('node=~"|n2"', 0),
            (f'testbed!="{TESTBED}"', 0),
        ):
            found = await adapter.raw(f'{metric}{{namespace="{SPACE}",{matcher}}}', now - 5, now)
            assert len(found) == count, matcher
        await adapter.aclose()
