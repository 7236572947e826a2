"""What a trial's record takes over from what was gathered."""

from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.reconcile.trial.facts import TrialGathered, TrialSeen
from encbench.reconcile.trial.record import record
from tests.unit.reconcile.seen import NOW, PROVEN, a_trial

NOTHING = TrialSeen(NOW, testbed=None, database=None, job=None)


def test_a_declaration_is_taken_over_from_its_proof_whatever_its_words() -> None:
    declared = Proof(ok=True, summary="as the class says", on_trust=True)
    proofs = TrialProofsRecord(before=declared, after=PROVEN)
    trial = a_trial(outcome="Succeeded")
    found = record(trial, NOTHING, trial.status, TrialGathered(proofs=proofs)).proofs
    assert found.before is not None and found.after is not None
    assert found.before.on_trust
    assert found.after.on_trust is None


def test_lost_evidence_is_taken_over_from_its_proof() -> None:
    kept = Proof(ok=True, summary="in force", evidence_lost=True)
    trial = a_trial(outcome="Succeeded")
    proofs = TrialProofsRecord(before=kept, after=PROVEN)
    found = record(trial, NOTHING, trial.status, TrialGathered(proofs=proofs)).proofs
    assert found.before is not None and found.after is not None
    assert found.before.evidence_lost
    assert found.after.evidence_lost is None


def test_what_a_trial_left_unwritten_is_taken_over_from_its_second_proof() -> None:
    after = PROVEN.model_copy(update={"dirty_bytes": 5 << 20})
    trial = a_trial(outcome="Succeeded")
    for made, known in ((after, 5 << 20), (PROVEN, None), (None, None)):
        proofs = TrialProofsRecord(before=PROVEN, after=made)
        found = record(trial, NOTHING, trial.status, TrialGathered(proofs=proofs))
        assert found.dirty_bytes == known
