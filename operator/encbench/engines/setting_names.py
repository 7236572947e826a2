"""A template's settings by their names: whose each is, and whether the server knows it.

The sentences are the same for every engine; which names they are said of is the engine's.
"""

import difflib
from collections.abc import Callable

from encbench.api.instancetemplate import InstanceTemplateSpec

PLACES = "leave it out, for the operator places the server's files, sockets and ports itself"
MODE = "leave it out and describe the encryption in an EncryptionMode instead"
SERVES = "leave it out, for with it the server would not serve the benchmark"
CONNECTIONS = (
    "leave it out, for the operator makes room for the highest concurrency of the workloads"
)
SINGLE = "leave it out, for encbench measures a single server without replicas"

Owned = tuple[tuple[str, str], ...]
"""Patterns of names, separated by blanks, and what to do instead of setting one."""


def problems(
    instance: InstanceTemplateSpec,
    server: str,
    *,
    owned: Callable[[str], str | None],
    known: frozenset[str] | None,
    value: Callable[[str, str], list[str]],
) -> list[str]:
    """What is wrong with each setting, in a sentence.

    `owned` says what to do instead of setting one that belongs to the operator, `known` are the
    names that the version knows (None where nobody has listed them), and `value` says what is wrong
    with a value.
    """
    found: list[str] = []
    for name, text in instance.settings.items():
        advice = owned(name)
        if advice is not None:
            found.append(f"settings.{name} belongs to the operator: {advice}")
        elif known is not None and name not in known:
            allowed = sorted(setting for setting in known if owned(setting) is None)
            hint = _likely(name, allowed)
            found.append(f"settings.{name} is no setting of {server} {instance.version}: {hint}")
        else:
            found += value(name, text)
    return found


def _likely(name: str, allowed: list[str]) -> str:
    close = difflib.get_close_matches(name, allowed, n=1, cutoff=0.7)
    return f"write {close[0]} if that is what you mean" if close else "leave it out"
