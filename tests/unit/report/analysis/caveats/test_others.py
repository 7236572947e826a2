"""Load, ciphers and steal outside the pods."""

from dataclasses import replace

import pytest

from encbench.core.evidence import ProofVerdict
from encbench.report.analysis.caveats import others
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, TDE, TLS
from tests.unit.report.analysis.caveats.studies import CALM, outside, titles, unmeasured


def test_dm_crypt_s_kernel_threads_are_not_other_programs() -> None:
    found = unmeasured(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    loads = {"tde": {"foreign_with_dm_crypt_percent": 60.0}}
    usual = {"foreign_cpu_percent": 4.0}
    trials = [t.model_copy(update=loads.get(t.arm, usual)) for t in found.counted]
    facts = replace(found, trials=trials)
    assert not [*others.foreign_load(facts)]
    (caveat,) = others.kernel_encryption(facts)
    assert "In 6 of 6 counted trials of a mode with a storageClassName what no pod" in caveat.text
    assert "60 % at most" in caveat.text
    little = {"tde": {"foreign_with_dm_crypt_percent": 9.0}}
    calm = [t.model_copy(update=little.get(t.arm, usual)) for t in trials]
    (caveat,) = others.kernel_encryption(replace(facts, trials=calm))
    assert "at most" not in caveat.text
    recovery = [group.model_copy(update={"primary": "recovery"}) for group in facts.groups]
    (caveat,) = others.kernel_encryption(replace(facts, groups=recovery))
    assert caveat.weight == "note", "CPU per transaction is not judged there"
    assert caveat.text.startswith("In 6 of 6 counted trials of a mode with")


def test_dm_crypt_of_an_arm_in_turns_is_named_where_other_programs_are() -> None:
    crypt = {"tde": {"foreign_with_dm_crypt_percent": 60.0}}
    for rounds, named in ((0, False), (8, True)):
        study = replace(CALM, modes={"tde": ENCRYPTED_CLASS}, rounds=rounds)
        found = unmeasured(study)
        usual = {"foreign_cpu_percent": 14.0}
        trials = [t.model_copy(update=crypt.get(t.arm, usual)) for t in found.counted]
        (caveat,) = others.foreign_load(replace(found, trials=trials))
        threads = "own traffic and ciphers of tde in the same windows, took"
        assert (threads in caveat.text) == named
        assert ("own traffic, took" in caveat.text) != named
        apart = [t.model_copy(update={"cell": t.arm}) for t in trials]
        (caveat,) = others.foreign_load(replace(found, trials=apart))
        assert "own traffic, took" in caveat.text, "the turns of another cell are other windows"


def test_a_cipher_outside_the_pods_is_a_serious_caveat_whatever_it_takes() -> None:
    title = "dm-crypt encrypted outside the pods"
    found = report_of(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    (caveat,) = (caveat for caveat in found.caveats if caveat.title == title)
    assert caveat.weight == "serious"
    assert caveat.text.startswith("The data of tde lay on dm-crypt, which encrypts in kernel ")
    for mode in (TDE, GOCRYPTFS):
        assert title not in titles(replace(CALM, modes={"tde": mode}))
    both = replace(CALM, baseline=ENCRYPTED_CLASS, modes={"tde": {**ENCRYPTED_CLASS, **TLS}})
    assert title not in titles(both), "the same is left out of both"


def test_a_cipher_that_is_only_declared_may_be_in_the_kernel() -> None:
    found = unmeasured(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    trust = ProofVerdict.model_validate({"ok": True, "summary": "", "on_trust": True})
    proofs = {"proof_before": trust, "proof_after": trust}
    trials = [t.model_copy(update=proofs if t.arm == "tde" else {}) for t in found.counted]
    (caveat,) = others.kernel_encryption(replace(found, trials=trials))
    assert (caveat.weight, caveat.title) == (
        "serious",
        "The kernel may have encrypted outside the pods",
    )
    assert caveat.text.startswith("No pod can see what encrypts the data of tde: it may be the ")


@pytest.mark.parametrize(
    ("plain", "tde", "weight"),
    [
        *((3.0, 4.0, "note"), (9.9, 9.9, "note"), (10.0, 10.0, "serious")),
        *((1.0, 5.9, "note"), (1.0, 6.0, "serious"), (6.0, 1.0, "serious")),
    ],
)
def test_much_steal_and_steal_of_one_arm_are_serious(plain: float, tde: float, weight: str) -> None:
    found = unmeasured(CALM)
    shares = {"tde": tde}
    trials = [
        t.model_copy(update={"stolen_cpu_percent": shares.get(t.arm, plain)}) for t in found.counted
    ]
    (caveat,) = others.stolen(replace(found, trials=trials))
    assert caveat.weight == weight
    assert f"{round(plain)} % with plain" in caveat.text
    assert f"{round(tde)} % with tde" in caveat.text


def test_steal_of_one_condition_is_not_that_of_its_arms() -> None:
    """Arms of unlike conditions differ by where they ran."""
    found = unmeasured(Study(concurrency=(4, 16)))
    counted = [
        t.model_copy(update={"stolen_cpu_percent": 7.0 if t.concurrency == 16 else 1.0})
        for t in found.counted
        if t.arm == "plain" or t.concurrency == 16
    ]
    (caveat,) = others.stolen(replace(found, trials=counted))
    assert caveat.weight == "note"
    assert "at 16 threads on small that is on average 7 % with plain, 7 %" in caveat.text


def test_a_limit_that_nothing_was_held_against_is_a_serious_caveat() -> None:
    facts = unmeasured(Study(concurrency=(4, 16)))
    (caveat,) = others.foreign_unknown(facts)
    assert caveat.weight == "serious"
    assert "without effect in 2 of 2 conditions, first in oltp-read-write at 4" in caveat.text
    once = facts.counted[0].model_copy(update={"foreign_cpu_percent": 1.0})
    (caveat,) = others.foreign_unknown(replace(facts, trials=[once, *facts.counted[1:]]))
    assert caveat.weight == "serious"
    assert "without effect in 1 of 2 conditions" in caveat.text


def test_load_that_no_limit_is_held_against_is_a_note() -> None:
    facts = unmeasured(CALM)
    once = facts.counted[0].model_copy(update={"foreign_cpu_percent": 1.0})
    limits = facts.spec.limits.model_copy(update={"foreign_cpu": 1.0})
    for other in (
        replace(facts, trials=[once, *facts.counted[1:]]),
        replace(facts, spec=facts.spec.model_copy(update={"limits": limits})),
        replace(facts, resolved=facts.resolved.model_copy(update={"instances": outside(facts)})),
    ):
        (caveat,) = others.foreign_unknown(other)
        assert caveat.weight == "note"
        assert "limits" not in caveat.text
