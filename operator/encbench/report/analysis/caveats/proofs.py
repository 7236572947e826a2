"""The caveat about proofs that are a verdict alone."""

from collections.abc import Iterator

from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.text.words import plural


def lost_evidence(facts: Facts) -> Iterator[Caveat]:
    """Counted trials whose proof cannot be checked again."""
    lost = [
        trial
        for trial in facts.counted
        if any(proof and proof.evidence_lost for proof in (trial.proof_before, trial.proof_after))
    ]
    if lost:
        yield serious(
            title="Evidence of proofs was lost",
            text=f"In {len(lost)} of {plural(len(facts.counted), 'counted trial')}, such as "
            f"{lost[0].name}, a proof is its verdict alone. The store did not take the proof in "
            "time, and the operator ended before it stored the record, which has the verdict that "
            "the Trial's conditions kept. Its checks and evidence cannot be looked at again.",
        )
