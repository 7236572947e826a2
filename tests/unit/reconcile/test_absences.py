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


@pytest.mark.parametrize(
    ("step", "waited"), [(0, 100), (1.5, 101.5), (1200, 100), (-300, 100), (-86400, 100)]
)
def test_a_clock_that_is_set_makes_nothing_late_or_long(step: float, waited: float) -> None:
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


class Long:
    """A process in contact every two seconds, whose clock may be set."""

    def __init__(self) -> None:
        self.clock, self.ticks = SteppedClock(), Ticks()
        self.contact = Contact(self.clock, self.ticks, limit=7)
        self.contact.made()

    def goes_on(self, seconds: float, step: float = 0.0) -> None:
        """The clock is set at the beginning."""
        self.clock.seconds += step
        for _ in range(round(seconds / 2)):
            self.ticks.seconds += 2
            self.clock.seconds += 2
            self.contact.made()

    def is_away(self, seconds: float, step: float = 0.0) -> None:
        self.ticks.seconds += seconds
        self.clock.seconds += seconds + step

    def waited(self, since: datetime) -> float:
        return self.contact.absences().waited(since, self.clock.now())


@pytest.mark.parametrize("step", [-10, -60, -3600, -86400])
@pytest.mark.parametrize("before", [4000, 90000])
def test_what_began_before_a_clock_was_set_back_is_waited_for_as_long(
    step: float, before: float
) -> None:
    """Unless it began in the time that is shown twice: then it may take that much longer."""
    one = Long()
    began = one.clock.now()
    one.goes_on(before)
    assert one.waited(began) == before
    one.goes_on(7200, step)
    assert one.waited(began) == before + 7200 or -step > before
    if -step > before + 7200:
        assert one.waited(began) == before + 7200, "it seems to begin in the future"


def test_a_clock_that_was_set_back_while_another_process_led_says_nothing_of_its_work() -> None:
    one = Long()
    one.goes_on(600)
    one.goes_on(600, -3600)
    now = one.clock.now()
    one.contact.begin(now - timedelta(seconds=12))
    assert one.waited(now - timedelta(seconds=900)) == 888


def test_what_begins_after_a_clock_was_set_back_has_its_whole_time() -> None:
    one = Long()
    one.goes_on(4000)
    for _ in range(3):
        one.clock.seconds -= 3600
        one.ticks.seconds += 1.9
        one.clock.seconds += 1.9
        # It was set, and no answer has come since.
        began = one.clock.now().replace(microsecond=0)
        assert one.waited(began) < 1
        one.goes_on(100)
        assert one.waited(began) == pytest.approx(100, abs=1)
        assert one.contact.absences().beyond(began + timedelta(seconds=600), one.clock.now()) < 0


@pytest.mark.parametrize("step", [-50, -3000])
def test_an_absence_in_the_time_that_is_shown_twice_is_left_out_once(step: float) -> None:
    one = Long()
    began = one.clock.now()
    one.goes_on(4000)
    one.is_away(600)
    one.goes_on(100)
    assert one.waited(began) == pytest.approx(4100, abs=2)
    one.goes_on(100, step - 200)
    assert one.waited(began) == pytest.approx(4200, abs=2)


@pytest.mark.parametrize("step", [-500, -700, -3000])
def test_a_clock_that_is_set_back_during_an_absence(step: float) -> None:
    one = Long()
    began = one.clock.now()
    one.goes_on(4000)
    one.is_away(600, step)
    assert one.waited(began) == pytest.approx(4000, abs=2)
    one.goes_on(100)
    assert one.waited(began) == pytest.approx(4100, abs=2)


def test_a_clock_that_is_set_back_and_forth() -> None:
    one = Long()
    began = one.clock.now()
    one.goes_on(4000)
    for step in (-3600, 3600, -600, -600, 1200):
        one.goes_on(100, step)
    assert one.waited(began) == pytest.approx(4500, abs=2)


def test_only_the_last_are_remembered() -> None:
    known = NEVER
    for number in range(REMEMBERED + 5):
        known = known.and_one(at(10 * number), at(10 * number + 1))
    assert len(known.spans) == REMEMBERED
    assert known.spans[-1] == (at(10 * (REMEMBERED + 4)), at(10 * (REMEMBERED + 4) + 1))
