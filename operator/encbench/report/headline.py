"""The answer in one sentence per treatment, no less true for being "cannot tell".

Which condition the sentence is about is fixed by the plan and blind to the figures: the first
instance and workload that the user wrote, at its highest concurrency. Only where that has no data
does the next one with data stand in. The range over all conditions follows in a second sentence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Interval
from encbench.api.testbed import Arm
from encbench.report import judgement, text
from encbench.report.document import Comparison, Group, Headline, TestbedProof, TrialView


@dataclass(frozen=True)
class Findings:
    """What the sentences are made from."""

    groups: Sequence[Group]
    trials: Sequence[TrialView]
    proofs: Sequence[TestbedProof]
    modes: Mapping[str, EncryptionModeSpec]
    margin: float


def headlines(findings: Findings) -> tuple[Headline, ...]:
    """One for each treatment in the order of the plan, or one that says that there is none."""
    groups = findings.groups
    arms = {arm.name: arm for g in groups for arm in g.arms if arm.role == "treatment"}
    if not arms:
        return (_control_only(groups, findings.margin),)
    return tuple(_headline(arm, findings) for arm in arms.values())


def _headline(arm: Arm, findings: Findings) -> Headline:
    found = [(group, c) for group in findings.groups if (c := group.comparison(arm.name))]
    measured = [(group, c) for group, c in found if c.loss is not None]
    if not measured:
        return Headline(arm=arm.name, verdict="NoData", text=_no_data(arm, found, findings))
    group, comparison = _chosen(measured)
    sentence = (
        f"{_claim(arm.name, group, comparison, findings.margin)}, {_place(group)}; "
        f"{_basis(group, comparison, findings.modes.get(arm.mode_ref))}."
    )
    return Headline(
        arm=arm.name,
        verdict=comparison.verdict,
        text=" ".join((sentence, *_range(found))),
        instance=group.instance,
        workload=group.workload,
        concurrency=group.concurrency,
        loss=comparison.loss,
    )


def _chosen(measured: Sequence[tuple[Group, Comparison]]) -> tuple[Group, Comparison]:
    first = measured[0][0]
    same = [
        entry
        for entry in measured
        if (entry[0].instance, entry[0].workload) == (first.instance, first.workload)
    ]
    return max(same, key=lambda entry: entry[0].concurrency)


def _claim(arm: str, group: Group, comparison: Comparison, margin: float) -> str:
    loss = text.estimate(comparison.loss)
    cpu = cpu_clause(group.row(arm).cpu_per_transaction_overhead)
    if comparison.verdict == "Overhead":
        return f"{arm} costs {loss} of TPS{cpu}"
    if comparison.verdict == "Equivalent":
        return (
            f"{arm} makes no difference beyond the margin of ±{text.margin(margin)}: it costs "
            f"{loss} of TPS{cpu}"
        )
    return (
        f"cannot tell what {arm} costs: {comparison.why}; the measured loss is {loss} of TPS{cpu}"
    )


def cpu_clause(increase: Interval | None) -> str:
    """` and 11 % more CPU per transaction`; empty where it was not measured."""
    if increase is None:
        return ""
    size = abs(increase.estimate)
    shown = text.percent(size, 0 if size >= 0.1 else 1)
    if increase.low is None or increase.high is None:
        return f" and {shown} {'more' if increase.estimate >= 0 else 'less'} CPU per transaction"
    if increase.low > 0:
        return f" and {shown} more CPU per transaction"
    if increase.high < 0:
        return f" and {shown} less CPU per transaction"
    return f", CPU per transaction without a clear change ({text.bounds(increase)} %)"


def _place(group: Group) -> str:
    threads = text.plural(group.concurrency, "thread")
    return f"{group.workload} at {threads} on {group.instance}"


def _basis(group: Group, comparison: Comparison, mode: EncryptionModeSpec | None) -> str:
    parts = [text.plural(comparison.blocks, "block"), proof_clause(mode, comparison)]
    if group.noise_floor is None:
        parts.insert(1, "no noise floor")
    elif comparison.verdict != "Inconclusive" or "noise floor" not in comparison.why:
        parts.insert(1, f"noise floor ±{text.percent(group.noise_floor)}")
    return ", ".join(parts)


def proof_clause(mode: EncryptionModeSpec | None, comparison: Comparison) -> str:
    """What was proven about the treatment; where, by what the mode encrypts."""
    if not comparison.proven:
        return "encryption not proven for every trial"
    return "encryption proven on disk" if mode and mode.at_rest else "mode proven"


def _range(found: Sequence[tuple[Group, Comparison]]) -> list[str]:
    if len(found) < 2:
        return []
    losses = [comparison.loss.estimate for _, comparison in found if comparison.loss is not None]
    counts = Counter(comparison.verdict for _, comparison in found)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    low, high = text.number(100 * min(losses), 1), text.percent(max(losses))
    over = "both conditions" if len(found) == 2 else f"all {len(found)} conditions"
    return [f"Over {over} the loss ranges from {low} to {high} ({verdicts})."]


def _no_data(arm: Arm, found: Sequence[tuple[Group, Comparison]], findings: Findings) -> str:
    cells = {group.cell for group, _ in found}
    own = [t for t in findings.trials if t.cell in cells]
    unproven = [p for p in findings.proofs if p.arm == arm.name and not p.ok]
    proof = (
        f"; the proof of {unproven[0].testbed} failed: {unproven[0].summary}" if unproven else ""
    )
    return f"no data for {arm.name}: {judgement.why_no_data(arm.name, own)}{proof}."


def _control_only(groups: Sequence[Group], margin: float) -> Headline:
    arm = next((group.baseline.name for group in groups), "baseline")
    floors = [group.noise_floor for group in groups if group.noise_floor is not None]
    if not floors:
        return Headline(arm=arm, verdict="NoData", text="no data: no block is complete.")
    side = "below" if max(floors) < margin else "not below"
    return Headline(
        arm=arm,
        verdict="NoiseFloor",
        text=f"no mode to compare: {arm} against itself shows a noise floor of up to "
        f"±{text.percent(max(floors))}, {side} the margin of {text.margin(margin)}.",
    )
