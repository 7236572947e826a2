"""Whether a template's memory holds a workload's connections beside the buffer pool.

A server that is asked for more is killed in the middle of a trial, after hours of loading; so it is
worked out before anything starts, from what was measured for each engine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from encbench.api.base import Resources
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Need:
    """What a server of one template takes, in bytes."""

    server: str
    """The server's name in sentences."""
    setting: str
    """The setting of its buffer pool."""
    beside: int
    """At rest, beside its pool."""
    pool: int
    least_pool: int
    unit: str
    """MiB in the server's own spelling of sizes."""
    memory: SessionMemory


def problems(instance: InstanceTemplateSpec, need: Need, sessions: Sessions) -> Iterator[Problem]:
    """Whether the template's memory holds these sessions beside the pool."""
    own = instance.embedded.resources
    takes = need.memory.of(sessions)
    if need.beside + need.pool + takes <= own.memory_bytes:
        return
    rest = own.memory_bytes - need.beside - takes
    smaller = f"{need.setting} of {rest // MEBIBYTE}{need.unit} or less, "
    whole = -(-(need.beside + need.pool + takes) // MEBIBYTE)
    yield Problem(
        INSTANCE_TEMPLATE,
        Reason.MEMORY_TOO_SMALL,
        f"resources.memory of {own.memory} does not hold {sessions}, for which {need.server} takes "
        f"about {-(-takes // MEBIBYTE):,} MiB beside its buffer pool of "
        f"{need.pool // MEBIBYTE:,} MiB: write memory of {whole}Mi or more, "
        f"{smaller if rest >= need.least_pool else ''}fewer tables, or a lower load.concurrency",
    )


def pool_too_large(own: Resources, setting: str, limit: str) -> Problem:
    """The pool leaves too little of the memory for the rest of the server."""
    return Problem(
        INSTANCE_TEMPLATE,
        Reason.MEMORY_TOO_SMALL,
        f"{setting} leaves the server too little of its {own.memory} of memory: write {limit} or "
        "less, or raise resources.memory",
    )
