"""The user's own keys of a mode, which a testbed copies into its own Secrets.

They are read until the copies are made, and never again: a server that is started anew would find
another key over data of the former one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from encbench.admission.modes import misfits
from encbench.api.columns import MekSecretRef
from encbench.api.encryptionmode import KeySecretRef
from encbench.api.kinds import SECRET
from encbench.api.lifecycle import ENTRY_INVALID, NOT_MARKED
from encbench.core.columns import layout
from encbench.engines.registry import engine
from encbench.kube.labels import KEY
from encbench.kube.secrets import entry
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed
from encbench.reconcile.testbed.consent import marked
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.troubles import Trouble


@dataclass(frozen=True)
class _Wanted:
    """A key that the user supplies."""

    ref: KeySecretRef | MekSecretRef
    copied: str
    """The entry of the testbed's own Secret."""
    unfit: Callable[[str], str | None]


async def observe(read: Reads, testbed: Testbed, seen: TestbedSeen) -> TestbedSeen:
    """What was seen, with the keys, or with the first thing that one of them lacks.

    The campaign was admitted with them, but they may be other objects by now, and not every Testbed
    need be written by the operator.
    """
    found: dict[str, str] = {}
    for wanted in _wanted(testbed):
        text, missing = await _read(read, testbed.namespace, wanted)
        if missing is not None:
            return replace(seen, missing=missing)
        found[wanted.copied] = text
    return replace(seen, keys=found)


def _wanted(testbed: Testbed) -> Iterator[_Wanted]:
    mode, file = testbed.spec.mode, engine(testbed.spec.instance.engine).key
    if mode.at_rest_key is not None and file is not None:
        yield _Wanted(mode.at_rest_key, file.name, file.unfit)
    if mode.mek_secret_ref is not None:
        yield _Wanted(mode.mek_secret_ref, layout.MEK, layout.unfit)


async def _read(read: Reads, namespace: str, wanted: _Wanted) -> tuple[str, Trouble | None]:
    name, key = wanted.ref.name, wanted.ref.key
    secret, why = await marked(read, SECRET, namespace, name, KEY)
    if secret is None:
        return "", Trouble(NOT_MARKED, why)
    if key not in (secret.get("data") or {}):
        why = f"Secret {name} has no entry {key} any more: add it again"
        return "", Trouble(ENTRY_INVALID, why)
    for why in misfits(secret, key, [wanted.unfit]):
        return "", Trouble(ENTRY_INVALID, why)
    return entry(secret, key) or "", None
