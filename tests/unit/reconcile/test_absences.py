"""What is left of a wait without the time in which nothing could be done."""

from datetime import UTC, datetime, timedelta

import pytest

from encbench.reconcile.absences import NEVER, REMEMBERED, Absences, Contact

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Ticks:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class SteppedClock(Ticks):
    """A `ports.Clock`."""

    def now(self) -> datetime:
        return at(self.seconds)


def at(second: float) -> datetime:
    return NOON + timedelta(seconds=second)


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 100),
        ([(-50, -10)], 100),
        ([(110, 120)], 100),
        ([(-50, 30)], 70),
        ([(10, 30)], 80),
        ([(90, 300)], 90),
        ([(-10, 300)], 0),
        ([(10, 20), (30, 50), (95, 120)], 65),
        ([(30, 20)], 100),
    ],
    ids=str,
)
def test_only_what_lies_between_is_left_out(
    spans: list[tuple[float, float]], seconds: float
) -> None:
    known = Absences(tuple((at(begin), at(end)) for begin, end in spans))
    assert known.waited(at(0), at(100)) == seconds


def test_a_clock_that_disagrees_does_not_turn_round() -> None:
    assert NEVER.waited(at(10), at(0)) == -10


@pytest.mark.parametrize(
    ("before", "later", "seconds"),
    [
        ([], (10, 30), 80),
        ([(10, 30)], (10, 30), 80),
        ([(15, 20)], (10, 30), 80),
        ([(5, 20)], (10, 30), 75),
        ([(5, 40)], (10, 30), 65),
        ([(10, 30)], (50, 40), 80),
    ],
    ids=str,
)
def test_no_second_is_left_out_twice(
    before: list[tuple[float, float]], later: tuple[float, float], seconds: float
) -> None:
    known = Absences(tuple((at(begin), at(end)) for begin, end in before))
    known = known.and_one(at(later[0]), at(later[1]))
    assert known.waited(at(0), at(100)) == seconds


@pytest.mark.parametrize(("step", "waited"), [(0, 100), (1.5, 101.5), (1200, 100), (-300, -200)])
def test_a_clock_that_is_set_forward_makes_nothing_late(step: float, waited: float) -> None:
    clock, ticks = SteppedClock(), Ticks()
    contact = Contact(clock, ticks, limit=7)
    began = clock.now()
    for second in range(51):
        contact.made()
        ticks.seconds += 2
        clock.seconds += 2 + (step if second == 25 else 0)
    contact.made()
    assert contact.absences().waited(began, clock.now()) == pytest.approx(waited + 2)


def test_a_clock_that_is_set_back_again_leaves_no_absence_in_the_future() -> None:
    clock, ticks = SteppedClock(), Ticks()
    contact = Contact(clock, ticks, limit=7)
    for step in (0, 3600, 0, 0, -3600, 0):
        contact.made()
        ticks.seconds += 2
        clock.seconds += 2 + step
    contact.made()
    began = clock.now()
    for _ in range(50):
        ticks.seconds += 2
        clock.seconds += 2
        contact.made()
    assert contact.absences().waited(began, clock.now()) == 100


def test_only_the_last_are_remembered() -> None:
    known = NEVER
    for number in range(REMEMBERED + 5):
        known = known.and_one(at(10 * number), at(10 * number + 1))
    assert len(known.spans) == REMEMBERED
    assert known.spans[-1] == (at(10 * (REMEMBERED + 4)), at(10 * (REMEMBERED + 4) + 1))
