"""Proofs as the bucket has them: what is declared is known as such, also by the summary alone."""

from encbench.core.evidence import Proof, ProofVerdict

DECLARED = {"ok": True, "summary": "the class declares it, which nothing in the pod can show"}


def test_a_summary_says_that_encryption_was_declared() -> None:
    assert ProofVerdict.model_validate(DECLARED).on_trust
    assert Proof.model_validate(DECLARED).on_trust


def test_a_record_says_it_whatever_its_words() -> None:
    declared = ProofVerdict(ok=True, summary="declared", on_trust=True)
    assert declared.to_dict() == {"ok": True, "summary": "declared", "onTrust": True}
    assert ProofVerdict.model_validate(declared.to_dict()) == declared


def test_what_was_seen_is_written_as_ever() -> None:
    seen = ProofVerdict(ok=True, summary="seen")
    assert not seen.on_trust
    assert seen.to_dict() == {"ok": True, "summary": "seen"}
