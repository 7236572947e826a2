"""How each treatment was judged: one finding for each figure, corrected for those beside it.

The words of a finding come from `words.judgement`, the decision from `core.statistics`.
"""

from collections.abc import Mapping, Sequence

from encbench.api.testbed import Arm
from encbench.core.evidence import ProofVerdict
from encbench.core.statistics import intervals, verdict
from encbench.core.statistics.intervals import Estimate
from encbench.core.statistics.verdict import Judgement
from encbench.report.analysis.pairs import Pairs, interval
from encbench.report.analysis.views import rounded
from encbench.report.document.group import Finding, PairedComparison
from encbench.report.document.trial import TrialView
from encbench.report.figures import FigureKey, JudgedFigure
from encbench.report.words import judgement

Floors = Mapping[FigureKey, float | None]


def comparisons(
    pairs: Pairs,
    judged: Sequence[JudgedFigure],
    floors: Floors,
    margin: float,
    trials: Sequence[TrialView],
) -> tuple[PairedComparison, ...]:
    """One for each treatment; the first of `judged` is its subject."""
    treatments = [arm for arm in pairs.arms if arm.role == "treatment"]
    found = [
        _of_figure(pairs, figure, treatments, floors[figure.key], margin, trials)
        for figure in judged
    ]
    return tuple(_comparison(pairs, arm, [of[arm.name] for of in found]) for arm in treatments)


def _comparison(pairs: Pairs, arm: Arm, findings: Sequence[Finding]) -> PairedComparison:
    first, own = findings[0], [by_arm[arm.name] for by_arm in pairs.blocks.values()]
    return PairedComparison(
        arm=arm.name,
        blocks=first.blocks,
        loss=first.change,
        loss90=first.change90,
        verdict=first.verdict,
        why=first.why,
        on_trust=any(_on_trust(trial) for trial in own),
        proven=None if first.change is None else all(_proven(trial) for trial in own),
        findings=tuple(findings),
    )


def _of_figure(
    pairs: Pairs,
    figure: JudgedFigure,
    treatments: Sequence[Arm],
    floor: float | None,
    margin: float,
    trials: Sequence[TrialView],
) -> dict[str, Finding]:
    """One figure of every treatment, judged together because Holm's correction covers them all."""
    estimates = {
        arm.name: one
        for arm in treatments
        if (one := pairs.estimate(figure.field, arm.name)) is not None
    }
    found = judge(figure, estimates, floor, margin, "modes")
    for arm in treatments:
        if arm.name not in found:
            why = judgement.why_no_data(arm.name, trials)
            if pairs.blocks:
                why = "no block has it in every arm"
            found[arm.name] = Finding(figure=figure.key, blocks=0, verdict="NoData", why=why)
    return found


def judge(
    figure: JudgedFigure,
    estimates: Mapping[str, Estimate],
    floor: float | None,
    margin: float,
    of: str,
) -> dict[str, Finding]:
    """A finding for each of these estimates; `of` is the noun for them in a sentence."""
    judged = verdict.judge(estimates, floor, margin, figure.sense)
    together = f"{len(estimates)} {of}" if len(estimates) > 1 else ""
    return {
        name: _finding(figure, one, judged[name], floor, margin, together)
        for name, one in estimates.items()
    }


def _finding(
    figure: JudgedFigure,
    estimate: Estimate,
    judged: Judgement,
    floor: float | None,
    margin: float,
    together: str,
) -> Finding:
    found = Finding(
        figure=figure.key,
        blocks=estimate.n,
        change=interval(estimate, figure.sense),
        change90=interval(estimate, figure.sense, intervals.EQUIVALENCE_LEVEL),
        noise_floor=_shown(floor),
        bar=_shown(judged.bar),
        overhead_p=_shown(judged.overhead_p),
        equivalent_p=_shown(judged.equivalent_p),
        verdict=judged.verdict,
        why="",
    )
    return found.model_copy(update={"why": judgement.why(found, margin, together)})


def _shown(value: float | None) -> float | None:
    return None if value is None else rounded(value)


def _proofs(trial: TrialView) -> tuple[ProofVerdict | None, ProofVerdict | None]:
    return trial.proof_before, trial.proof_after


def _proven(trial: TrialView) -> bool:
    return all(proof is not None and proof.ok for proof in _proofs(trial))


def _on_trust(trial: TrialView) -> bool:
    return any(proof is not None and proof.on_trust is True for proof in _proofs(trial))
