"""Why a verdict is what it is, why a block does not count, why there is no data: in one clause."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from encbench.api.overheadreport import Interval, Verdict
from encbench.api.testbed import Arm
from encbench.report import text
from encbench.report.document import TrialView


def why(
    verdict: Verdict, loss: Interval, narrow: Interval, floor: float | None, margin: float
) -> str:
    """What decided the verdict; `narrow` is the 90 % interval."""
    if loss.low is None or loss.high is None:
        return "one block gives no interval"
    if verdict == "Overhead":
        beaten = f"the margin of {text.margin(margin)}"
        return f"the whole 95 % interval lies above {beaten} and above the noise floor"
    if verdict == "Equivalent":
        return f"the 90 % interval {text.bounds(narrow)} lies inside ±{text.margin(margin)}"
    return _why_not_known(loss.low, loss.high, floor, margin)


def _why_not_known(low: float, high: float, floor: float | None, margin: float) -> str:
    """The obstacle that one would have to remove first."""
    if floor is None:
        return "there is no noise floor to compare with"
    noise = f"the noise floor of ±{text.percent(floor)}"
    if low <= floor and floor > margin:
        return f"{noise} is wider than the margin of {text.margin(margin)}"
    if low > margin:
        return f"the interval reaches into {noise}"
    if high < 0:
        return "TPS is higher than the baseline's: neither an overhead nor an equivalence"
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
