"""The answer in one sentence per treatment, no less true for being "cannot tell".

Which condition the sentence is about is fixed by the plan and blind to the figures: the first
instance and workload that the user wrote, at its highest concurrency. Only where that has no data
does the next one with data stand in. The range over all conditions follows in a second sentence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from encbench.api.campaign import Resolved
from encbench.api.encryptionmode import EncryptionModeSpec, Scope
from encbench.api.testbed import Arm
from encbench.core.columns.enclave import SIMULATION
from encbench.core.records import IndexTrial
from encbench.engines.external import only_server_says
from encbench.report.document import Headline, Report, TestbedProof
from encbench.report.document.group import LAYERS, Finding, Group, PairedComparison
from encbench.report.document.trial import TrialView
from encbench.report.figures import JUDGED, TPS
from encbench.report.words import decision, judgement, text
from encbench.text.words import capitalised, listed, plural

FEW_TPS = 10.0
"""An offered rate below this has decimals."""

_PARTS: Mapping[Scope, str] = {
    "tables": "tables",
    "system": "system tables",
    "redo": "redo log",
    "undo": "undo log",
    "binlog": "binary log",
    "temporary": "temporary files",
}
_LASTING = _PARTS.keys() - {"temporary"}
"""What TDE covers on every engine that lets a mode choose; not all of them encrypt the rest."""


def headlines(report: Report) -> tuple[Headline, ...]:
    """One for each treatment in the order of the plan, or one that says that there is none."""
    if not report.treatments:
        return (_control_only(report.groups, report.spec.margin),)
    return tuple(_headline(arm, report) for arm in report.treatments)


@dataclass(frozen=True)
class Candidate:
    """A condition that the sentence can be about, a treatment in it, and the figure reported."""

    group: Group
    comparison: PairedComparison
    finding: Finding


def _headline(arm: Arm, report: Report) -> Headline:
    below = _below(arm, report)
    if below is not None:
        return below
    found = [(group, c) for group in report.groups if (c := group.comparison(arm.name))]
    answers = [
        Candidate(group, c, finding)
        for group, c in found
        if c.loss is not None and (finding := c.finding(group.primary)) is not None
    ]
    if not answers:
        return Headline(
            arm=arm.name,
            verdict="NoData",
            text=_no_data(arm, found, report),
            brief=f"Nothing is known about what {arm.name} costs.",
            so=_where_to_look(found, report),
        )
    group = _chosen([one.group for one in answers])
    answer = next(one for one in answers if one.group is group)
    modes, finding = report.resolved.modes, answer.finding
    mode, plain = modes[arm.mode_ref], modes[group.baseline.mode_ref]
    claim = _claim(arm.name, answer, report.spec.margin)
    sentence = f"{claim}, {group.place}; {_basis(answer, mode, report)}."
    alike = [one for one in answers if one.finding.figure == finding.figure]
    return Headline(
        arm=arm.name,
        verdict=finding.verdict,
        text=" ".join(
            (
                sentence,
                *decision.afterwards(finding, answer.comparison.capacity),
                *_range(alike, len(answers), len(found)),
            )
        ),
        brief=decision.brief(arm.name, finding, report.spec.margin, group.place),
        so=decision.so(
            finding,
            answer.comparison.capacity,
            report.spec.margin,
            answer.comparison.finding("cpuPerTransaction"),
            proxied=mode.proxy is not None or plain.proxy is not None,
        ),
        instance=group.instance,
        workload=group.workload,
        concurrency=group.concurrency,
        figure=finding.figure,
        loss=finding.change,
    )


def _below(arm: Arm, report: Report) -> Headline | None:
    """Of an arm that the baseline has a layer of column encryption more than: what that costs.

    It is the direct arm of a campaign whose baseline goes through the proxy.
    """
    found = [
        (group, step, finding)
        for group in report.groups
        if (step := group.step(group.baseline.name)) is not None
        and step.before == arm.name
        and (finding := step.judged) is not None
    ]
    if not found:
        return None
    group = _chosen([group for group, _, _ in found])
    step, finding = next((step, finding) for of, step, finding in found if of is group)
    layers = f"the {listed(LAYERS[layer] for layer in step.layers)}"
    margin = report.spec.margin
    if finding.figure == TPS.key:
        claim = _of_tps(layers, finding, margin, text.estimate(finding.change, margin))
    else:
        claim = _at_equal_work(layers, group, finding, margin)
    alike = [one for _, _, one in found if one.figure == finding.figure]
    over = f" Over {len(alike)} conditions {_estimates(alike)}." if len(alike) > 1 else ""
    return Headline(
        arm=arm.name,
        verdict=finding.verdict,
        text=f"{claim}, {group.baseline.name} against {arm.name}, {group.place}; "
        f"{plural(finding.blocks, 'block')}.{over}",
        brief=decision.brief(layers, finding, report.spec.margin, group.place, step.before),
        so=decision.so(
            finding,
            None,
            report.spec.margin,
            step.cpu,
            proxied="hop" in step.layers,
            cause="a further layer",
        ),
        instance=group.instance,
        workload=group.workload,
        concurrency=group.concurrency,
        figure=finding.figure,
        loss=finding.change,
    )


def _chosen(groups: Sequence[Group]) -> Group:
    """The highest concurrency of the first instance and workload."""
    first = groups[0].instance, groups[0].workload
    same = [group for group in groups if (group.instance, group.workload) == first]
    return max(same, key=lambda group: group.concurrency)


def _claim(arm: str, answer: Candidate, margin: float) -> str:
    group, finding = answer.group, answer.finding
    more = text.estimate(finding.change, margin)
    if finding.figure == "recovery":
        seconds = [group.row(one).recovery_seconds for one in (arm, group.baseline.name)]
        own, plain = (text.number(one, 2) for one in seconds)
        times = f"({own} s against {plain} s from start to first answer)"
        costs = f"{arm} takes {more} longer to answer again {times}"
        measured = f"it changes by {text.signed_estimate(finding.change, margin)} {times}"
        return _by_verdict(arm, finding, margin, costs, measured, measured, "recovery time")
    if finding.figure != TPS.key:
        return _at_equal_work(arm, group, finding, margin)
    cpu = cpu_clause(answer.comparison.finding("cpuPerTransaction"), margin)
    return _of_tps(arm, finding, margin, more, cpu)


def _at_equal_work(cause: str, group: Group, finding: Finding, margin: float) -> str:
    """Of another figure: where the load decides TPS it says nothing."""
    offered = group.offered_tps
    digits = 0 if offered is None or offered >= FEW_TPS else 2
    work = f"at equal work ({text.number(offered, digits)} TPS offered)"
    if group.paced:
        work = "under a load that think times pace"
    phrase = JUDGED[finding.figure].phrase
    costs = f"{cause} costs {text.estimate(finding.change, margin)} more {phrase} {work}"
    measured = f"{phrase} {work} changes by {text.signed_estimate(finding.change, margin)}"
    return _by_verdict(cause, finding, margin, costs, measured, measured)


def _of_tps(cause: str, judged: Finding, margin: float, loss: str, cpu: str = "") -> str:
    costs = f"costs {loss} of TPS{cpu}"
    measured = f"the measured loss is {loss} of TPS{cpu}"
    return _by_verdict(cause, judged, margin, f"{cause} {costs}", f"it {costs}", measured)


def _by_verdict(
    cause: str,
    judged: Finding,
    margin: float,
    costs: str,
    equivalent: str,
    inconclusive: str,
    subject: str = "",
) -> str:
    """What `cause` costs, that it makes no difference, or that the campaign cannot say."""
    if judged.verdict == "Overhead":
        return costs
    to, of = (f" to {subject}", f" of {subject}") if subject else ("", "")
    if judged.verdict == "Equivalent":
        limit = text.margin(margin)
        return f"{cause} makes no difference{to} beyond the margin of ±{limit}: {equivalent}"
    limit = f"more than the margin of {text.margin(margin)}"
    if judged.obstacle == "BetterThanBaseline":
        no_cost = f"By its interval, {cause} does not cost {limit}{of}"
        return f"{no_cost}, because {judged.why}; {inconclusive}"
    return f"Cannot tell whether {cause} costs {limit}{of}: {judged.why}; {inconclusive}"


def cpu_clause(judged: Finding | None, margin: float) -> str:
    """` and 11.2 % [10.1, 12.3] % more CPU per transaction`, or what its verdict leaves to say.

    Empty where it was not measured.
    """
    if judged is None or judged.change is None:
        return ""
    if judged.verdict == "Overhead":
        return f" and {text.estimate(judged.change, margin)} more CPU per transaction"
    changes = text.signed_estimate(judged.change, margin)
    if judged.verdict == "Equivalent":
        limit = text.margin(margin)
        return f", CPU per transaction without a change beyond ±{limit} ({changes})"
    if judgement.is_better(judged, margin):
        return f", and CPU per transaction that is lower by more than the margin ({changes})"
    return f"; whether CPU per transaction changes by more than the margin is open ({changes})"


def _basis(answer: Candidate, mode: EncryptionModeSpec, report: Report) -> str:
    finding = answer.finding
    rounds = f" of {plural(answer.group.rounds, 'round')}" if answer.group.rounds else ""
    parts = [plural(finding.blocks, "block") + rounds]
    if finding.change is not None and finding.change.low is not None:
        parts.append("paired 95 % intervals")
    if finding.noise_floor is not None:
        parts.append(f"noise floor ±{text.floor_beside(report.spec.margin, finding.noise_floor)}")
    unseen = _unseen(mode, answer.group, report.resolved)
    return ", ".join((*parts, proof_clause(mode, answer.comparison, unseen)))


def _unseen(mode: EncryptionModeSpec, group: Group, resolved: Resolved) -> list[str]:
    """What of an external database's arm no proof shows, though none fails."""
    instance = resolved.instances[group.instance]
    if not instance.is_external:
        return []
    workload = resolved.workloads[group.workload]
    parts = (
        ("plaintext in transit not proven", not workload.reports_sessions),
        (
            "the server alone says so, and a proxy before it was not seen",
            only_server_says(instance, mode, workload),
        ),
        ("what the database encrypts was not seen", mode.driver is not None and mode.proxy is None),
    )
    return [what for what, unseen in parts if unseen]


