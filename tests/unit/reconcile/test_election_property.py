"""Never two leaders, whatever happens: a property over schedules of requests, faults and clocks.

Each process is held up before and after each of its requests for as long as a schedule says, which
is what a slow network, a frozen process and a busy event loop come to. A request may be lost before
or after it was carried out. Processes die, resign, and are replaced by others that count the shards
differently. Clocks are wrong and run at unlike rates.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
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


class Pause:
    """Where a process is held up until the schedule lets it go on."""

    def __await__(self) -> Generator[None, None, None]:
        yield


@dataclass
class Line:
    """A process's way to the API server: the requests of `ports.Cluster` that elections need."""

    cluster: FakeCluster
    fate: str = "answered"
    """Of the next request."""

    async def list(self, *args: Any) -> list[Body]:
        return list(await self._ask(self.cluster.list, *args))

    async def create(self, *args: Any) -> Body:
        return dict(await self._ask(self.cluster.create, *args))

    async def apply(self, *args: Any) -> Body:
        return dict(await self._ask(self.cluster.apply, *args))

    async def _ask(self, request: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        await Pause()
        if self.fate == "lost":
            raise Unavailable("lost")
        try:
            answer = await request(*args)
        except Conflict:
            await Pause()
            raise
        await Pause()
        if self.fate == "unanswered":
            raise Unavailable("the answer is lost")
        return answer


@dataclass(frozen=True)
class Step:
    """What happens next: so much time passes, and then this to one of the processes."""

    pause: float
    place: int
    what: str
    """`go on`, `die`, `resign`, or `change` for a new process with the other number of shards."""
    times: int = 1
    """How often it goes on from where it was held up."""
    fate: str = "answered"
    rate: float = 1.0


steps = st.builds(
    Step,
    pause=st.sampled_from(PAUSES),
    place=st.integers(0, PLACES - 1),
    what=st.sampled_from(("go on",) * 30 + ("die", "resign", "change")),
    times=st.integers(1, 10),
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
        self.at: dict[str, Coroutine[Any, Any, Any]]

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

    def do(self, step: Step) -> None:
        self.instant.seconds += step.pause
        process = self.processes[step.place]
        match step.what:
            case "die" | "change":
                self._drop(process)
                shards = process.shards if step.what == "die" else 3 - process.shards
                self.processes[step.place] = self.new(step.rate, shards)
            case "resign":
                self._drop(process)
                self.at[process.identity] = process.elector.give_back()
        for _ in range(step.times):
            self._go_on(step, self.processes[step.place])
            self.check()

    def _drop(self, process: Process) -> None:
        at = self.at.pop(process.identity, None)
        if at is not None:
            at.close()

    def _go_on(self, step: Step, process: Process) -> None:
        """Up to its next request, or to the end of its attempt."""
        at = self.at.get(process.identity)
        if at is None:
            if process.ticks() < process.due:
                return
            at = self.at[process.identity] = process.elector.attempt()
        self.lines[process.identity].fate = step.fate
        led = process.elector.leads
        try:
            at.send(None)
            return
        except StopIteration as end:
            process.due = process.ticks() + (end.value or 0.0)
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

    def calm(self) -> None:
        """No more faults, and all processes agree on the number of shards."""
        for place, process in enumerate(self.processes):
            if process.shards != 2:
                self.do(Step(0.0, place, "change"))
        for _ in range(round(3 * LASTS / AGAIN)):
            for place in range(PLACES):
                self.do(step := Step(0.0, place, "go on"))
                while self.processes[place].identity in self.at:
                    self.do(step)
            self.instant.seconds += AGAIN + 0.1


def never_two(schedule: list[Step]) -> None:
    play = Play()
    for step in schedule:
        play.do(step)
    play.calm()
    assert sorted(one.led for one in play.processes if one.led is not None) == [0, 1]


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
    def played(schedule: list[Step]) -> None:
        play = Play()
        for step in schedule:
            play.do(step)
        plays.append(play.led)

    played()
    assert max(plays) >= 3
    assert sum(plays) >= len(plays)


@pytest.mark.parametrize(
    "broken",
    ["acts for longer than it has", pytest.param("no second look", marks=pytest.mark.full)],
)
def test_the_property_sees_what_would_break_it(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken == "no second look":
        monkeypatch.setattr(election.Elector, "_rivals", lambda *_: False)
    else:
        monkeypatch.setattr(election, "ACTS", 3.0 * LASTS)

    @settings(usual, max_examples=300, phases=[Phase.generate])
    @given(schedules)
    def played(schedule: list[Step]) -> None:
        never_two(schedule)

    with pytest.raises(AssertionError, match=r"has two|in two ways"):
        played()
