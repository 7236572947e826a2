"""Treatments whose data lies on dm-crypt, which encrypts in threads of the kernel.

These threads are in no pod, so no figure of a server's CPU includes the cipher. CPU per transaction
of such an arm can therefore show a cost, but never that there is none.
"""

from collections.abc import Iterable, Mapping, Sequence

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.report.document.group import Finding
from encbench.report.document.trial import TrialView

_OTHER_CLAIMS = ("BetterThanBaseline", "Placement", "CarryOver", "Correction")


def on_dm_crypt(
    arms: Sequence[Arm], modes: Mapping[str, EncryptionModeSpec], trials: Sequence[TrialView]
) -> list[str]:
    """The treatments of a condition whose mode puts dm-crypt under the data, by their proofs.

    None where the baseline's does as well, because the same is then left out of both.
    """
    known = {arm.name for arm in arms if _seen(arm, modes[arm.mode_ref], trials)}
    if any(arm.name in known for arm in arms if arm.role == "baseline"):
        return []
    return [arm.name for arm in arms if arm.name in known]


def _seen(arm: Arm, mode: EncryptionModeSpec, trials: Iterable[TrialView]) -> bool:
    """A StorageClass is proven by dm-crypt that the pod sees, or else taken on trust."""
    if mode.volume is None or mode.volume.storage_class_name is None:
        return False
    own = [trial for trial in trials if trial.arm == arm.name]
    proofs = [proof for trial in own for proof in (trial.proof_before, trial.proof_after)]
    return any(proof is not None and proof.ok and not proof.on_trust for proof in proofs)


def without_cipher(finding: Finding) -> Finding:
    """A finding about such an arm's CPU per transaction: it may only claim a cost.

    What luck, carry-over or correction took away may not return either, if it was another claim.
    """
    change, bar = finding.change, finding.bar
    is_low = change is not None and bar is not None and change.estimate <= bar
    if finding.verdict == "Equivalent" or (finding.obstacle in _OTHER_CLAIMS and is_low):
        return finding.model_copy(update={"verdict": "Inconclusive", "obstacle": "KernelCipher"})
    return finding