def proof_clause(
    mode: EncryptionModeSpec, comparison: PairedComparison, unseen: Sequence[str] = ()
) -> str:
    """What was proven about the treatment; where, by what the mode encrypts."""
    if not comparison.proven:
        return "encryption not proven for every trial"
    if mode.is_plaintext:
        return "; ".join(unseen) or "mode proven"
    parts = (
        (f"on disk{_partly(mode)}", mode.encrypts_at_rest and not comparison.on_trust),
        ("in transit", mode.in_transit is not None),
        ("in results", mode.proxy is not None and mode.proxy.encrypts),
        ("in tables, indexes and results", mode.enclave is not None),
    )
    places = " and ".join(place for place, proven in parts if proven)
    proven = f"encryption proven {places}" if places else ""
    trusted = "encryption on disk declared, not seen" if comparison.on_trust else ""
    simulated = SIMULATION if mode.enclave is not None else ""
    return "; ".join(filter(None, (proven, trusted, simulated, *unseen)))


def _partly(mode: EncryptionModeSpec) -> str:
    """` (tables only)`, where the mode leaves parts in plaintext, as the proofs show too."""
    scope = mode.tde.scope if mode.tde else None
    if scope is None or set(scope) >= _LASTING:
        return ""
    return f" ({listed(words for part, words in _PARTS.items() if part in scope)} only)"


