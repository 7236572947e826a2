"""What interleaved blocks show beside the comparison of their arms.

Turns every few seconds leave the machine's drift out of a comparison, and may bring in something
else: neighbouring rounds that are alike, work that a stopped server still does, an arm that feels
who ran before it. Each of these is measured, and sequential blocks of the same campaign
show whether the answer depends on the design.
"""

from encbench.api.base import Model
from encbench.api.overheadreport import FigureKey, Interval
from encbench.api.scalars import Name


class Neighbours(Model):
    """How alike neighbours in one comparison with the baseline are: autocorrelation at lag 1."""

    arm: Name
    """A treatment, or A', which is compared with A alone."""
    rounds: float | None = None
    """Between neighbouring rounds; None with fewer than four pairs of them, as below."""
    round_pairs: int = 0
    observations: float | None = None
    """Between neighbouring observations, on which the intervals rest."""
    observation_pairs: int = 0
    matters: bool = False
    """The latter is positive beyond chance (one-sided 5 %), so that intervals may be too narrow."""


class CarryOver(Model):
    """How a figure of the baseline changes in slots after another mode's.

    It is compared with slots of the baseline after a slot of its other arm in the same round, as a
    ratio - 1.
    """

    figure: FigureKey
    change: Interval


class ServerWork(Model):
    """One arm's server in its own slots, and in those in which its clients were stopped.

    Rates are of whole slots, own and others'.
    """

    arm: Name
    transactions: int
    """Counted ones."""
    spanned: int
    """Those that are in no latency, because a stop interrupted them; most end before the next part
    that counts."""
    latency_too_low: float = 0.0
    """Fraction by which they make the average latency too low, at least, by Little's law
    (`core.statistics.interrupted`); 0 where it is not known."""
    slices_cpu_ms: float | None = None
    """CPU a transaction in the counted parts of its own slots, as everywhere in the report."""
    block_cpu_ms: float | None = None
    """All of the server's CPU in the block by all of its transactions."""
    block_over_slices: Interval | None = None
    """The latter by the former - 1."""
    against_baseline: Interval | None = None
    """The same against the baseline: what its increase of CPU a transaction grows by when it is
    taken over the whole block, (1 + block's increase) / (1 + slices' increase) - 1. None for arms
    of the baseline."""
    running_cores: float | None = None
    stopped_cores: float | None = None
    running_read_kib_per_second: float | None = None
    stopped_read_kib_per_second: float | None = None
    running_write_kib_per_second: float | None = None
    stopped_write_kib_per_second: float | None = None

    @property
    def spanned_share(self) -> float:
        """By its counted transactions."""
        return self.spanned / self.transactions if self.transactions else 0.0


class SoloCheck(Model):
    """One figure of one treatment by interleaved blocks and by sequential ones."""

    arm: Name
    figure: FigureKey
    blocks: int
    """Valid sequential blocks."""
    interleaved: Interval
    solo: Interval
    difference: Interval
    """Interleaved minus solo, in points as a fraction; from the two intervals alone (MOVER), as
    both are of the same testbeds but of different blocks."""


class Interleaving(Model):
    """Of one condition."""

    neighbours: tuple[Neighbours, ...] = ()
    neighbours_figure: FigureKey = "tps"
    carry_over: tuple[CarryOver, ...] = ()
    """Of every figure that slices have; empty where no arm ran after another mode."""
    work: tuple[ServerWork, ...] = ()
    """Of every arm, A' apart from A."""
    solo: tuple[SoloCheck, ...] = ()
    """Empty without sequential blocks."""
    speed_spread: float | None = None
    """Standard deviation of ln of the machine's speed between the slices of one trial, by what
    server and client feel alike; None with too few slices. Where transactions are not all of one
    kind it has their mix too."""
    speed_slices: int = 0
    """Slices with enough transactions and both CPU figures, on which it rests."""


def excludes_zero(interval: Interval | None) -> bool:
    """Whether an interval lies on one side of zero as a whole."""
    if interval is None or interval.low is None or interval.high is None:
        return False
    return interval.low > 0 or interval.high < 0
