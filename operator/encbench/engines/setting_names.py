"""A template's settings by their names: whose each is, and whether encbench has seen it.

The server itself decides what it takes (`shared.sh`). Refused here is what would break a proof or
a comparison. A name that is not in the engine's `settings.txt` is only worth a note, because that
list comes from one version of the server. The sentences are the same for every engine.
"""

import difflib
import fnmatch
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import Sessions
from encbench.engines.facts import facts
from encbench.engines.memory_fit import Pool, mebibytes

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


@dataclass(frozen=True, kw_only=True)
class SettingsFile:
    """What a template may put into one server's file of settings."""

    belong: Owned
    """Settings that belong to the operator."""
    wrong: Callable[[str, str], str | None]
    """What is wrong with a name or a value."""
    pool: Callable[[InstanceTemplateSpec], Pool]
    matches: Callable[[str, str], bool] = fnmatch.fnmatchcase
    """Whether a name stands for a setting of that pattern."""

    def owned(self, name: str) -> str | None:
        """What to do instead of setting this; None for a setting that a template may set."""
        for patterns, advice in self.belong:
            if any(self.matches(name, pattern) for pattern in patterns.split()):
                return advice
        return None

    def problems(self, instance: InstanceTemplateSpec) -> Iterator[Problem]:
        """What is wrong with each setting, and with the memory for the server's pool."""
        yield from _judged(self, tuple(instance.settings.items()))
        own, pool = instance.embedded.resources, self.pool(instance)
        if own.memory_bytes < pool.least_memory:
            text = (
                f"resources.memory of {own.memory} is too little for {pool.server} with "
                f"these settings: write {mebibytes(pool.least(instance))}Mi or more"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)
        elif self.wrong(pool.setting, instance.settings.get(pool.setting, "")) is None:
            yield from pool.size(instance)

    def room(self, instance: InstanceTemplateSpec, sessions: Sessions) -> Iterator[Problem]:
        """Whether the template's memory holds these beside its pool."""
        return self.pool(instance).room(instance, sessions)


@lru_cache(maxsize=64)
def _judged(file: SettingsFile, settings: tuple[tuple[str, str], ...]) -> tuple[Problem, ...]:
    """What is wrong with each setting of a template, which meets many modes in a campaign."""
    found = []
    for name, value in settings:
        if (advice := file.owned(name)) is not None:
            text = f"settings.{name} belongs to the operator: {advice}"
            found.append(Problem(INSTANCE_TEMPLATE, Reason.SETTING_RESERVED, text))
        elif (advice := file.wrong(name, value)) is not None:
            found.append(Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, advice))
    return tuple(found)


def unknown(instance: InstanceTemplateSpec) -> Iterator[Problem]:
    """A note on each setting that encbench does not know. The server may know it all the same."""
    server, names = known_settings(facts(instance.engine).package)
    for name in instance.settings:
        if name not in names:
            close = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.7)
            hint = f"; did you mean {close[0]}?" if close else ""
            text = f"settings.{name} is not known to {server}{hint}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_UNKNOWN, text)
