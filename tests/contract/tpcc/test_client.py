"""Our own client under wrapper and recorder, on each engine: do the figures say what happened?"""

import asyncio
import copy
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import InTransit
from encbench.core.figure_names import NEW_ORDERS
from encbench.core.tls import PLAIN, expected
from encbench.reconcile.checks import judge
from encbench.tools.measurement import Measurement, merge
from encbench.tools.tpcc.parser import parse
from tests.contract.client.harness import uploads
from tests.contract.database.harness import agent
from tests.contract.tpcc.consistency import contradicted
from tests.support import certified, mariadb, mysql, postgres
from tests.support.local_client import LocalClient, local_client
from tests.support.receiver import Receiver, receiving
from tests.support.subset import first_of
from tests.support.tpcc import Bench, loaded
from tests.support.workloads import tpcc_spec

pytestmark = pytest.mark.usefixtures("precedence")

TERMINALS = 4
TLS = InTransit()
SPEC = tpcc_spec({"warehouses": 1}, {"warmup": "1s", "duration": "4s"})
ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
    "postgresql": postgres.running,
}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as running:
        yield running


@pytest.fixture(scope="module", params=first_of(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def bench(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A plaintext server with one warehouse."""
    with ENGINES[engine]({}, dataset=loaded(1)) as server:
        yield Bench(server, tmp_path_factory.mktemp(engine))


@pytest.fixture(scope="module")
def encrypted(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A server under TLS; its database is empty."""
    with ENGINES[engine]({"inTransit": {}}) as server:
        yield Bench(server, tmp_path_factory.mktemp(engine), TLS)


def run(bench: Bench, folder: Path, receiver: Receiver) -> LocalClient:
    """A whole run, its files in `folder`."""
    (own,) = bench.arguments(SPEC, TERMINALS)
    more = bench.run_environment(SPEC)
    with local_client(folder / "pod", bench.command(), warmup=1, own=own, more=more) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        state = one.wait_for("uploaded", seconds=90)
    assert state["exitCode"] == 0, one.said() + one.output[-2000:]
    return one


def types(output: str) -> dict[str, dict[str, Any]]:
    """The client's own lines about each kind of transaction; an independent reading of them."""
    events = [
        json.loads(line[14:]) for line in output.splitlines() if line.startswith("encbench-t")
    ]
    return {event["type"]: event for event in events if event["event"] == "type"}


async def asked_of_a_load(bench: Bench, run: str) -> Any:
    """The agent's answer to everything that holds of a fresh load."""
    async with agent(bench.server, {}) as one, asyncio.timeout(60):
        while True:
            answer = await one.database.checks(
                *(one.address, one.access, run), warehouses=1, loaded=True, full=False, seconds=50
            )
            if judge(answer) is not None:
                return answer
            await asyncio.sleep(0.1)


async def test_a_fresh_load_is_whole(bench: Bench) -> None:
    """Before any run, which adds orders."""
    answer = await asked_of_a_load(bench, "fresh")
    found = judge(answer)
    assert found is not None
    assert found.ok, found.message
    assert len(answer["checks"]) == 16


def test_commits_are_the_database_s_own_and_the_figures_agree(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    orders, history = bench.count("oorder"), bench.count("history")
    one = run(bench, tmp_path, receiver)
    found, kinds = parse(one.output), types(one.output)
    assert bench.count("oorder") - orders == kinds["newOrder"]["session"]["committed"] > 0
    assert bench.count("history") - history == kinds["payment"]["session"]["committed"] > 0
    _window(one, found)
    _mix(found)
    assert found.errors == 0
    assert found.sessions == (PLAIN,)


def _window(one: LocalClient, found: Measurement) -> None:
    """The recorder's window is the client's, and the rates are those of it."""
    summary = one.summary()
    seconds = summary["window"]["seconds"]
    assert seconds == pytest.approx(4.0, abs=0.5)
    assert seconds == pytest.approx(found.seconds, abs=0.01)
    assert found.tps == pytest.approx(found.transactions / found.seconds, rel=1e-6)
    last = next(
        json.loads(line[14:])
        for line in reversed(one.output.splitlines())
        if line.startswith("encbench-tpcc")
    )
    # Either edge may be read tenths of a second late on a busy machine, with all cores at work.
    assert summary["cpuSeconds"] == pytest.approx(
        last["client"]["cpuSecondsWindow"], abs=0.5, rel=0.05
    )
    assert 30 * 2**20 < summary["memoryMaxBytes"] < 512 * 2**20


def _mix(found: Measurement) -> None:
    """Within four standard deviations of what the weights ask for."""
    whole = found.transactions
    weights = {"newOrder": 45, "payment": 43, "orderStatus": 4, "delivery": 4, "stockLevel": 4}
    for kind in found.kinds:
        share = weights[kind.name] / 100
        deviation = (whole * share * (1 - share)) ** 0.5
        assert abs(kind.transactions - whole * share) < 4 * deviation + 1, kind
    new_orders = next(kind for kind in found.kinds if kind.name == "newOrder")
    assert found.extra[NEW_ORDERS] == pytest.approx(new_orders.transactions / found.seconds)


async def test_a_run_adds_orders_and_payments_alone(bench: Bench) -> None:
    answer = await asked_of_a_load(bench, "after")
    broken = {check["name"] for check in answer["checks"] if check["rows"]}
    assert broken - {"new-order-count"} == {"oorder-count", "history-count"}


@pytest.mark.full
async def test_every_condition_holds_after_a_run(bench: Bench) -> None:
    assert await contradicted(bench.server, "whole") == set()


def test_a_client_that_does_not_encrypt_is_refused(encrypted: Bench) -> None:
    done = encrypted.under(None).attempt(SPEC)
    assert done.returncode == 1
    assert re.search("Access denied for user|no encryption", done.stderr), done.stderr
    assert "bmsql_config" in encrypted.attempt(SPEC).stderr, (
        "one that does gets as far as the tables"
    )


def test_a_server_that_the_ca_did_not_certify_is_refused(encrypted: Bench, tmp_path: Path) -> None:
    other = copy.copy(encrypted.server)
    authority = certified.issued(by="another").authority
    other.credentials = {**encrypted.server.credentials, "ca.crt": authority}
    done = Bench(other, tmp_path, TLS).attempt(SPEC)
    assert done.returncode == 1
    assert re.search("valid certification path|trust anchors", done.stderr), done.stderr


@pytest.mark.full
def test_a_server_with_another_name_is_refused(engine: str, tmp_path: Path) -> None:
    elsewhere = certified.issued(hosts=["somewhere-else"])
    with ENGINES[engine]({"inTransit": {}}, issued=elsewhere) as server:
        done = Bench(server, tmp_path, TLS).attempt(SPEC)
    assert done.returncode == 1
    assert re.search(
        "verified by hostnameverifier|(identity|hostname) verification failed", done.stderr
    ), done.stderr


@pytest.mark.full
def test_under_tls_the_client_says_what_it_negotiated(
    encrypted: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    done = encrypted.load()
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    found = parse(run(encrypted, tmp_path, receiver).output)
    assert found.sessions == (expected(TLS),)
    assert found.transactions > 0


@pytest.mark.full
def test_replicas_share_the_terminals(bench: Bench, tmp_path: Path, receiver: Receiver) -> None:
    first, second = bench.arguments(SPEC, TERMINALS, replicas=2)
    clients = []
    for name, own in (("a", first), ("b", second)):
        (tmp_path / name).mkdir()
        place = Bench(bench.server, tmp_path / name)
        clients.append((place, own, tmp_path / name / "pod"))
    orders = bench.count("oorder")
    (one, own, folder), (two, other, second_folder) = clients
    with (
        local_client(
            folder, one.command(), warmup=1, own=own, more=one.run_environment(SPEC)
        ) as left,
        local_client(
            second_folder, two.command(), warmup=1, own=other, more=two.run_environment(SPEC)
        ) as right,
    ):
        for client in (left, right):
            client.wait_for("waiting")
        start_at = time.time() + 0.5
        for name, client in (("a", left), ("b", right)):
            client.release(
                {file: receiver.url(f"{name}/{file}") for file in uploads(receiver)}, start_at
            )
        for client in (left, right):
            client.wait_for("uploaded", seconds=90)
    both = merge([parse(left.output), parse(right.output)])
    committed = sum(
        types(client.output)["newOrder"]["session"]["committed"] for client in (left, right)
    )
    assert bench.count("oorder") - orders == committed
    assert both.transactions == sum(count for _, count in both.histogram)
    assert '"terminalOffset":2' in right.output.replace(" ", "")


def test_no_password_is_in_arguments_environment_or_output(
    bench: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    password = bench.server.credentials["password"]
    (own,) = bench.arguments(SPEC, TERMINALS)
    more = bench.run_environment(SPEC)
    assert password not in str(more) + own
    with local_client(tmp_path / "pod", bench.command(), warmup=1, own=own, more=more) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for_report()
        seen = subprocess.run(["ps", "axeww"], capture_output=True, text=True, check=True).stdout
        one.wait_for("uploaded", seconds=90)
    assert "io.encbench.tpcc.Main" in seen
    assert password not in seen
    assert password not in one.output + one.said()


@pytest.mark.full
def test_a_database_that_is_lost_ends_the_client_in_time(
    tmp_path: Path, receiver: Receiver
) -> None:
    with mariadb.running({}, dataset=loaded(1)) as server:
        bench = Bench(server, tmp_path)
        (own,) = bench.arguments(SPEC, TERMINALS)
        own += " deadlineSeconds=3"
        more = bench.run_environment(SPEC)
        with local_client(tmp_path / "pod", bench.command(), warmup=1, own=own, more=more) as one:
            one.wait_for("waiting")
            one.release(uploads(receiver))
            one.wait_for("running")
            while '"event":"window"' not in one.output.replace(" ", ""):
                time.sleep(0.1)
            assert server.process is not None
            server.process.kill()
            killed = time.monotonic()
            state = one.wait_for("uploaded", seconds=60)
    assert time.monotonic() - killed < 20
    assert (state["exitCode"], one.summary()["window"]) == (1, None)
    assert "was lost" in one.output or "deadlineSeconds" in one.output
