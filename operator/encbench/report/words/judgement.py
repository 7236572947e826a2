"""Why a verdict, a block that does not count, missing data, a number of blocks: in one clause."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.overheadreport import Verdict
from encbench.api.testbed import Arm
from encbench.core.records import IndexTrial
from encbench.report.document.group import Finding
from encbench.report.document.trial import TrialView
from encbench.report.figures import JUDGED
from encbench.report.words import text
from encbench.text.words import listed, plural

BASELINE = "the baseline"
"""What a treatment is compared with; a layer of column encryption has the arm without it."""


def why(finding: Finding, margin: float, together: str, against: str = BASELINE) -> str:
    """What decided the verdict, in one clause.

    `together` is what the correction covers, such as "3 modes" (Holm) or "3 modes and 2 looks";
    empty where nothing else was judged beside it. `against` is what the arm was compared with.
    """
    limit = text.margin(margin)
    whole = f"the whole paired 95 % interval {text.bounds_beside(margin, finding.change)} lies"
    also = f", also after correction for {together}" if together else ""
    match finding.verdict:
        case "Overhead":
            return f"{whole} above the margin of {limit}{_luck_too(finding)}{also}"
        case "Equivalent":
            return f"{whole} inside ±{limit}{_luck_too(finding)}{also}"
        case _:
            return _what_stood_in_the_way(finding, margin, together, against)


def _what_stood_in_the_way(finding: Finding, margin: float, together: str, against: str) -> str:
    limit = text.margin(margin)
    match finding.obstacle:
        case "NoInterval":
            if finding.blocks == 1:
                return "one block gives no interval"
            return f"{plural(finding.blocks, 'block')} are too few for an interval"
        case "NoSpread":
            units = (
                f"all {finding.blocks} blocks" if finding.blocks > 1 else "all batches of rounds"
            )
            return (
                f"{units} have almost the same ratio: so coarse a figure does not show how it "
                "scatters, and an interval without a width says nothing"
            )
        case "Correction":
            by = "Bonferroni" if together.endswith("looks") else "Holm"
            if _is_below(finding, margin):
                return f"{_would_say(finding, margin)}, but not as one of {together} ({by})"
            alone = _alone(finding, margin)
            p = finding.overhead_p if alone == "Overhead" else finding.equivalent_p
            return (
                f"by itself it would be {alone}, but not as one of {together} "
                f"({by}: p = {text.p_value(p)})"
            )
        case "Placement":
            return (
                f"{_would_say(finding, margin)}, but the luck of one testbed each could explain "
                f"that: placement interval "
                f"{text.bounds_beside(margin, finding.placement)}"
            )
        case "CarryOver":
            return (
                f"{_would_say(finding, margin)}, but who ran before shows in the baseline: what "
                "one arm leaves behind for the next could be up to "
                f"{text.number(100 * (finding.carried or 0.0), 1)} points of it"
            )
        case "BetterThanBaseline":
            # "Is" where the placement interval and what carry-over allows lie there as well.
            better = is_better(finding, margin)
            verb, by = ("is", " by") if better else ("was", ", possibly by")
            return (
                f"{JUDGED[finding.figure].phrase} {verb} {better_side(finding)} than {against}'s"
                f"{by} more than the margin of {limit}: neither an overhead nor an equivalence"
            )
        case "KernelCipher":
            return (
                f"{JUDGED[finding.figure].phrase} leaves out any cipher in the node's kernel, such "
                "as dm-crypt, so that it can show a cost but not that there is none"
            )
        case "TooWide" | None:
            shown = text.bounds_beside(margin, finding.change)
            return (
                f"the paired 95 % interval {shown} lies neither above the margin of {limit} nor "
                f"inside ±{limit}"
            )


def is_better(finding: Finding, margin: float) -> bool:
    """Whether a figure is better than the baseline's by more than the margin, which is no verdict.

    As for a verdict, the placement interval has to lie there too, and whatever carry-over allows.
    """
    if finding.verdict != "Inconclusive" or finding.change is None:
        return False
    # Reports from before there were obstacles name none.
    if finding.obstacle not in ("BetterThanBaseline", None):
        return False
    ends = (one.high for one in (finding.change, finding.placement) if one is not None)
    carried = finding.carried or 0.0
    return all(end is not None and end + carried < -margin for end in ends)


def better_side(finding: Finding) -> str:
    """Which way a figure moves where it is better than the baseline's."""
    return "higher" if JUDGED[finding.figure].sense == "loss" else "lower"


def _alone(finding: Finding, margin: float) -> Verdict:
    """The verdict that its interval would give if nothing else had stood in the way."""
    above = finding.change is not None and finding.change.estimate > margin
    return "Overhead" if above else "Equivalent"


