"""Never two leaders, whatever happens: a property over schedules of requests, faults and clocks.

Each process is held up before and after each of its requests for as long as a schedule says, which
is what a slow network, a frozen process and a busy event loop come to. Of two requests at once
either may be the first. A request may be lost before or after it was carried out. Processes die,
resign, and are replaced by others that count the shards differently. Clocks are wrong and run at
unlike rates.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from encbench.ports import Body, Conflict, Unavailable
from encbench.reconcile import election
from encbench.reconcile.election import AGAIN, LASTS, SOON, Deposed
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.candidates import Instant, Process

PLACES = 3
"""Processes at a time."""
RATES = (0.9, 1.0, 1.1)
FATES = ("answered",) * 6 + ("lost", "unanswered")
PAUSES = (0.0,) * 8 + (0.1, 0.5, 0.5, AGAIN, AGAIN, 4.0, LASTS + 1.0)


@dataclass
class Line:
    """A process's way to the API server: the requests of `ports.Cluster` that elections need."""

    cluster: FakeCluster
    held_up: list[asyncio.Future[str]] = field(default_factory=list)
    """Its requests, until the schedule lets one go on to a fate."""

    async def list(self, *args: Any) -> list[Body]:
        return list(await self._ask(self.cluster.list, *args))

    async def create(self, *args: Any) -> Body:
        return dict(await self._ask(self.cluster.create, *args))

    async def apply(self, *args: Any) -> Body:
        return dict(await self._ask(self.cluster.apply, *args))

    async def _ask(self, request: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        if await self._pause() == "lost":
            raise Unavailable("lost")
        try:
            answer = await request(*args)
        except Conflict:
            await self._pause()
            raise
        if await self._pause() == "unanswered":
            raise Unavailable("the answer is lost")
        return answer

    async def _pause(self) -> str:
        self.held_up.append(asyncio.get_running_loop().create_future())
        return await self.held_up[-1]


async def settle() -> None:
    """Let whatever can go on do so."""
    for _ in range(6):
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Step:
    """What happens next: so much time passes, and then this to one of the processes."""

    pause: float
    place: int
    what: str
    """`go on`, `die`, `resign`, or `change` for a new process with the other number of shards."""
    times: int = 1
    """How often it goes on from where it was held up."""
    which: int = 0
    """Of its requests at once."""
    fate: str = "answered"
    rate: float = 1.0


steps = st.builds(
    Step,
    pause=st.sampled_from(PAUSES),
    place=st.integers(0, PLACES - 1),
    what=st.sampled_from(("go on",) * 30 + ("die", "resign", "change")),
    times=st.integers(1, 10),
    which=st.integers(0, 1),
    fate=st.sampled_from(FATES),
    rate=st.sampled_from(RATES),
)
schedules = st.lists(steps, min_size=10, max_size=60)


class Play:
    """The processes under a schedule."""

    def __init__(self) -> None:
        self.instant, self.cluster, self.number = Instant(), FakeCluster(), 0
        self.led = 0
        """How often some process had begun to lead."""
        self.processes = [self.new(1.0, shards=2) for _ in range(PLACES)]
        self.lines: dict[str, Line]
        self.at: dict[str, asyncio.Task[Any]]

    def new(self, rate: float, shards: int) -> Process:
        self.number += 1
        name = f"{self.number:04}"
        line = Line(self.cluster)
        off = 86400.0 * (self.number % 3 - 1)
        made: Any = line
        process = Process(self.instant, made, name, shards=shards, off=off, rate=rate)
        if self.number == 1:
            self.lines, self.at = {}, {}
        self.lines[process.identity] = line
        return process

    async def do(self, step: Step) -> None:
        self.instant.seconds += step.pause
        process = self.processes[step.place]
        match step.what:
            case "die" | "change":
                await self._drop(process)
                shards = process.shards if step.what == "die" else 3 - process.shards
                self.processes[step.place] = self.new(step.rate, shards)
            case "resign":
                await self._drop(process)
                self.at[process.identity] = asyncio.create_task(process.elector.give_back())
        for _ in range(step.times):
            await self._go_on(step, self.processes[step.place])
            self.check()

    async def _drop(self, process: Process) -> None:
        at = self.at.pop(process.identity, None)
        if at is not None:
            at.cancel()
            self.lines[process.identity].held_up.clear()
            await settle()

    async def _go_on(self, step: Step, process: Process) -> None:
        """Up to its next request, or to the end of its attempt."""
        at, held_up = self.at.get(process.identity), self.lines[process.identity].held_up
        if at is None:
            if process.ticks() < process.due:
                return
            at = self.at[process.identity] = asyncio.create_task(process.elector.attempt())
        elif held_up:
            held_up.pop(step.which % len(held_up)).set_result(step.fate)
        led = process.elector.leads
        await settle()
        if not at.done():
            return
        try:
            process.due = process.ticks() + (at.result() or 0.0)
        except (Unavailable, Conflict):
            process.due = process.ticks() + SOON
        except Deposed:
            assert not process.elector.leads
            self.processes[step.place] = self.new(step.rate, process.shards)
        del self.at[process.identity]
        self.led += process.elector.leads and not led

    def check(self) -> None:
        """The promise."""
        leaders = [one for one in self.processes if one.elector.leads]
        assert len({one.led for one in leaders}) == len(leaders), "a shard has two"
        assert len({one.shards for one in leaders}) <= 1, "shards are counted in two ways"

    async def calm(self) -> None:
        """No more faults, and all processes agree on the number of shards."""
        for place, process in enumerate(self.processes):
            if process.shards != 2:
                await self.do(Step(0.0, place, "change"))
        for _ in range(round(3 * LASTS / AGAIN)):
            for place in range(PLACES):
                await self.do(step := Step(0.0, place, "go on"))
                while self.processes[place].identity in self.at:
                    await self.do(step)
            self.instant.seconds += AGAIN + 0.1


async def played(schedule: list[Step]) -> Play:
    play = Play()
    for step in schedule:
        await play.do(step)
    return play


def never_two(schedule: list[Step]) -> None:
    async def to_the_end() -> None:
        play = await played(schedule)
        await play.calm()
        assert sorted(one.led for one in play.processes if one.led is not None) == [0, 1]

    asyncio.run(to_the_end())


usual = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)


@usual
@given(schedules)
def test_never_two(schedule: list[Step]) -> None:
    never_two(schedule)


@pytest.mark.full
@settings(usual, derandomize=False, max_examples=3000)
@given(schedules)
def test_never_two_in_many_schedules(schedule: list[Step]) -> None:
    never_two(schedule)


def test_schedules_elect_many() -> None:
    """A property that nothing puts to the test would hold as well."""
    plays: list[int] = []

    @settings(usual, max_examples=20)
    @given(schedules)
    def count(schedule: list[Step]) -> None:
        plays.append(asyncio.run(played(schedule)).led)

    count()
    assert max(plays) >= 3
    assert sum(plays) >= len(plays)


@pytest.mark.full
@pytest.mark.parametrize("broken", ["acts for longer than it has", "no second look"])
def test_the_property_sees_what_would_break_it(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken == "no second look":
        monkeypatch.setattr(election.Elector, "_rivals", lambda *_: False)
    else:
        monkeypatch.setattr(election, "ACTS", 3.0 * LASTS)

    @settings(usual, max_examples=300, phases=[Phase.generate])
    @given(schedules)
    def broken_one(schedule: list[Step]) -> None:
        never_two(schedule)

    with pytest.raises(AssertionError, match=r"has two|in two ways"):
        broken_one()
