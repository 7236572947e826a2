"""Which arms' CPU leaves the cipher out."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Interval
from encbench.core.evidence import ProofVerdict
from encbench.report.analysis.kernel_cipher import on_dm_crypt, outside_pods, without_cipher
from encbench.report.document.group import Finding
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, PLAINTEXT, TDE, TLS


def found(
    treatment: dict[str, Any], baseline: dict[str, Any] = PLAINTEXT, **proof: Any
) -> list[str]:
    """The arms of a study of that treatment, whose trials all have that proof."""
    report = report_of(Study(concurrency=(4,), blocks=2))
    specs = {"tde": treatment, "plain": baseline}
    modes = {name: EncryptionModeSpec.model_validate(spec) for name, spec in specs.items()}
    verdict = ProofVerdict.model_validate({"ok": True, "summary": "", **proof})
    trials = [t.model_copy(update={"proof_before": verdict}) for t in report.trials]
    trials = [t.model_copy(update={"proof_after": None}) for t in trials]
    return outside_pods(report.groups[0].arms, modes, trials)


@pytest.mark.parametrize("mode", [PLAINTEXT, TDE, GOCRYPTFS, TLS])
def test_other_modes_encrypt_in_pods(mode: dict[str, Any]) -> None:
    assert found(mode) == []


def test_a_class_may_encrypt_in_the_kernel_even_where_nothing_shows_that() -> None:
    assert found(ENCRYPTED_CLASS) == ["tde"]
    assert found(ENCRYPTED_CLASS, on_trust=True) == ["tde"]
    assert found(ENCRYPTED_CLASS, ok=False) == []


def test_where_the_baseline_s_disk_is_encrypted_too_the_same_is_left_out_of_both() -> None:
    for seen in ({}, {"on_trust": True}):
        assert found({**ENCRYPTED_CLASS, **TLS}, ENCRYPTED_CLASS, **seen) == []


OTHER_CLASS = {"atRest": {"method": "volume", "volume": {"storageClassName": "other"}}}


def test_another_class_than_the_baseline_s_may_have_another_cipher() -> None:
    assert found(OTHER_CLASS, ENCRYPTED_CLASS) == ["tde"], "though dm-crypt is under both"
    assert found(OTHER_CLASS, ENCRYPTED_CLASS, on_trust=True) == ["tde"]


def test_two_classes_are_never_equivalent_by_a_figure_that_leaves_both_ciphers_out() -> None:
    study = Study(concurrency=(4,), blocks=12, loss={"tde": 0.0}, noise=0.002)
    report = report_of(replace(study, baseline=ENCRYPTED_CLASS, modes={"tde": OTHER_CLASS}))
    (comparison,) = report.groups[0].comparisons
    (cpu,) = (one for one in comparison.findings if one.figure == "cpuPerTransaction")
    assert (cpu.verdict, cpu.obstacle) == ("Inconclusive", "KernelCipher")
    titles = [caveat.title for caveat in report.caveats]
    assert "dm-crypt encrypted outside the pods" in titles


def test_a_proof_on_trust_has_not_seen_dm_crypt() -> None:
    trial = report_of(Study(concurrency=(4,), blocks=2)).trials[0]
    for on_trust, arms in ((None, {trial.arm}), (True, set[str]())):
        verdict = ProofVerdict.model_validate({"ok": True, "summary": "", "on_trust": on_trust})
        own = trial.model_copy(update={"proof_before": verdict, "proof_after": None})
        assert on_dm_crypt([trial.arm], [own]) == arms


@pytest.mark.parametrize(("cost", "obstacle"), [(0.10, "Placement"), (0.01, "KernelCipher")])
def test_a_cost_that_luck_explains_is_not_the_cipher_s(cost: float, obstacle: str) -> None:
    """That CPU of the kernel is missing hides a cost, and makes none."""
    change = Interval(estimate=cost, low=cost - 0.005, high=cost + 0.005)
    measured = Finding(
        figure="cpuPerTransaction",
        blocks=6,
        change=change,
        bar=0.03,
        verdict="Inconclusive",
        obstacle="Placement",
        why="",
    )
    assert without_cipher(measured).obstacle == obstacle
