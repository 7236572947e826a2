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
from encbench.report.document import Headline, TestbedProof
from encbench.report.document.group import LAYERS, Finding, Group, PairedComparison
from encbench.report.document.trial import TrialView
from encbench.report.figures import JUDGED
from encbench.report.words import judgement, text
from encbench.text.words import listed, plural


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


@dataclass(frozen=True)
class Candidate:
    """A condition that the sentence can be about, a treatment in it, and the figure reported."""

    group: Group
    comparison: PairedComparison
    finding: Finding


def _headline(arm: Arm, findings: Findings) -> Headline:
    below = _below(arm, findings)
    if below is not None:
        return below
    found = [(group, c) for group in findings.groups if (c := group.comparison(arm.name))]
    answers = [
        Candidate(group, c, finding)
        for group, c in found
        if c.loss is not None and (finding := c.finding(group.primary)) is not None
    ]
    if not answers:
        return Headline(arm=arm.name, verdict="NoData", text=_no_data(arm, found, findings))
    answer = _chosen(answers)
    group, finding = answer.group, answer.finding
    sentence = (
        f"{_claim(arm.name, answer, findings.margin)}, {group.place}; "
        f"{_basis(answer, findings.modes.get(arm.mode_ref), findings.margin)}."
    )
    alike = [one for one in answers if one.finding.figure == finding.figure]
    return Headline(
        arm=arm.name,
        verdict=finding.verdict,
        text=" ".join((sentence, *_range(alike, len(answers), len(found)))),
        instance=group.instance,
        workload=group.workload,
        concurrency=group.concurrency,
        figure=finding.figure,
        loss=finding.change,
    )


def _below(arm: Arm, findings: Findings) -> Headline | None:
    """Of an arm that the baseline has a layer of column encryption more than: what that costs.

    It is the direct arm of a campaign whose baseline goes through the proxy.
    """
    found = [
        (group, step)
        for group in findings.groups
        if (step := group.step(group.baseline.name)) is not None
        and step.before == arm.name
        and step.loss is not None
    ]
    if not found:
        return None
    first = found[0][0]
    same = [one for one in found if (one[0].instance, one[0].workload) == _of(first)]
    group, step = max(same, key=lambda one: one[0].concurrency)
    layers = listed(LAYERS[layer] for layer in step.layers)
    loss = text.estimate(step.loss)
    if step.verdict == "Inconclusive":
        claim = (
            f"cannot tell what the {layers} costs: {step.why}; the measured loss is {loss} of TPS"
        )
    elif step.verdict == "Equivalent":
        margin = text.margin(findings.margin)
        claim = (
            f"the {layers} makes no difference beyond the margin of ±{margin}: it costs {loss} of "
            "TPS"
        )
    else:
        claim = f"the {layers} costs {loss} of TPS"
    losses = [one.loss.estimate for _, one in found if one.loss is not None]
    low, high = text.number(100 * min(losses), 1), text.percent(max(losses))
    over = f" Over {len(losses)} conditions the loss ranges from {low} to {high}."
    return Headline(
        arm=arm.name,
        verdict=step.verdict,
        text=f"{claim}, {group.baseline.name} against {arm.name}, {group.place}; "
        f"{plural(step.blocks, 'block')}." + (over if len(losses) > 1 else ""),
        instance=group.instance,
        workload=group.workload,
        concurrency=group.concurrency,
        loss=step.loss,
    )


def _of(group: Group) -> tuple[str, str]:
    return group.instance, group.workload


def _chosen(answers: Sequence[Candidate]) -> Candidate:
    first = answers[0].group
    same = [one for one in answers if _of(one.group) == _of(first)]
    return max(same, key=lambda one: one.group.concurrency)


def _claim(arm: str, answer: Candidate, margin: float) -> str:
    finding = answer.finding
    if finding.figure == "cpuPerTransaction":
        return _claim_at_equal_work(arm, answer, margin)
    if finding.figure == "recovery":
        return _claim_of_recovery(arm, answer, margin)
    loss = text.estimate(finding.change)
    cpu = cpu_clause(answer.group.row(arm).cpu_per_transaction_overhead)
    if finding.verdict == "Overhead":
        return f"{arm} costs {loss} of TPS{cpu}"
    if finding.verdict == "Equivalent":
        return (
            f"{arm} makes no difference beyond the margin of ±{text.margin(margin)}: it costs "
            f"{loss} of TPS{cpu}"
        )
    return f"cannot tell what {arm} costs: {finding.why}; the measured loss is {loss} of TPS{cpu}"


