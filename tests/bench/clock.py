"""CPU time of other processes, by the clocks that the kernel has for them."""

import time

CPUCLOCK_SCHED = 2
"""With a process's number it makes the clock that clock_getcpuclockid(3) gives for the process."""


def cpu_seconds(pid: int) -> float:
    """Of all its threads so far, in nanoseconds, where proc(5) counts ticks of 10 ms."""
    return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)
