"""A template's settings by their names: whose each is, and whether the server knows it.

The sentences are the same for every engine; which names they are said of is the engine's.
"""

import difflib
from collections.abc import Callable, Iterator

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason

PLACES = "leave it out, because the operator places the server's files, sockets and ports itself"
MODE = "leave it out and describe the encryption in an EncryptionMode instead"
SERVES = "leave it out, because with it the server would not serve the benchmark"
CONNECTIONS = (
    "leave it out, because the operator makes room for the highest concurrency of the workloads"
)
SINGLE = "leave it out, because encbench measures a single server without replicas"

Owned = tuple[tuple[str, str], ...]
"""Patterns of names, separated by blanks, and what to do instead of setting one."""


def problems(
    instance: InstanceTemplateSpec,
    server: str,
    *,
    owned: Callable[[str], str | None],
    known: frozenset[str] | None,
    wrong: Callable[[str, str], str | None],
) -> Iterator[Problem]:
    """What is wrong with each setting.

    `owned` says what to do instead of setting one that belongs to the operator, `known` are the
    names that the version knows (None where no list of them exists), and `wrong` says what is wrong
    with a value.
    """
    for name, value in instance.settings.items():
        advice = owned(name)
        if advice is not None:
            text = f"settings.{name} belongs to the operator: {advice}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_RESERVED, text)
        elif known is not None and name not in known:
            allowed = sorted(setting for setting in known if owned(setting) is None)
            hint = _likely(name, allowed)
            text = f"settings.{name} is no setting of {server} {instance.version}: {hint}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_UNKNOWN, text)
        elif (advice := wrong(name, value)) is not None:
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, advice)


def _likely(name: str, allowed: list[str]) -> str:
    close = difflib.get_close_matches(name, allowed, n=1, cutoff=0.7)
    return f"write {close[0]} if that is what you mean" if close else "leave it out"
