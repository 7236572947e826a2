"""Whether the keys that modes take from Secrets are there, and are keys."""

from collections.abc import Iterator

from encbench.admission.gather import Gathered
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import SECRET
from encbench.core.columns.layout import unfit
from encbench.core.problem import Problem, Reason
from encbench.engines.external import entries_of


def check(found: Gathered) -> Iterator[Problem]:
    """Keys at rest, then keys of columns. No sentence repeats a key."""
    for name, mode in found.modes.items():
        ref = mode.at_rest.key_secret_ref if mode.at_rest else None
        if ref is not None and ref.key not in found.entries(SECRET, ref.name):
            text = (
                f"EncryptionMode {name}: there is no Secret {ref.name} with an entry {ref.key}: "
                "create it, or leave keySecretRef out to have a key generated"
            )
            yield Problem(SECRET, Reason.NOT_FOUND, text, ref.name)
    for name, mode in found.modes.items():
        for problem in _columns(found, mode):
            yield problem.about(problem.subject, f"EncryptionMode {name}")


def _columns(found: Gathered, mode: EncryptionModeSpec) -> Iterator[Problem]:
    ref = mode.mek_secret_ref
    if ref is None:
        return
    if ref.key not in found.entries(SECRET, ref.name):
        field = "columns.mekSecretRef" if mode.columns else "driver.jar.keySecretRef"
        instead = ", or leave mekSecretRef out to have a key generated" if mode.columns else ""
        text = (
            f"{field}: there is no Secret {ref.name} with an entry {ref.key}: create it with a key "
            f"of 32 hex digits{instead}"
        )
        yield Problem(SECRET, Reason.NOT_FOUND, text, ref.name)
        return
    key = entries_of(found.objects[SECRET, ref.name]).get(ref.key)
    why = "is not text: write 32 hex digits" if key is None else unfit(key)
    if why is not None:
        text = f"Secret {ref.name}, entry {ref.key} {why}"
        yield Problem(SECRET, Reason.ENTRY_INVALID, text, ref.name)
