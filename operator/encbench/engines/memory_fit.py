"""How large a buffer pool a template's memory bears, with a workload's connections beside it.

A server that is asked for more is killed in the middle of a trial, after hours of loading; so it is
worked out before anything starts, from what was measured for each engine. All sizes are in bytes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions

KIBIBYTE, MEBIBYTE, GIBIBYTE = 2**10, 2**20, 2**30
LEAST = 16 * MEBIBYTE
"""The smallest pool."""
PAGES = 512
"""Bytes of memory for each byte of the page table of a process that touches it: 8 for 4 KiB."""


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The buffer pool of one server, and what the server takes beside it whatever its size."""

    server: str
    """The server's name in sentences."""
    setting: str
    unit: str
    """MiB in the server's own spelling of sizes."""
    parse: Callable[[str], int | None]
    """Bytes in a size as the server's file of settings has it; None for anything else."""
    counts: str
    """What a size without a unit is a number of."""
    beside: int
    """Taken beside the pool, at rest and under a few clients."""
    sessions: SessionMemory
    parts: int
    """The default is one part of the memory of so many."""
    load: int = 0
    """Taken beside the pool during a load, while no workload runs."""
    least_room: int = 0
    """For connections, where the template does not set the pool's size."""
    least_memory: int = 0
    """Memory below which the server does not start; 0 is unknown."""
    has_processes: bool = False
    """Whether each connection is a process, with a page table of its own for what it has touched of
    the pool. The table grows until the process ends."""

    def default(self, memory_bytes: int, connections: int = 0) -> str:
        """Less than its part where the rest would not hold the server and its connections."""
        room = max(connections * self.sessions.connection, self.least_room)
        rest = memory_bytes - self.beside - room
        if self.has_processes:
            # A third more than the tables take, which stays for what the connections prepare.
            rest = rest * PAGES // (PAGES + connections * 4 // 3)
        return f"{max(min(memory_bytes // self.parts, rest), LEAST) // MEBIBYTE}{self.unit}"

    def largest(self, memory_bytes: int) -> int:
        """The size above which the server would sooner or later run out of memory and be killed."""
        beside = max(self.beside, self.load)
        return max(min(int(memory_bytes * 0.8), memory_bytes - beside), LEAST)

    def least(self, instance: InstanceTemplateSpec) -> int:
        """Memory that holds the server, the pool that the template sets, and one connection."""
        size = max(self.parse(instance.settings.get(self.setting, "")) or 0, LEAST)
        return max(self.beside + size + self.sessions.connection, size * 5 // 4)

    def size(self, instance: InstanceTemplateSpec) -> Iterator[Problem]:
        """Whether the template sets a size that is one, and leaves the server enough."""
        own, value = instance.embedded.resources, instance.settings.get(self.setting)
        if value is None:
            return
        size, limit = self.parse(value), self.largest(own.memory_bytes)
        if size is None:
            example = self.default(own.memory_bytes)
            text = f"settings.{self.setting} is {value!r}: write a size such as {example}"
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, text)
        elif size < LEAST:
            least, example = f"{LEAST // MEBIBYTE}{self.unit}", self.default(own.memory_bytes)
            why = f" (without a unit it counts {self.counts})" if value.strip().isdigit() else ""
            text = (
                f"settings.{self.setting} of {value}{why} is too small for a measurement: write "
                f"{least} or more, such as {example}"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, text)
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
        pool = self._sized(instance, own.memory_bytes, sessions)
        if pool is None or pool > self.largest(own.memory_bytes):
            return
        takes = self._takes(pool, sessions)
        if self.beside + pool + takes <= own.memory_bytes:
            return
        enough, grown = own.memory_bytes, pool
        while enough < (needed := self.beside + grown + self._takes(grown, sessions)):
            # The default grows with the memory, but by less.
            enough = mebibytes(needed) * MEBIBYTE
            grown = self._sized(instance, enough, sessions) or pool
        rest = self._beside(own.memory_bytes, sessions)
        smaller = f"settings.{self.setting} of {rest // MEBIBYTE}{self.unit} or less, "
        # Only statements are prepared for each table. TPC-C's tables are fixed, and count none.
        fewer = "fewer tables, " if sessions.statements > 1 else ""
        text = (
            f"resources.memory of {own.memory} does not hold {sessions}, because {self.server} "
            f"takes about {mebibytes(takes):,} MiB for them beside its buffer pool of "
            f"{pool // MEBIBYTE:,} MiB: write memory of {mebibytes(enough)}Mi "
            f"or more, {smaller if rest >= LEAST else ''}{fewer}or a lower load.concurrency"
        )
        yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)

    def _takes(self, pool: int, sessions: Sessions) -> int:
        """What these take beside a pool of that size."""
        touched = pool if sessions.data is None else min(pool, sessions.data)
        tables = sessions.count * touched // PAGES if self.has_processes else 0
        return self.sessions.of(sessions) + tables

    def _beside(self, memory_bytes: int, sessions: Sessions) -> int:
        """The largest pool beside which these fit."""
        rest = memory_bytes - self.beside - self.sessions.of(sessions)
        if not self.has_processes:
            return rest
        touched = rest * PAGES // (PAGES + sessions.count)
        if sessions.data is None or touched <= sessions.data:
            return touched
        return rest - sessions.count * sessions.data // PAGES

    def _sized(
        self, instance: InstanceTemplateSpec, memory_bytes: int, sessions: Sessions
    ) -> int | None:
        """The pool in so much memory; None where the template's size is none."""
        default = self.default(memory_bytes, sessions.count)
        return self.parse(instance.settings.get(self.setting, default))


def mebibytes(size: int) -> int:
    """Rounded up."""
    return -(-size // MEBIBYTE)
