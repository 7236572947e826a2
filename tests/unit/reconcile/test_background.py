"""Slow effects beside the workers: bounded, each once at a time, and told of when they find."""

import asyncio
import logging

import pytest

from encbench.api.kinds import TRIAL
from encbench.ports import Unavailable
from encbench.reconcile.background import Errand, Errands


def errand(name: str) -> Errand:
    return Errand(TRIAL, "ns", name, "1", "Prove")


class Work:
    """Something slow, which a test ends."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0
        self.ends = asyncio.Event()
        self.result: bool | Exception = True

    async def __call__(self) -> bool:
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.ends.wait()
        finally:
            self.running -= 1
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


async def turns(number: int = 20) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_no_more_at_once_than_the_limit() -> None:
    found: list[str] = []
    background, work = Errands(lambda one: found.append(one.name), limit=3), Work()
    for number in range(10):
        assert await background.do(errand(str(number)), work) is None
    await turns()
    assert work.running == 3
    work.ends.set()
    await turns(100)
    assert (work.most, work.begun) == (3, 10)
    assert sorted(found) == [str(number) for number in range(10)]


async def test_an_errand_under_way_is_not_begun_again() -> None:
    background, work = Errands(lambda _: None), Work()
    for _ in range(3):
        await background.do(errand("run"), work)
        await turns()
    assert work.begun == 1
    work.ends.set()
    await turns()
    await background.do(errand("run"), work)
    await turns()
    assert work.begun == 2


@pytest.mark.parametrize("result", [False, Unavailable("away"), ValueError("odd")])
async def test_what_came_to_nothing_wakes_nobody_and_can_be_tried_again(
    result: bool | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    found: list[Errand] = []
    background, work = Errands(found.append), Work()
    work.result = result
    work.ends.set()
    with caplog.at_level(logging.INFO):
        await background.do(errand("run"), work)
        await turns()
    assert not found
    expected = [] if result is False else [isinstance(result, ValueError)]
    assert [bool(record.exc_info) for record in caplog.records] == expected
    await background.do(errand("run"), work)
    await turns()
    assert work.begun == 2
