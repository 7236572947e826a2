"""The course of one campaign: faults begin and end at their moments, in one thread.

Between them the campaign is looked at. A fault without a target just now, such as a client between
two trials, comes again a little later.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.chaos.faults import Begun
from tests.chaos.scene import NotThere, Scene
from tests.chaos.schedule import Planned
from tests.e2e.campaigns import conditions

MOST = 900
"""Seconds that a campaign may take after its last fault: longer than any of its deadlines."""
AGAIN = 4
"""Seconds until a fault without a target comes again."""
KEEN = 150
"""Seconds after its moment at which it is given up."""

UNDOING = 120
"""Seconds in which every fault must be undone."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Hit:
    """A fault that was put, or could not be."""

    name: str
    target: str
    """What it hit; empty if there was nothing to hit."""
    problem: str = ""
    """Why there was not."""
    recovery: float | None = None
    """Seconds after the end of the fault until the campaign went on."""


@dataclass
class _On:
    """A fault that is on, or was."""

    planned: Planned
    begun: Begun
    until: float
    ended: float | None = None
    facts: int = 0
    """What was known of the campaign when the fault ended."""
    recovery: float | None = None

    @property
    def hit(self) -> Hit:
        return Hit(self.planned.fault.name, self.begun.target, recovery=self.recovery)


@dataclass
class Course:
    """One campaign from its creation until it is over or gone."""

    scene: Scene
    plan: Sequence[Planned]
    say: Say
    body: dict[str, Any] = field(default_factory=dict)
    """The Campaign as last seen."""
    gone: bool = False
    _on: list[_On] = field(default_factory=list)
    _missed: list[Hit] = field(default_factory=list)
    _shown: set[tuple[str, ...]] = field(default_factory=set)
    """The facts that the campaign's objects have shown."""
    _began: float = field(default_factory=time.monotonic)

    @property
    def hits(self) -> list[Hit]:
        """All faults of the plan."""
        return [*(one.hit for one in self._on), *self._missed]

    @property
    def was_deleted(self) -> bool:
        """Whether a fault deleted the campaign."""
        return any(one.planned.fault.lane == "campaign" for one in self._on)

    def run(self) -> None:
        """Put the faults until the campaign is over; all of them are ended, whatever happens.

        TimeoutError if it stands still.
        """
        waiting = [(planned.at, planned) for planned in self.plan]
        last = self._now()
        try:
            while True:
                for one in self._on:
                    if one.ended is None and self._now() >= one.until:
                        self._end(one)
                        last = self._now()
                if waiting and self._now() >= waiting[0][0]:
                    _, planned = waiting.pop(0)
                    if self._is_put(planned):
                        last = self._now()
                    elif self._now() < planned.at + KEEN:
                        waiting.append((self._now() + AGAIN, planned))
                        waiting.sort(key=lambda entry: entry[0])
                elif self._look() and self._is_over():
                    return
                if not waiting and self._now() - last > MOST:
                    step = (self.body.get("status") or {}).get("step")
                    raise TimeoutError(f"no end {MOST} s after the last fault: {step}")
                time.sleep(0.2)
        finally:
            over = "the campaign was over before"
            self._missed += [Hit(planned.fault.name, "", over) for _, planned in waiting]
            self._end_all()

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _is_put(self, planned: Planned) -> bool:
        """Try it; once it is given up, it is among the misses."""
        fault = planned.fault
        try:
            if any(o.planned.fault.lane == fault.lane and o.ended is None for o in self._on):
                raise NotThere(f"another fault of the {fault.lane} is on")
            begun = fault.begin(self.scene, Random(planned.seed))
        except NotThere as error:
            if self._now() >= planned.at + KEEN:
                self._missed.append(Hit(fault.name, "", str(error)))
                self.say(f"{self._now():6.0f} s  {fault.name}: {error}"[:110])
            return False
        self._on.append(_On(planned, begun, self._now() + planned.hold))
        held = f" {planned.hold:.0f} s" if planned.hold else ""
        self.say(f"{self._now():6.0f} s  {fault.name} {begun.target}{held}")
        return True

    def _end(self, one: _On) -> None:
        """End a fault, unless it has to wait: the end of another may bring the API server back."""
        with suppress(NotThere):
            one.begun.end()
            one.ended = self._now()
            one.facts = len(self._shown)

    def _end_all(self) -> None:
        """End what is on, whatever goes wrong with one of them."""
        until = self._now() + UNDOING
        problems: list[Exception] = []
        while left := [one for one in self._on if one.ended is None]:
            for one in left:
                try:
                    self._end(one)
                except Exception as error:
                    problems.append(error)
                    one.ended = self._now()
            if self._now() > until:
                names = ", ".join(one.planned.fault.name for one in left)
                problems.append(TimeoutError(f"{names} cannot be undone"))
                break
            time.sleep(0.1)
        if problems:
            raise ExceptionGroup("faults that cannot be undone", problems)

    def _look(self) -> bool:
        """Read the objects; whether the API server answered."""
        selector = f"encbench.io/campaign={self.scene.campaign}"
        try:
            found = self.scene.objects("campaigns")
            children = self.scene.objects("trials,testbeds,overheadreports", selector)
        except NotThere:
            return False
        own = [one for one in found if one["metadata"]["name"] == self.scene.campaign]
        self.gone = not own
        self.body = own[0] if own else {}
        for body in (*own, *children):
            self._shown |= {
                (body["metadata"]["name"], kind, fact["lastTransitionTime"])
                for kind, fact in conditions(body).items()
                if fact["status"] == "True" and kind != "Hindered"
            }
        for one in self._on:
            if one.ended is not None and one.recovery is None and len(self._shown) > one.facts:
                one.recovery = self._now() - one.ended
        return True

    def _is_over(self) -> bool:
        facts = conditions(self.body)
        ended = any(facts.get(kind, {}).get("status") == "True" for kind in ("Complete", "Failed"))
        return self.gone or ended