def _range(alike: Sequence[Candidate], measured: int, conditions: int) -> list[str]:
    """Over the conditions with the same figure, then how many of all conditions have no data."""
    said, count, empty = list[str](), len(alike), conditions - measured
    if count > 1:
        counts = Counter(one.finding.verdict for one in alike)
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        over = "both" if count == conditions == 2 else "all " * (count == conditions) + f"{count}"
        estimates = _estimates([one.finding for one in alike])
        said.append(f"Over {over} conditions {estimates} ({verdicts}).")
    if empty:
        said.append(f"Without data: {empty} of {plural(conditions, 'condition')}.")
    return said


def _estimates(alike: Sequence[Finding]) -> str:
    """How far apart the estimates of one figure are."""
    changes = [one.change.estimate for one in alike if one.change is not None]
    low, high = text.number(100 * min(changes), 1), text.percent(max(changes))
    figure = JUDGED[alike[0].figure]
    what = "loss" if figure.sense == "loss" else f"increase of {figure.phrase}"
    return f"the point estimates of the {what} range from {low} to {high}"


def _no_data(arm: Arm, found: Sequence[tuple[Group, PairedComparison]], report: Report) -> str:
    if any(group.as_offered for group, _ in found):
        return (
            f"no data for {arm.name}: TPS is as offered, and no other figure is known of every arm."
        )
    own = _trials(found, report)
    proofs = (
        f"; the proof of {proof.testbed} failed: {proof.summary}"
        for proof in _proofs(found, report)
        if proof.arm == arm.name and not proof.ok
    )
    return f"no data for {arm.name}: {judgement.why_no_data(arm.name, own)}{next(proofs, '')}."