def _is_below(finding: Finding, margin: float) -> bool:
    """Whether the interval alone is below zero, and not inside ±margin."""
    change = finding.change
    if change is None or change.low is None or change.high is None:
        return False
    return change.high < 0 and change.low <= -margin


def _would_say(finding: Finding, margin: float) -> str:
    """What its interval would say if nothing else had stood in the way."""
    below = "that it costs no more than the margin"
    said = below if _is_below(finding, margin) else _alone(finding, margin)
    return f"its interval alone would say {said}"


def _luck_too(finding: Finding) -> str:
    """The second condition of a verdict, where it had one."""
    return "" if finding.placement is None else ", and so does the placement interval"


def why_not_counted(
    arms: Sequence[Arm], by_arm: Mapping[str, TrialView], lost: Sequence[IndexTrial] = ()
) -> str:
    """Why this block does not count; `lost` are those of its trials that have no record."""
    every: tuple[TrialView | IndexTrial, ...] = (*by_arm.values(), *lost)
    broken = [t for t in every if t.outcome != "Succeeded"]
    if broken:
        return listed(f"{t.arm} was {t.outcome} ({t.reason or 'no reason'})" for t in broken)
    missing = [arm.name for arm in arms if arm.name not in by_arm]
    if missing:
        return f"no trial of {listed(missing)}"
    idle = [t.arm for t in by_arm.values() if t.tps is None]
    if not idle:
        return "an arm has no recovery time"
    return f"{listed(idle)} completed no transaction"


def why_no_data(arm: str, trials: Sequence[TrialView | IndexTrial]) -> str:
    """Why this arm has no valid block."""
    if not trials:
        return "no trial has finished"
    own = [t for t in trials if t.arm == arm]
    if own and all(t.outcome != "Succeeded" for t in own):
        outcomes = listed(sorted({t.outcome for t in own}, reverse=True))
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
    return ", ".join(f"{reason} {count}" for reason, count in counted(reasons))


def by_arm(trials: Iterable[TrialView | IndexTrial]) -> str:
    """`plain 0 of 6, tde 3 of 9`: of the trials of each arm, how many did not succeed."""
    found: dict[str, list[bool]] = {}
    for trial in trials:
        found.setdefault(trial.arm or "unknown", []).append(trial.outcome != "Succeeded")
    return ", ".join(f"{arm} {sum(bad)} of {len(bad)}" for arm, bad in sorted(found.items()))


def counted(reasons: Iterable[str | None]) -> list[tuple[str, int]]:
    """How often each stands there, the most frequent first."""
    counts = Counter(reason or "Unknown" for reason in reasons)
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def why_so_many_blocks(
    spec: CampaignSpec,
    plan: BlockPlan | None,
    counted: int,
    half_width: float | None,
    added: int = 0,
) -> str:
    """Why a condition has its number of blocks; its `counted` valid ones reached `half_width`.

    Target and half-width are fractions of the ratio to the baseline. `added` are those of campaigns
    that it extends, where they are behind its figures as well.
    """
    if spec.precision is None:
        were = "was" if spec.blocks.min == 1 else "were"
        also = f", and {added:,} of what it extends are pooled with them" if added else ""
        return f"{plural(spec.blocks.min, 'block')} {were} asked for{also}"
    target = spec.precision.target_half_width
    if plan is None:
        return f"the pilot of {plural(spec.blocks.min, 'block')} was not completed"
    digits = text.digits_beside(target, half_width)
    reached = "no interval" if half_width is None else f"±{text.percent(half_width, digits)}"
    if counted < plan.planned_blocks:
        return (
            f"{counted} of the {plural(plan.planned_blocks, 'block')} that the pilot asked "
            f"for {_of_ratio(target)} are valid: {reached} was reached"
        )
    if plan.capped:
        wanted = "more" if plan.wanted_blocks is None else f"{plan.wanted_blocks:,}"
        is_met = half_width is not None and half_width <= target
        instead = f"which is within {_of_ratio(target)}" if is_met else f"not {_of_ratio(target)}"
        return (
            f"capped at {plural(plan.planned_blocks, 'block')} where the pilot asked for "
            f"{wanted}: {reached} was reached, {instead}"
        )
    fewer = plan.wanted_blocks is not None and plan.wanted_blocks < plan.planned_blocks
    number = f"{plan.wanted_blocks:,}" if fewer else f"{plan.planned_blocks:,}"
    least = f", and {plan.planned_blocks:,} are the fewest" if fewer else ""
    return (
        f"the pilot of {plural(plan.pilot_blocks, 'block')} asked for {number} in all to reach "
        f"{_of_ratio(target)}{least}: {reached} was reached"
    )


def _of_ratio(target: float) -> str:
    """`±2 % of the ratio to the baseline`, in which a precision is asked for."""
    return f"±{text.margin(target)} of the ratio to {BASELINE}"
