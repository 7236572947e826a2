"""Whether the keys that modes take from Secrets exist and are well-formed."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts
from encbench.admission.references import not_found
from encbench.api.kinds import SECRET
from encbench.core.columns.layout import unfit
from encbench.core.problem import Problem, Reason
from encbench.engines.external import entries_of


def check(found: CampaignParts) -> Iterator[Problem]:
    """Keys at rest, then keys of columns. No message repeats a key."""
    for name, mode in found.modes.items():
        ref = mode.at_rest.key_secret_ref if mode.at_rest else None
        if ref is not None and ref.key not in found.entries(SECRET, ref.name):
            advice = "create it, or leave keySecretRef out to have a key generated"
            yield not_found(found, f"EncryptionMode {name}: ", SECRET, ref.name, advice, ref.key)
    for name, mode in found.modes.items():
        mek = mode.mek_secret_ref
        if mek is None:
            continue
        where = f"EncryptionMode {name}: "
        if mek.key not in found.entries(SECRET, mek.name):
            where += "columns.mekSecretRef: " if mode.columns else "driver.jar.keySecretRef: "
            advice = "create it with a key of 32 hex digits"
            advice += ", or leave mekSecretRef out to have a key generated" if mode.columns else ""
            yield not_found(found, where, SECRET, mek.name, advice, mek.key)
            continue
        key = entries_of(found.objects[SECRET, mek.name]).get(mek.key)
        why = "is not text: write 32 hex digits" if key is None else unfit(key)
        if why is not None:
            text = f"{where}Secret {mek.name}, entry {mek.key} {why}"
            yield Problem(SECRET, Reason.ENTRY_INVALID, text, mek.name)
