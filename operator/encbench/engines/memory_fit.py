"""Whether a template's memory holds the buffer pool, and a workload's connections beside it.

A server that is asked for more is killed in the middle of a trial, after hours of loading; so it is
worked out before anything starts, from what was measured for each engine.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Pool:
    """The buffer pool of one server, and what the server takes beside it; in bytes."""

    server: str
    """The server's name in sentences."""
    setting: str
    unit: str
    """MiB in the server's own spelling of sizes."""
    beside: int
    """What the server takes at rest, beside its pool."""
    least: int
    sessions: SessionMemory
    default: Callable[[int, int], str]
    """Its size for so much memory and so many connections."""
    largest: Callable[[int], int]
    """The size above which the server would be killed."""
    parse: Callable[[str], int | None]
    """Bytes in a size as the server's file of settings has it; None for anything else."""

    def size(self, instance: InstanceTemplateSpec) -> Iterator[Problem]:
        """Whether the template sets a size that is one, and leaves the server enough."""
        own, value = instance.embedded.resources, instance.settings.get(self.setting)
        if value is None:
            return
        size, limit = self.parse(value), self.largest(own.memory_bytes)
        if size is None:
            text = f"is {value!r}: write a size such as {self.default(own.memory_bytes, 0)}"
            yield Problem(
                INSTANCE_TEMPLATE, Reason.SETTING_INVALID, f"settings.{self.setting} {text}"
            )
        elif size > limit:
            text = (
                f"settings.{self.setting} of {value} leaves the server too little of its "
                f"{own.memory} of memory: write {limit // MEBIBYTE}{self.unit} or less, or raise "
                "resources.memory"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)

    def room(self, instance: InstanceTemplateSpec, sessions: Sessions) -> Iterator[Problem]:
        """Whether the memory holds these beside the pool; asked of a valid size alone."""
        own = instance.embedded.resources
        default = self.default(own.memory_bytes, sessions.count)
        pool = self.parse(instance.settings.get(self.setting, default))
        takes = self.sessions.of(sessions)
        if pool is None or pool > self.largest(own.memory_bytes):
            return
        if self.beside + pool + takes <= own.memory_bytes:
            return
        rest = own.memory_bytes - self.beside - takes
        smaller = f"settings.{self.setting} of {rest // MEBIBYTE}{self.unit} or less, "
        whole = -(-(self.beside + pool + takes) // MEBIBYTE)
        text = (
            f"resources.memory of {own.memory} does not hold {sessions}, because {self.server} "
            f"takes about {-(-takes // MEBIBYTE):,} MiB for them beside its buffer pool of "
            f"{pool // MEBIBYTE:,} MiB: write memory of {whole}Mi or more, "
            f"{smaller if rest >= self.least else ''}fewer tables, or a lower load.concurrency"
        )
        yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)
