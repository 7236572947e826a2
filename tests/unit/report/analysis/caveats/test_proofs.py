"""Proofs whose evidence was lost."""

from encbench.core.evidence import ProofVerdict
from encbench.report.analysis.caveats import Facts, proofs
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.unit.report.analysis.caveats.studies import CALM


def test_counted_trials_with_a_proof_without_evidence_are_named() -> None:
    found = report_of(CALM)
    kept = ProofVerdict(ok=True, summary="in force", evidence_lost=True)
    last = found.trials[-1].model_copy(update={"proof_after": kept})

    def said(*trials: TrialView) -> list[str]:
        facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
        return [caveat.text for caveat in proofs.lost_evidence(facts)]

    (text,) = said(*found.trials[:-1], last)
    assert text.startswith(f"In 1 of {len(found.trials)} counted trials, such as {last.name}, a ")
    assert said(*found.trials) == []
    uncounted = last.model_copy(update={"counted": False})
    assert said(*found.trials[:-1], uncounted) == [], "no figure rests on it"
