"""How checks become a proof."""

from encbench.proofs.check import conclude, equals, exempt


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
