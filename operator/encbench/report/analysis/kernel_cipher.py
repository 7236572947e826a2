"""Treatments whose cipher runs, or may run, in the node's kernel: those of a StorageClass.

dm-crypt encrypts in threads of the kernel, and so do file systems such as CephFS and ZFS, of which
a pod sees nothing. What the kernel takes is in no pod, so no figure of a server's CPU includes it.
CPU per transaction of such an arm can therefore show a cost, but never that there is none. Where
only a declaration says that a disk is encrypted, storage beyond the node may do that instead, and
nothing in a pod shows which of the two it is.
"""

from collections.abc import Iterable, Mapping, Sequence

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.core.evidence import ProofVerdict
from encbench.report.document.group import Finding
from encbench.report.document.trial import TrialView

_OTHER_CLAIMS = ("BetterThanBaseline", "Placement", "CarryOver", "Correction")


def outside_pods(
    arms: Sequence[Arm], modes: Mapping[str, EncryptionModeSpec], trials: Sequence[TrialView]
) -> list[str]:
    """The treatments of a condition whose cipher is or may be in no pod, by mode and proofs.

    None where the baseline's mode names the same class, because the same is then left out of both.
    Two classes may have two ciphers, even where dm-crypt was seen under both.
    """
    known = {arm.name: own for arm in arms if (own := _class(arm, modes, trials))}
    classes = {known[arm.name] for arm in arms if arm.role == "baseline" and arm.name in known}
    return [name for name, own in known.items() if own not in classes]


def on_dm_crypt(arms: Iterable[str], trials: Sequence[TrialView]) -> set[str]:
    """Those of these arms of a StorageClass under whose data dm-crypt was seen."""
    return {arm for arm in arms if any(not one.on_trust for one in _proofs(arm, trials))}


def _class(
    arm: Arm, modes: Mapping[str, EncryptionModeSpec], trials: Sequence[TrialView]
) -> str | None:
    """The StorageClass of the arm's mode, if a proof holds."""
    return modes[arm.mode_ref].storage_class if _proofs(arm.name, trials) else None


def _proofs(arm: str, trials: Sequence[TrialView]) -> list[ProofVerdict]:
    own = [trial for trial in trials if trial.arm == arm]
    made = [proof for trial in own for proof in (trial.proof_before, trial.proof_after)]
    return [proof for proof in made if proof is not None and proof.ok]


def without_cipher(finding: Finding) -> Finding:
    """A finding about such an arm's CPU per transaction: it may only claim a cost.

    What luck, carry-over or correction took away may not return either, if it was another claim.
    """
    change, bar = finding.change, finding.bar
    is_low = change is not None and bar is not None and change.estimate <= bar
    if finding.verdict == "Equivalent" or (finding.obstacle in _OTHER_CLAIMS and is_low):
        return finding.model_copy(update={"verdict": "Inconclusive", "obstacle": "KernelCipher"})
    return finding
