"""What is wrong with a template's settings, said before anything starts.

An option file is forgiving in ways that a benchmark cannot be: it takes an unambiguous beginning
for the whole name, and `loose_`, `skip_`, `enable_`, `disable_` and `maximum_` before a name. Each
of these could slip past a list of forbidden names, so names are compared without the prefix, and a
beginning of a forbidden name counts as that name.
"""

import fnmatch
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import Sessions
from encbench.engines import memory_fit, setting_names
from encbench.engines.innodb.settings import LEAST_POOL, MEBIBYTE, Memory

BINLOG = (
    "leave it out, because the binary log is on in every arm so that its encryption is measured"
)
PLAINTEXT = (
    "leave it out, because it writes statements in plaintext, which no proof of TDE can accept"
)
PLUGINS = "leave it out, because the encryption mode decides which plugins are loaded"
FILES = "leave it out, because the proofs look for their marker in uncompressed files, one a table"

POOL = "innodb_buffer_pool_size"
MOST_STATEMENTS = "1048576"
"""Prepared statements of all sessions together: the most that every version takes. By default it is
16,382, which sysbench is past at 15 threads on 128 tables."""

_PREFIXES = re.compile(r"^((loose|skip|enable|disable|maximum)_)+")
_SIZE = re.compile(r"([0-9]+)([KMGTPE]?)", re.IGNORECASE)
_UNITS = {unit: 2 ** (10 * power) for power, unit in enumerate(["", "K", "M", "G", "T", "P", "E"])}
_KUBERNETES_SIZE = re.compile(r"([0-9]+)([KMGTPE])i")
_BAD_VALUE = re.compile(r"[\x00-\x1f\x7f#]")


@dataclass(frozen=True)
class OptionFile:
    """What one server's option file may hold."""

    server: str
    """The server's name in sentences."""
    belong: setting_names.Owned
    """Settings that belong to the operator."""
    package: str
    """The engine's package, which lists the names that we know."""
    memory: Callable[[InstanceTemplateSpec], Memory]
    """What a server of this template takes beside its pool."""

    def owned(self, name: str) -> str | None:
        """What to do instead of setting this; None for a setting that a template may set."""
        bare = _PREFIXES.sub("", name)
        for patterns, advice in self.belong:
            for pattern in patterns.split():
                if fnmatch.fnmatchcase(bare, pattern) or pattern.startswith(bare):
                    return advice
        return None

    def problems(self, instance: InstanceTemplateSpec) -> Iterator[Problem]:
        """What is wrong with the template's settings."""
        yield from setting_names.problems(instance, owned=self.owned, wrong=self._wrong)
        own, pool = instance.embedded.resources, self._pool(instance)
        if own.memory_bytes < pool.beside + pool.least:
            text = (
                f"resources.memory of {own.memory} is too little for {self.server} with "
                f"these settings: write {-(-(pool.beside + pool.least) // MEBIBYTE)}Mi or more"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)
        elif self._wrong(POOL, instance.settings.get(POOL, "")) is None:
            yield from pool.size(instance)

    def room(self, instance: InstanceTemplateSpec, sessions: Sessions) -> Iterator[Problem]:
        """Whether the template's memory holds these beside its pool."""
        return self._pool(instance).room(instance, sessions)

    def _pool(self, instance: InstanceTemplateSpec) -> memory_fit.Pool:
        needs = self.memory(instance)
        return memory_fit.Pool(
            server=self.server,
            setting=POOL,
            unit="M",
            beside=needs.beside_pool,
            least=LEAST_POOL,
            sessions=needs.sessions,
            default=needs.default_pool,
            largest=needs.largest_pool,
            parse=parse_size,
        )

    def _wrong(self, name: str, value: str) -> str | None:
        if name.startswith("loose_"):
            return f"settings.{name}: leave loose_ out, because with it a mistake goes unnoticed"
        whole = self._whole(name)
        if whole is not None:
            return (
                f"settings.{name}: write {whole} in full, because the server would take this "
                "beginning for it"
            )
        if _BAD_VALUE.search(value):
            return (
                f"settings.{name} holds a line break, a control character or #: write one plain "
                "line, because the option file would end or change there"
            )
        size = _KUBERNETES_SIZE.fullmatch(value)
        if size is not None:
            right = f"{size[1]}{size[2]}"
            return f"settings.{name}: write {right}, as {self.server} does, instead of {value}"
        return None

    def _whole(self, name: str) -> str | None:
        """The setting that begins with this name: MySQL and MariaDB complete it."""
        names = setting_names.known_settings(self.package).names
        if name in names:
            return None
        return min((known for known in names if known.startswith(name)), default=None)


def parse_size(text: str) -> int | None:
    """Bytes in a size as an option file has it, such as 256M; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(match[1]) * _UNITS[match[2].upper()]
