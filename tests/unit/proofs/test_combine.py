"""How checks become a proof."""

import pytest

from encbench.core.evidence import Proof
from encbench.proofs.check import Comparison, conclude, equals, exempt, joined, proof_of


def test_all_checks_must_hold() -> None:
    good, bad = equals("a", "ON", "ON"), equals("b", "ON", "OFF")
    assert conclude("TDE", "all is well", [good], {}).summary == "TDE is in force: all is well"
    proof = conclude("TDE", "all is well", [good, bad], {})
    assert not proof.ok
    assert proof.summary == "TDE is not proven: b: expected ON; observed OFF"


def test_no_check_is_no_proof() -> None:
    assert not conclude("TDE", "all is well", [], {}).ok


def test_an_exemption_is_listed_and_does_not_count() -> None:
    log = exempt("log", "marker readable")
    proof = conclude("TDE", "fine", [equals("a", "1", "1"), log], {"x": 1})
    assert [check.name for check in proof.checks] == ["a", "exempt: log"]
    assert not conclude("TDE", "fine", [log], {}).ok


def test_a_long_list_is_counted() -> None:
    checks = [equals(str(number), "ON", None) for number in range(5)]
    assert conclude("TDE", "", checks, {}).summary.endswith("observed nothing; and 2 more")


def test_what_stands_on_trust_says_so() -> None:
    proof = conclude("TDE", "the class declares it", [equals("a", "1", "1")], {}, on_trust=True)
    assert proof.summary == (
        "TDE is in force: the class declares it, which nothing in the pod can show"
    )
    assert proof.on_trust


GOOD, BAD = equals("a", "1", "1"), equals("a", "1", "2")


def proof(check: Comparison, *, on_trust: bool = False) -> Proof:
    return proof_of([check], {}, found="found", missing="missing", on_trust=on_trust)


def test_a_proof_is_known_to_stand_on_trust_whatever_its_words() -> None:
    assert proof(GOOD, on_trust=True).on_trust
    assert proof(GOOD).on_trust is None
    assert proof(BAD, on_trust=True).on_trust is None, "it does not stand at all"
    words = "what was seen, which nothing in the pod can show"
    assert proof_of([GOOD], {}, found=words, missing="").on_trust is None


@pytest.mark.parametrize("other", [GOOD, BAD])
def test_what_one_of_two_takes_on_trust_both_do(other: Comparison) -> None:
    declared, seen = proof(GOOD, on_trust=True), proof(other)
    assert joined(declared, seen).on_trust
    assert joined(seen, declared).on_trust
    assert joined(seen, seen).on_trust is None