def _trials(
    found: Sequence[tuple[Group, PairedComparison]], report: Report
) -> list[TrialView | IndexTrial]:
    """All of the cells of these conditions."""
    cells = {group.cell for group, _ in found}
    return [trial for trial in report.ended if trial.cell in cells]


def _proofs(found: Sequence[tuple[Group, PairedComparison]], report: Report) -> list[TestbedProof]:
    """Those of the arms that stand in these conditions, on the same instances."""
    places = {(group.instance, arm.name) for group, _ in found for arm in group.arms}
    return [proof for proof in report.proofs if (proof.instance, proof.arm) in places]


def _where_to_look(found: Sequence[tuple[Group, PairedComparison]], report: Report) -> str:
    """What to look at where there is no data; empty where nothing went wrong."""
    own = _trials(found, report)
    if any(t.outcome != "Succeeded" for t in own):
        return "So look at the excluded trials first."
    if own:
        is_left_out = any(block.why is not None for group, _ in found for block in group.blocks)
        return "So look at the blocks that do not count first." if is_left_out else ""
    if any(proof.key is not None and not proof.ok for proof in _proofs(found, report)):
        return "So look at the proofs first."
    if report.end is not None and not report.end.is_complete:
        return (
            "So look first at why the campaign ended, which the caveat Fewer valid blocks than "
            "planned says."
        )
    # On the page a condition is a workload at a concurrency.
    return "So look at the conditions in the campaign's status first (kubectl describe campaign)."


def _control_only(groups: Sequence[Group], margin: float) -> Headline:
    arm = next((group.baseline.name for group in groups), "baseline")
    floors = [group.noise_floor for group in groups if group.noise_floor is not None]
    if not floors:
        text_of = "no data: no block is complete."
        return Headline(arm=arm, verdict="NoData", text=text_of, brief=capitalised(text_of))
    side = "below" if max(floors) < margin else "not below"
    largest = text.floor_beside(margin, max(floors))
    return Headline(
        arm=arm,
        verdict="NoiseFloor",
        brief="No mode was compared: the noise alone was measured.",
        text=f"no mode to compare: {arm} against itself shows a noise floor of up to "
        f"±{largest}, {side} the margin of {text.margin(margin)}.",
    )
