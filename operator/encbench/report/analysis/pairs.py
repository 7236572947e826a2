"""The valid blocks of one condition, and the figures of its arms paired by them.

Only a block in which every arm's trial succeeded counts, and within it every arm does: that is the
rule of `core.plan`, by which the others of a broken block are kept but replaced. A CPU figure that
was withheld in one arm is left out for all arms of that block, so that arms are always compared
over the same blocks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.core import statistics
from encbench.core.statistics import Estimate, Sense
from encbench.report.analysis.views import rounded
from encbench.report.document import Figure, TrialView

Blocks = dict[int, dict[str, TrialView]]
"""Trials by block and arm."""


@dataclass(frozen=True)
class Kind:
    """A figure that an overhead is told of."""

    figure: Figure
    field: str
    """Its field of `TrialView`."""
    sense: Sense


KINDS = (
    Kind("tps", "tps", "loss"),
    Kind("latencyAverage", "latency_average_ms", "increase"),
    Kind("latencyP95", "latency_p95_ms", "increase"),
    Kind("cpuPerTransaction", "database_cpu_ms_per_transaction", "increase"),
)
TPS = KINDS[0]
RECOVERY = Kind("recovery", "recovery_seconds", "increase")


def kinds(*, recovery: bool) -> tuple[Kind, ...]:
    """What is judged of a condition; the first is what it is about.

    The load before a stop only says from what a server recovered.
    """
    return (RECOVERY,) if recovery else KINDS


@dataclass(frozen=True)
class Pairs:
    """The valid blocks of one condition, and the arms that the others are paired with."""

    blocks: Blocks
    arms: tuple[Arm, ...]
    unit: Callable[[int], int]
    """What a block belongs to that is independent of the rest (`core.plan.unit`)."""

    @property
    def baseline(self) -> str:
        """Name of the arm that the others are compared with."""
        return self.arms[0].name

    @property
    def control(self) -> str | None:
        """Name of A'."""
        return next((arm.name for arm in self.arms if arm.role == "control"), None)

    def complete(self, field: str) -> dict[int, dict[str, float]]:
        """A figure by block and arm, of the blocks in which every arm has it."""
        found: dict[int, dict[str, float]] = {}
        for number, by_arm in self.blocks.items():
            values = {arm: getattr(trial, field) for arm, trial in by_arm.items()}
            if all(value is not None for value in values.values()):
                found[number] = values
        return found

    def figures(self, field: str, arm: str) -> list[float]:
        """A figure of one arm in the order of blocks."""
        return [values[arm] for values in self.complete(field).values()]

    def estimate(self, field: str, arm: str) -> Estimate | None:
        """The paired comparison of an arm with the baseline; None for the baseline itself."""
        if arm == self.baseline:
            return None
        return self.between(field, self.baseline, arm)

    def between(self, field: str, before: str, arm: str) -> Estimate | None:
        """The paired comparison of any two arms."""
        found = self.complete(field)
        return statistics.estimate(
            [values[before] for values in found.values()],
            [values[arm] for values in found.values()],
            [self.unit(block) for block in found],
        )

    def of_some(self, field: str, arm: str) -> list[float]:
        """A figure that only some arms can have: of the blocks in which all of these have it."""
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
            pair = (values[self.baseline], values[control])
            first.append(pair[1] if swapped else pair[0])
            second.append(pair[0] if swapped else pair[1])
        return statistics.estimate(first, second, [self.unit(block) for block in found])

    def noise_floor(self, kind: Kind) -> float | None:
        """Of one figure: the larger reading of A' against A, by arm and by testbed.

        By arm it is what drift, bursts and order do; by testbed luck of placement is in it, which
        the arms' turns on their testbeds take out of the first.
        """
        if self.control is None:
            return None
        readings = (self.estimate(kind.field, self.control), self.by_testbed(kind.field))
        return statistics.noise_floor(*readings, sense=kind.sense)

    def geometric(self, field: str, arm: str) -> float | None:
        """Geometric mean of a figure."""
        return geometric(self.figures(field, arm))

    def arithmetic(self, field: str, arm: str) -> float | None:
        """Arithmetic mean of a figure."""
        return arithmetic(self.figures(field, arm))

    def points(self, field: str, arm: str) -> float | None:
        """Difference of arithmetic means from the baseline; None for the baseline itself."""
        own, plain = self.arithmetic(field, arm), self.arithmetic(field, self.baseline)
        if arm == self.baseline or own is None or plain is None:
            return None
        return rounded(own - plain)

    def change(self, kind: Kind, arm: str) -> Interval | None:
        """Loss or increase against the baseline with its 95 % interval."""
        found = self.estimate(kind.field, arm)
        return None if found is None else interval(found, kind.sense)


def geometric(values: Sequence[float]) -> float | None:
    """Geometric mean as the report shows it; None of nothing."""
    return rounded(statistics.geometric_mean(values)) if values else None


def arithmetic(values: Sequence[float]) -> float | None:
    """Arithmetic mean as the report shows it; None of nothing."""
    return rounded(sum(values) / len(values)) if values else None


def interval(found: Estimate, sense: Sense, level: float = statistics.LEVEL) -> Interval:
    """An estimate as the report shows it."""
    bounds = found.change_bounds(sense, level)
    return Interval(
        estimate=rounded(found.change(sense)),
        low=rounded(bounds.low) if bounds else None,
        high=rounded(bounds.high) if bounds else None,
    )
