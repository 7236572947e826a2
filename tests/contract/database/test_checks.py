"""What becomes of a run of the checks, with the fake and with a real agent."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from encbench.tools.tpcc.consistency import conditions, of_load
from encbench.wire.agent import ChecksAnswer
from tests.contract.database.harness import ServedAgent, agent, checked
from tests.support import bmsql, sidecars
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.testbeds import PLAINTEXT

SIX = [query.name for query in conditions("")]
OF_LOAD = [query.name for query in of_load("mysql", bmsql.WAREHOUSES)]


@dataclass(frozen=True)
class Dataset:
    """An agent in front of TPC-C's tables."""

    agent: ServedAgent
    contradict: Callable[[], object]
    """From here on `new-order-gaps` finds rows."""
    lose: Callable[[], object]
    """From here on the last of the six conditions cannot be asked."""


@pytest.fixture(params=["fake", "real"])
async def dataset(request: pytest.FixtureRequest) -> AsyncIterator[Dataset]:
    """Consistent, until a test changes it."""
    if request.param == "fake":
        server = FakeServer(token="secret")
        fake, access = FakeAgent({"db:9472": server}), sidecars.access("secret")
        yield Dataset(
            ServedAgent(fake, "db:9472", access, PLAINTEXT),
            lambda: setattr(server, "broken", ("new-order-gaps",)),
            lambda: setattr(server, "check_error", "bmsql_order_line doesn't exist"),
        )
        return
    real = request.getfixturevalue("plaintext_server")
    real.admin(*bmsql.create())
    gap = "DELETE FROM bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 25"
    try:
        async with agent(real, PLAINTEXT) as one:
            yield Dataset(
                one, lambda: real.admin(gap), lambda: real.admin("DROP TABLE bmsql_order_line")
            )
    finally:
        real.admin(*bmsql.drop())


def names(answer: ChecksAnswer) -> list[str]:
    return [check["name"] for check in answer["checks"]]


async def test_a_run_is_looked_at_again_and_never_repeated(dataset: Dataset) -> None:
    first = await checked(dataset.agent, "one")
    assert (first["run"], first["state"], first["error"]) == ("one", "done", None)
    assert names(first) == SIX
    dataset.contradict()
    assert await checked(dataset.agent, "one", loaded=True) == first, "not by what is asked either"
    second = await checked(dataset.agent, "two")
    assert [check["name"] for check in second["checks"] if check["rows"]] == ["new-order-gaps"]


async def test_only_the_last_run_is_known(dataset: Dataset) -> None:
    await checked(dataset.agent, "one")
    await checked(dataset.agent, "two")
    assert names(await checked(dataset.agent, "one", loaded=True)) == [*OF_LOAD, *SIX]


async def test_a_run_that_fails_shows_what_it_had_checked(dataset: Dataset) -> None:
    dataset.lose()
    failed = await checked(dataset.agent, "one")
    assert failed["state"] == "failed"
    assert "bmsql_order_line" in (failed["error"] or "")
    assert names(failed) == SIX[:-1]
    assert await checked(dataset.agent, "one") == failed
