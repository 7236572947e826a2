"""How each treatment was judged: one finding for each figure, corrected for those beside it.

The words of a finding come from `words.judgement`, the decision from `core.statistics`.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from encbench.api.overheadreport import FigureKey
from encbench.core.records import IndexTrial
from encbench.core.statistics import verdict
from encbench.core.statistics.intervals import Estimate
from encbench.core.statistics.rounding import rounded, rounded_if_known
from encbench.report.analysis.demand import MeasuringPace, demand
from encbench.report.analysis.kernel_cipher import without_cipher
from encbench.report.analysis.pairs import Pairs, interval, placement
from encbench.report.document.group import Finding, PairedComparison
from encbench.report.document.trial import TrialView
from encbench.report.figures import CPU, JUDGED, JudgedFigure
from encbench.report.words import judgement
from encbench.text.words import listed


def comparisons(
    pairs: Pairs,
    judged: Sequence[JudgedFigure],
    margin: float,
    trials: Sequence[TrialView | IndexTrial],
    pace: MeasuringPace,
    looks: int = 1,
    outside_pods: Collection[str] = (),
) -> tuple[PairedComparison, ...]:
    """One for each treatment; the first of `judged` is its subject.

    `looks` is how often the plan allows the question to be asked. `outside_pods` are
    treatments whose CPU per transaction is, or may be, without their cipher's.
    """
    treatments = [arm.name for arm in pairs.arms if arm.role == "treatment"]
    found: dict[FigureKey, dict[str, Finding]] = {}
    for figure in judged:
        # Together, because Holm's correction covers all treatments.
        measured = {arm: pairs.estimate(figure.field, arm) for arm in treatments}
        blocks, floor = len(pairs.complete(figure.field)), pairs.noise_floor(figure)
        unseen = outside_pods if figure is CPU else ()
        of_modes = judge(*(figure, measured, floor, margin, "modes", blocks, looks), unseen=unseen)
        found[figure.key] = {
            arm: f.model_copy(update={"demand": demand(f, known, margin, pace) if known else None})
            for arm, f in of_modes.items()
            for known in (measured[arm],)
        }
    by_arm = {
        arm: [of.get(arm) or _no_data(pairs, key, arm, trials) for key, of in found.items()]
        for arm in treatments
    }
    return tuple(_comparison(pairs, arm, findings) for arm, findings in by_arm.items())


def _comparison(pairs: Pairs, arm: str, findings: Sequence[Finding]) -> PairedComparison:
    first, own = findings[0], [by_arm[arm] for by_arm in pairs.blocks.values()]
    proofs = [proof for trial in own for proof in (trial.proof_before, trial.proof_after)]
    proven = all(proof is not None and proof.ok for proof in proofs)
    return PairedComparison(
        arm=arm,
        blocks=first.blocks,
        loss=first.change,
        verdict=first.verdict,
        why=first.why,
        on_trust=any(proof is not None and proof.on_trust is True for proof in proofs),
        proven=None if first.change is None else proven,
        findings=tuple(findings),
    )


def _no_data(
    pairs: Pairs, key: FigureKey, arm: str, trials: Sequence[TrialView | IndexTrial]
) -> Finding:
    if not pairs.blocks:
        why = judgement.why_no_data(arm, trials)
    elif not pairs.is_withheld(JUDGED[key].field):
        why = "no block has it in every arm"
    elif pairs.in_turns:
        why = "stops may have moved it in a trial, so it is shown for none"
    elif not pairs.is_in_a_trial(JUDGED[key].field):
        why = "no trial has it"
    else:
        why = "not every trial has it, so it is shown for none"
    return Finding(figure=key, blocks=0, verdict="NoData", why=why)


def judge(
    figure: JudgedFigure,
    measured: Mapping[str, Estimate | None],
    floor: float | None,
    margin: float,
    of: str,
    blocks: int,
    looks: int = 1,
    against: Mapping[str, str] | None = None,
    unseen: Collection[str] = (),
) -> dict[str, Finding]:
    """A finding for each of these that has an estimate; `of` is the noun for them in a sentence.

    All are of that many blocks, of which an observation may be a part. `against` names what each
    was compared with, where that is not the baseline. `unseen` are those whose figure is, or may
    be, without their cipher's CPU.
    """
    estimates = {name: one for name, one in measured.items() if one is not None}
    judged = verdict.judge(estimates, margin, figure.sense, looks)
    counts = {of: len(estimates), "looks": looks}
    several = [f"{count} {noun}" for noun, count in counts.items() if count > 1]
    together = listed(several) if several else ""
    findings = {}
    for name, estimate in estimates.items():
        found = Finding(
            figure=figure.key,
            blocks=blocks,
            change=interval(estimate, figure.sense),
            placement=placement(estimate, figure.sense),
            luck=rounded_if_known(estimate.luck),
            carried=rounded(math.expm1(estimate.carried)) if estimate.carried else None,
            noise_floor=rounded_if_known(floor),
            bar=margin,
            overhead_p=rounded_if_known(judged[name].overhead_p),
            equivalent_p=rounded_if_known(judged[name].equivalent_p),
            verdict=judged[name].verdict,
            obstacle=judged[name].obstacle,
            why="",
        )
        if name in unseen:
            found = without_cipher(found)
        other = (against or {}).get(name, judgement.BASELINE)
        why = judgement.why(found, margin, together, other)
        findings[name] = found.model_copy(update={"why": why})
    return findings