def _claim_at_equal_work(arm: str, answer: Candidate, margin: float) -> str:
    """Where every arm kept up with an offered rate TPS says nothing, and CPU everything."""
    finding = answer.finding
    work = f"at equal work ({text.number(answer.group.offered_tps, 0)} TPS offered)"
    if finding.verdict == "Overhead":
        more = text.estimate(finding.change)
        return f"{arm} costs {more} more CPU per transaction {work}"
    change = text.signed_percent(finding.change.estimate if finding.change else None)
    measured = f"CPU per transaction {work} changes by {change} {text.bounds(finding.change)}"
    if finding.verdict == "Equivalent":
        return f"{arm} makes no difference beyond the margin of ±{text.margin(margin)}: {measured}"
    return f"cannot tell what {arm} costs: {finding.why}; {measured}"


def _claim_of_recovery(arm: str, answer: Candidate, margin: float) -> str:
    """The seconds of a recovery from the new server's start to its first answer."""
    group, finding = answer.group, answer.finding
    seconds = [group.row(one).recovery_seconds for one in (arm, group.baseline.name)]
    own, plain = (text.number(one, 2) for one in seconds)
    times = f"{own} s against {plain} s from start to first answer"
    change = text.signed_percent(finding.change.estimate if finding.change else None)
    measured = f"it changes by {change} {text.bounds(finding.change)} ({times})"
    if finding.verdict == "Overhead":
        more = text.estimate(finding.change)
        return f"{arm} takes {more} longer to answer again ({times})"
    if finding.verdict == "Equivalent":
        return (
            f"{arm} makes no difference to recovery time beyond the margin of "
            f"±{text.margin(margin)}: {measured}"
        )
    return f"cannot tell what {arm} costs of recovery time: {finding.why}; {measured}"


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


def _basis(answer: Candidate, mode: EncryptionModeSpec | None, margin: float) -> str:
    finding = answer.finding
    parts = [plural(finding.blocks, "block"), proof_clause(mode, answer.comparison)]
    if finding.noise_floor is None:
        parts.insert(1, "no noise floor")
    elif judgement.reason(finding, margin) is not judgement.JudgementReason.NOISE_OVER_MARGIN:
        parts.insert(1, f"noise floor ±{text.percent(finding.noise_floor)}")
    return ", ".join(parts)


def proof_clause(mode: EncryptionModeSpec | None, comparison: PairedComparison) -> str:
    """What was proven about the treatment; where, by what the mode encrypts."""
    if not comparison.proven:
        return "encryption not proven for every trial"
    if mode is None or mode.is_plaintext:
        return "mode proven"
    on_disk = mode.encrypts_at_rest and not comparison.on_trust
    in_results = mode.columns is not None and mode.columns.encrypts
    parts = (
        ("on disk", on_disk),
        ("in transit", mode.in_transit is not None),
        ("in results", in_results),
    )
    places = " and ".join(place for place, proven in parts if proven)
    trusted = ["encryption on disk declared, not seen"] if comparison.on_trust else []
    return "; ".join([*([f"encryption proven {places}"] if places else []), *trusted])


def _range(alike: Sequence[Candidate], measured: int, conditions: int) -> list[str]:
    """Over the conditions with the same figure; those without data are counted."""
    counts = Counter(one.finding.verdict for one in alike)
    if conditions > measured:
        counts["NoData"] += conditions - measured
    count = counts.total()
    if count < 2:
        return []
    changes = [one.finding.change.estimate for one in alike if one.finding.change is not None]
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    low, high = text.number(100 * min(changes), 1), text.percent(max(changes))
    over = "both" if count == conditions == 2 else "all " * (count == conditions) + f"{count}"
    figure = JUDGED[alike[0].finding.figure]
    what = "loss" if figure.sense == "loss" else f"increase of {figure.phrase}"
    return [f"Over {over} conditions the {what} ranges from {low} to {high} ({verdicts})."]


def _no_data(arm: Arm, found: Sequence[tuple[Group, PairedComparison]], findings: Findings) -> str:
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
