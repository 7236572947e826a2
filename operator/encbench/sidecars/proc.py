"""`/proc/<pid>/stat` as agent and recorder read it.

The recorder's start is dead time, so this imports next to nothing.
"""

from typing import NamedTuple

NAME_LENGTH = 15
"""The kernel cuts names of processes to this many bytes."""

CPU_STATS = (
    "sys/fs/cgroup/cpu.stat",
    "sys/fs/cgroup/cpu,cpuacct/cpu.stat",
    "sys/fs/cgroup/cpu/cpu.stat",
)
"""Where a container has what the kernel counts of its CPU limit: version 2 of cgroups, then 1."""


class ProcessStat(NamedTuple):
    """The fields that the sidecars read; times are in ticks of 10 ms."""

    process_id: int
    name: bytes
    state: bytes
    parent: int
    own_ticks: int
    ended_ticks: int
    """CPU time of children that were waited for."""
    start_ticks: int
    """Start by the boot clock."""
    resident_pages: int

    @property
    def is_alive(self) -> bool:
        """Whether the process runs; one that has ended and was not waited for does not."""
        return self.state not in (b"Z", b"X")


def parse_stat(text: bytes) -> ProcessStat:
    """Source: proc(5). The name stands in brackets and may itself hold brackets and blanks."""
    head, _, tail = text.rpartition(b") ")
    process_id, _, name = head.partition(b" (")
    fields = tail.split()
    places = (1, 11, 12, 13, 14, 19, 21)
    parent, user, system, *ended, start, resident = (int(fields[place]) for place in places)
    return ProcessStat(
        process_id=int(process_id),
        name=name,
        state=fields[0],
        parent=parent,
        own_ticks=user + system,
        ended_ticks=sum(ended),
        start_ticks=start,
        resident_pages=resident,
    )
