"""What all plots share: size, colours and markers of the arms, and the axis of concurrency."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from encbench.api.testbed import Arm
from encbench.report.formats import svg
from encbench.report.formats.sections import Section
from encbench.report.formats.svg import INK

SMALL = 390, 230
"""Pixels of a plot of which two stand side by side on a wide page."""

MARKERS = "osD^vPX"
"""Shapes of baseline, control and treatments."""
SHAPES = "●■◆▲▼✚✖"
"""The same as characters, for the page's legend."""


def marker(place: int) -> str:
    """The shape of the arm at that place in the plan."""
    return MARKERS[place % len(MARKERS)]


def variable(place: int) -> str:
    """CSS variable of the arm at that place in the plan: baseline, control, then treatments."""
    return ("baseline", "control")[place] if place < 2 else f"arm-{(place - 2) % 6 + 1}"


def ink(place: int) -> str:
    """The same as the stand-in colour to draw with."""
    return INK[variable(place)]


@contextmanager
def style() -> Iterator[None]:
    """Every drawing is made within it."""
    import matplotlib  # noqa: PLC0415 - a second that only a rendering pays

    with matplotlib.rc_context(svg.RC):
        yield


def levels(axes: Any, section: Section) -> None:
    """Concurrency along the axis."""
    names = [f"{group.concurrency:,}" for group in section.groups]
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xlabel("threads")


def offsets(count: int, width: float) -> list[float]:
    """Places of `count` things side by side about 0."""
    return [width * ((n + 0.5) / count - 0.5) for n in range(count)]


@dataclass(frozen=True)
class Legend:
    """How an arm is drawn."""

    name: str
    role: str
    shape: str
    colour: str


def legend(arms: Sequence[Arm]) -> tuple[Legend, ...]:
    """Of these arms, in the order of the plan."""
    return tuple(
        Legend(arm.name, arm.role, SHAPES[n % len(SHAPES)], variable(n))
        for n, arm in enumerate(arms)
    )
