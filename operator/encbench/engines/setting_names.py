"""A template's settings by their names: whose each is, and whether encbench has seen it.

The server itself decides what it takes (`refusals.sh`). Refused here is what would break a proof or
a comparison. A name that is not in the engine's `settings.txt` is only worth a note, because that
list comes from one version of the server. The sentences are the same for every engine.
"""

import difflib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import facts

PLACES = "leave it out, because the operator places the server's files, sockets and ports itself"
MODE = "leave it out and describe the encryption in an EncryptionMode instead"
SERVES = "leave it out, because with it the server would not serve the benchmark"
CONNECTIONS = (
    "leave it out, because the operator makes room for the highest concurrency of the workloads"
)
SINGLE = "leave it out, because encbench measures a single server without replicas"

Owned = tuple[tuple[str, str], ...]
"""Patterns of names, separated by blanks, and what to do instead of setting one."""


class KnownSettings(NamedTuple):
    """What `settings.txt` of an engine's package holds."""

    server: str
    """The server that the names come from, such as `MySQL 9.7.4`."""
    names: frozenset[str]


@cache
def known_settings(package: str) -> KnownSettings:
    """The settings of the server that the list was generated from."""
    text = resources.files(f"encbench.engines.{package}").joinpath("settings.txt").read_text()
    head, _, names = text.partition("\n")
    return KnownSettings(head.removeprefix("# ").partition(":")[0], frozenset(names.split()))


def problems(
    instance: InstanceTemplateSpec,
    *,
    owned: Callable[[str], str | None],
    wrong: Callable[[str, str], str | None],
) -> Iterator[Problem]:
    """What is wrong with each setting.

    `owned` says what to do instead of setting one that belongs to the operator, and `wrong` what is
    wrong with a name or a value.
    """
    for name, value in instance.settings.items():
        advice = owned(name)
        if advice is not None:
            text = f"settings.{name} belongs to the operator: {advice}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_RESERVED, text)
        elif (advice := wrong(name, value)) is not None:
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, advice)


def unknown(instance: InstanceTemplateSpec) -> Iterator[Problem]:
    """A note on each setting that encbench does not know. The server may know it all the same."""
    server, names = known_settings(facts(instance.engine).package)
    for name in instance.settings:
        if name not in names:
            close = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.7)
            hint = f"; did you mean {close[0]}?" if close else ""
            text = f"settings.{name} is not known to {server}{hint}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_UNKNOWN, text)
