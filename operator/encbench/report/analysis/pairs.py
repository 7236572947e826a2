"""The valid blocks of one condition, and the figures of its arms paired by them.

Only blocks in which every arm's trial succeeded count; `core.plan` replaces any other block. Where
a CPU figure is withheld in one arm, that block is left out for all arms, so arms are always
compared over the same blocks.

Blocks of a campaign that is extended and of its follow-ups may stand side by side, each under a
number of its own (`pooled`).

The baseline has two arms, A and A'. Its figure in a block is the mean of both, and it is what every
other arm is compared with. Only A' itself is compared with A alone.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.core.statistics import intervals, verdict
from encbench.core.statistics.intervals import Bounds, Estimate, Sense
from encbench.core.statistics.rounding import rounded, rounded_if_known
from encbench.report.analysis.rounds import of_batches
from encbench.report.document.trial import TrialView
from encbench.report.figures import P95, TPS, Figure, JudgedFigure

LUCK = math.sqrt(3 / 4)
"""Luck of one testbed against the mean of two others, as a share of that between two."""

Blocks = dict[int, dict[str, TrialView]]
"""Trials by block and arm."""


@dataclass(frozen=True)
class PairedObservation:
    """One comparison of all arms."""

    block: int
    unit: Hashable
    """The independent unit that it belongs to."""
    values: dict[str, float]
    """By arm."""
    campaign: int = 0


@dataclass(frozen=True)
class Pairs:
    """The valid blocks of one condition, and the arms that the others are paired with."""

    blocks: Blocks
    arms: tuple[Arm, ...]
    unit: Callable[[int], int]
    """The independent unit that a block belongs to (`core.plan.unit`)."""
    one_set: bool = False
    """Each arm has one testbed for the whole campaign, so that no unit differs in its luck."""
    shared: bool = False
    """All arms have the same testbed, an external database, so that its luck is theirs alike."""
    campaign: Callable[[int], int] = lambda _: 0
    """The campaign that a block is of."""
    carried: Mapping[str, float] = field(default_factory=dict)
    """By field, by how much interleaved arms may have moved each other's (`Estimate.carried`).
    Latency follows TPS."""

    @property
    def baseline(self) -> str:
        """Name of the arm that the others are compared with."""
        return self.arms[0].name

    @property
    def control(self) -> str:
        """Name of A', which every cell has (`core.plan.arms`)."""
        return next(arm.name for arm in self.arms if arm.role == "control")

    @property
    def in_turns(self) -> bool:
        """Whether a block is interleaved."""
        return any(trial.rounds for of in self.blocks.values() for trial in of.values())

    def is_withheld(self, field: str) -> bool:
        """Whether no block has this figure because a trial lacks it.

        So it is with a percentile that stalls have taken: the other trials are those without them.
        """
        return field == P95.field and any(
            trial.latency_average_ms and trial.latency_p95_ms is None
            for by_arm in self.blocks.values()
            for trial in by_arm.values()
        )

    def is_in_a_trial(self, field: str) -> bool:
        """Whether any trial has this figure."""
        return any(
            getattr(trial, field) is not None
            for by_arm in self.blocks.values()
            for trial in by_arm.values()
        )

    def complete(self, field: str) -> dict[int, dict[str, float]]:
        """A figure by block and arm, where every arm of the block has it and none is withheld."""
        if self.is_withheld(field):
            return {}
        found = {
            number: {arm: getattr(trial, field) for arm, trial in by_arm.items()}
            for number, by_arm in self.blocks.items()
        }
        return {number: own for number, own in found.items() if None not in own.values()}

    def observed(self, field: str) -> list["PairedObservation"]:
        """The figure by arm, once for each observation: a block, or a batch of its rounds.

        Interleaved blocks of which there are few are divided into batches of rounds.
        """
        found = []
        for block, own in self.complete(field).items():
            parts = of_batches(field, self.blocks[block], len(self.blocks)) or [own]
            for part, values in enumerate(parts):
                unit = self.unit_of(block, part)
                found.append(PairedObservation(block, unit, values, self.campaign(block)))
        return found

    def unit_of(self, block: int, part: int) -> Hashable:
        """The independent unit that a part of a block belongs to."""
        return (block, part) if self.one_set else self.unit(block)

    def estimate(self, field: str, arm: str) -> Estimate | None:
        """The paired comparison of an arm with the baseline; None for an arm of the baseline."""
        if arm in (self.baseline, self.control):
            return None
        return self.between(field, self.baseline, arm)

    def between(self, field: str, before: str, arm: str) -> Estimate | None:
        """The paired comparison of any two modes, each by the name of its arm."""
        found = self.observed(field)
        estimate = _estimate(found, self._of(found, before), self._of(found, arm))
        if estimate is None:
            return None
        carried = self.carried.get(field, self.carried.get(TPS.field, 0.0))
        estimate = replace(estimate, carried=carried)
        luck = self._luck(field) if self.one_set else None
        if luck is None:
            return estimate
        share = LUCK if self.baseline in (before, arm) else 1.0
        return replace(estimate, luck=share * luck)

    def _luck(self, field: str) -> float | None:
        """Standard error of the luck of two testbeds in a mean over all blocks.

        Each campaign has testbeds of its own, and a share in that mean.
        """
        # By blocks: how many observations a block has depends on how many blocks stand beside it.
        known = [
            (len(part.complete(field)), found.mean)
            for part in self._by_campaign()
            if (found := part.by_testbed(field)) is not None
        ]
        if not known:
            return None
        whole = sum(blocks for blocks, _ in known)
        size = math.hypot(*(mean for _, mean in known)) / math.sqrt(len(known))
        return size * math.hypot(*(blocks / whole for blocks, _ in known))

    def _by_campaign(self) -> Iterator["Pairs"]:
        """The blocks of each campaign by themselves."""
        blocks: dict[int, Blocks] = {}
        for block, own in self.blocks.items():
            blocks.setdefault(self.campaign(block), {})[block] = own
        return (replace(self, blocks=own) for own in blocks.values())

    def _of(self, found: Sequence["PairedObservation"], arm: str) -> list[float]:
        """A mode's figures by observation: those of both its arms where it is the baseline."""
        own = [one.values[arm] for one in found]
        if arm != self.baseline:
            return own
        return intervals.both(own, [one.values[self.control] for one in found])

    def by_arm(self, field: str) -> Estimate | None:
        """A' against A; None without a block."""
        found = self.observed(field)
        return _estimate(
            found,
            [one.values[self.baseline] for one in found],
            [one.values[self.control] for one in found],
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
        first, second = [], []
        found = self.observed(field)
        for one in found:
            swapped = self.blocks[one.block][self.baseline].home == control
            order = (control, self.baseline) if swapped else (self.baseline, control)
            first.append(one.values[order[0]])
            second.append(one.values[order[1]])
        return _estimate(found, first, second)

    def placement(self, field: str) -> Estimate | None:
        """The same: of one set of testbeds for each campaign, that with the largest difference.

        The luck of two sets may cancel out in a mean over both.
        """
        parts = self._by_campaign() if self.one_set else [self]
        known = [found for part in parts if (found := part.by_testbed(field)) is not None]
        return max(known, key=lambda found: abs(found.mean), default=None)

    def noise_floor(self, figure: JudgedFigure) -> float | None:
        """The larger of two readings of A' against A: by arm, and by testbed.

        By arm it contains drift, bursts and order. By testbed it also contains luck of placement,
        which cancels out by arm because the two arms take turns on their testbeds. Where they share
        one, there is nothing to read by testbed.
        """
        readings = [self.by_arm(figure.field)]
        if not self.shared:
            readings.append(self.placement(figure.field))
        return verdict.noise_floor(*readings, sense=figure.sense)

    def mean(self, figure: Figure, arm: str) -> float | None:
        """The figure's mean as the report shows it; None where no block has it.

        The baseline's is that of both its arms.
        """
        arms = [arm] if arm != self.baseline else [arm, self.control]
        found = [self._mean(figure, one) for one in arms]
        known = [one for one in found if one is not None]
        if not known:
            return None
        return rounded(_mean(figure, known))

    def own_mean(self, figure: Figure, arm: str) -> float | None:
        """The same of one arm alone."""
        return rounded_if_known(self._mean(figure, arm))

    def _mean(self, figure: Figure, arm: str) -> float | None:
        if figure.some:
            values = self.of_some(figure.field, arm)
        elif figure.mean == "geometric":
            # By the observations of the estimates, so that the change is that of the means.
            values = [one.values[arm] for one in self.observed(figure.field)]
        else:
            values = [of[arm] for of in self.complete(figure.field).values()]
        return _mean(figure, values) if values else None

    def points(self, figure: Figure, arm: str) -> float | None:
        """Difference of the means from the baseline; None for an arm of the baseline."""
        if figure.of_everything and self.in_turns:
            return None
        own, plain = self.mean(figure, arm), self.mean(figure, self.baseline)
        if arm in (self.baseline, self.control) or own is None or plain is None:
            return None
        return rounded(own - plain)

    def change(self, figure: JudgedFigure, arm: str) -> Interval | None:
        """Loss or increase against the baseline with its 95 % interval."""
        found = self.estimate(figure.field, arm)
        return None if found is None else interval(found, figure.sense)


def _estimate(
    found: Sequence[PairedObservation], before: Sequence[float], arm: Sequence[float]
) -> Estimate | None:
    units, campaigns = [one.unit for one in found], [one.campaign for one in found]
    return intervals.estimate(before, arm, units, campaigns)


def _mean(figure: Figure, values: Sequence[float]) -> float:
    if figure.mean == "geometric":
        return intervals.geometric_mean(values)
    return sum(values) / len(values)


def interval(found: Estimate, sense: Sense) -> Interval:
    """An estimate as the report shows it."""
    return _shown(found, sense, found.change_bounds(sense))


def placement(found: Estimate, sense: Sense) -> Interval | None:
    """The same with its placement interval."""
    bounds = found.placement_bounds(sense)
    return None if bounds is None else _shown(found, sense, bounds)


def _shown(found: Estimate, sense: Sense, bounds: Bounds | None) -> Interval:
    return Interval(
        estimate=rounded(found.change(sense)),
        low=rounded(bounds.low) if bounds else None,
        high=rounded(bounds.high) if bounds else None,
    )
