"""The valid blocks of one condition, and the figures of its arms paired by them.

Only blocks in which every arm's trial succeeded count; `core.plan` replaces any other block. Where
a CPU figure is withheld in one arm, that block is left out for all arms, so arms are always
compared over the same blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.core.statistics import intervals, verdict
from encbench.core.statistics.intervals import Estimate, Sense
from encbench.report.analysis.views import rounded
from encbench.report.document.trial import TrialView
from encbench.report.figures import Figure, JudgedFigure

Blocks = dict[int, dict[str, TrialView]]
"""Trials by block and arm."""


@dataclass(frozen=True)
class Pairs:
    """The valid blocks of one condition, and the arms that the others are paired with."""

    blocks: Blocks
    arms: tuple[Arm, ...]
    unit: Callable[[int], int]
    """The independent unit that a block belongs to (`core.plan.unit`)."""

    @property
    def baseline(self) -> str:
        """Name of the arm that the others are compared with."""
        return self.arms[0].name

    @property
    def control(self) -> str | None:
        """Name of A'."""
        return next((arm.name for arm in self.arms if arm.role == "control"), None)

    def complete(self, field: str) -> dict[int, dict[str, float]]:
        """A figure by block and arm, where every arm of the block has it."""
        found = {
            number: {arm: getattr(trial, field) for arm, trial in by_arm.items()}
            for number, by_arm in self.blocks.items()
        }
        return {number: own for number, own in found.items() if None not in own.values()}

    def estimate(self, field: str, arm: str) -> Estimate | None:
        """The paired comparison of an arm with the baseline; None for the baseline itself."""
        if arm == self.baseline:
            return None
        return self.between(field, self.baseline, arm)

    def between(self, field: str, before: str, arm: str) -> Estimate | None:
        """The paired comparison of any two arms."""
        found = self.complete(field)
        return intervals.estimate(
            [values[before] for values in found.values()],
            [values[arm] for values in found.values()],
            [self.unit(block) for block in found],
        )

    def of_some(self, field: str, arm: str) -> list[float]:
        """A figure that only some arms can have, over the blocks in which all of these have it."""
        can = {
            name
            for by_arm in self.blocks.values()
            for name, trial in by_arm.items()
            if getattr(trial, field) is not None
        }
        if arm not in can:
            return []
        taken = ({name: getattr(b[name], field) for name in can} for b in self.blocks.values())
        return [values[arm] for values in taken if None not in values.values()]

    def by_testbed(self, field: str) -> Estimate | None:
        """The control's testbed against the baseline's, whichever of the two arms was on it."""
        control = self.control
        if control is None:
            return None
        first, second = [], []
        found = self.complete(field)
        for block, values in found.items():
            swapped = self.blocks[block][self.baseline].home == control
            order = (control, self.baseline) if swapped else (self.baseline, control)
            first.append(values[order[0]])
            second.append(values[order[1]])
        return intervals.estimate(first, second, [self.unit(block) for block in found])

    def noise_floor(self, figure: JudgedFigure) -> float | None:
        """The larger of two readings of A' against A: by arm, and by testbed.

        By arm it contains drift, bursts and order. By testbed it also contains luck of placement,
        which cancels out by arm because the two arms take turns on their testbeds.
        """
        if self.control is None:
            return None
        readings = (self.estimate(figure.field, self.control), self.by_testbed(figure.field))
        return verdict.noise_floor(*readings, sense=figure.sense)

    def mean(self, figure: Figure, arm: str) -> float | None:
        """The figure's mean as the report shows it; None where no block has it."""
        values = self.of_some(figure.field, arm)
        if not figure.some:
            values = [of[arm] for of in self.complete(figure.field).values()]
        if not values:
            return None
        if figure.mean == "geometric":
            return rounded(intervals.geometric_mean(values))
        return rounded(sum(values) / len(values))

    def points(self, figure: Figure, arm: str) -> float | None:
        """Difference of the means from the baseline; None for the baseline itself."""
        own, plain = self.mean(figure, arm), self.mean(figure, self.baseline)
        if arm == self.baseline or own is None or plain is None:
            return None
        return rounded(own - plain)

    def change(self, figure: JudgedFigure, arm: str) -> Interval | None:
        """Loss or increase against the baseline with its 95 % interval."""
        found = self.estimate(figure.field, arm)
        return None if found is None else interval(found, figure.sense)


def interval(found: Estimate, sense: Sense, level: float = intervals.LEVEL) -> Interval:
    """An estimate as the report shows it."""
    bounds = found.change_bounds(sense, level)
    return Interval(
        estimate=rounded(found.change(sense)),
        low=rounded(bounds.low) if bounds else None,
        high=rounded(bounds.high) if bounds else None,
    )
