"""Why a verdict is what it is, why a block does not count, why there is no data: in one clause."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.core.statistics import Judgement
from encbench.report.document import Figure, TrialView
from encbench.report.words import text

NAMES: dict[Figure, str] = {
    "tps": "TPS",
    "latencyAverage": "average latency",
    "latencyP95": "95th percentile of latency",
    "cpuPerTransaction": "CPU per transaction",
    "recovery": "recovery time",
}
"""How the figures read in a sentence."""


@dataclass(frozen=True)
class Grounds:
    """What a verdict stands on."""

    figure: Figure
    judgement: Judgement
    change: Interval
    """95 %."""
    narrow: Interval
    """90 %."""
    floor: float | None
    margin: float
    together: str
    """What Holm's correction is of, as "3 modes"; empty where nothing was judged beside it."""


def why(grounds: Grounds) -> str:
    """What decided the verdict, in one clause."""
    said, margin = grounds.judgement, text.margin(grounds.margin)
    if grounds.change.low is None or grounds.change.high is None:
        return "one block gives no interval"
    also = f", also after correction for {grounds.together}" if grounds.together else ""
    if said.verdict == "Overhead":
        return (
            f"the whole 95 % interval lies above the margin of {margin} and above the noise "
            f"floor{also}"
        )
    if said.verdict == "Equivalent":
        return f"the 90 % interval {text.bounds(grounds.narrow)} lies inside ±{margin}{also}"
    if said.alone != "Inconclusive":
        p = said.overhead_p if said.alone == "Overhead" else said.equivalent_p
        return (
            f"by itself it would be {said.alone}, but not as one of {grounds.together} "
            f"(Holm: p = {p:.2g})"
        )
    return _why_not_known(grounds, grounds.change.low, grounds.change.high)


def _why_not_known(grounds: Grounds, low: float, high: float) -> str:
    """The obstacle that one would have to remove first."""
    floor, margin = grounds.floor, grounds.margin
    if floor is None:
        return "there is no noise floor to compare with"
    noise = f"the noise floor of ±{text.percent(floor)}"
    if low <= floor and floor > margin:
        return f"{noise} is wider than the margin of {text.margin(margin)}"
    if low > margin:
        return f"the interval reaches into {noise}"
    if high < 0:
        side = "higher" if grounds.figure == "tps" else "lower"
        return (
            f"{NAMES[grounds.figure]} is {side} than the baseline's: neither an overhead nor an "
            "equivalence"
        )
    return f"the interval is too wide to lie on one side of the margin of {text.margin(margin)}"


def why_not_counted(arms: Sequence[Arm], by_arm: Mapping[str, TrialView]) -> str:
    """Why this block's trials are not compared."""
    broken = [t for t in by_arm.values() if t.outcome != "Succeeded"]
    if broken:
        return text.listed(f"{t.arm} was {t.outcome} ({t.reason or 'no reason'})" for t in broken)
    missing = [arm.name for arm in arms if arm.name not in by_arm]
    if missing:
        return f"no trial of {text.listed(missing)}"
    idle = [t.arm for t in by_arm.values() if t.tps is None]
    if not idle:
        return "an arm has no recovery time"
    return f"{text.listed(idle)} completed no transaction"


def why_no_data(arm: str, trials: Sequence[TrialView]) -> str:
    """Why there is not one block to compare this arm in."""
    if not trials:
        return "no trial has finished"
    own = [t for t in trials if t.arm == arm]
    if own and all(t.outcome != "Succeeded" for t in own):
        outcomes = text.listed(sorted({t.outcome for t in own}, reverse=True))
        return f"every trial was {outcomes} ({by_reason(t.reason for t in own)})"
    bad = [t for t in trials if t.outcome != "Succeeded"]
    if not bad:
        return "no block is complete"
    return (
        f"no block is complete: {len(bad)} of {len(trials)} trials did not succeed "
        f"({by_reason(t.reason for t in bad)})"
    )


def by_reason(reasons: Iterable[str | None]) -> str:
    """`ProofFailed 3, Throttled 1`, the most frequent first."""
    counts = Counter(reason or "Unknown" for reason in reasons)
    return ", ".join(
        f"{reason} {count}" for reason, count in sorted(counts.items(), key=lambda e: (-e[1], e[0]))
    )
