"""How the page names the arms: once a plot, by colour and by shape."""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.testbed import Arm
from encbench.report.formats.plots.common import variable

SHAPES = "●■◆▲▼✚✖"
"""The characters of `plots.common.MARKERS`, in its order."""


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
