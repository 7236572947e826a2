"""What limited the throughput of an arm: how near client and server came to their CPU limits.

With a closed loop (each thread sends its next transaction when the last one is answered) the
bottleneck determines TPS. Where that is the server's CPU, TPS shows the CPU that
encryption takes; where it is the client, or latency alone, TPS hides it (Jain, The Art of Computer
Systems Performance Analysis, 1991, section 33.6, bottleneck analysis).
"""

import math

from encbench.api.overheadreport import Saturation

DATABASE_NEAR_LIMIT = 90.0
"""Percent of its CPU limit from which a server counts as saturated over a window."""
CLIENT_NEAR_LIMIT = 80.0
"""The same for a client, which saturates earlier: its few threads wake in bursts, so a mean of 80 %
over seconds contains many tenths of a second at the limit."""
UNENFORCED = 105.0
"""Percent of a CPU limit above which the node cannot have enforced it: the kernel lets nothing
exceed its quota by more than a period of a tenth of a second, and a window is known to 2 %."""
KEPT_UP = 0.98
"""Share of an offered rate that arms must reach for their work to count as equal."""
CHANCE = 3.0
"""Standard deviations of what arrived by which an arm may miss that share."""
MOST = 0.25
"""The most that they may be: below some hundred transactions it is hardly known."""

WAITED = 0.05
"""Seconds of an offered rate's arrivals that may wait at an edge of a window. A backlog of that
size, which a server with a tenth of its capacity to spare works off in half a second, adds 0.2 ms
to the average latency of a minute."""
LUCK = 20
"""Transactions that may wait in each client beside those, because arrivals come in bunches. How
many do depends on the share of its capacity that the server has to spare, hardly on the rate: in
simulated trials of exponential service times no queue was longer than the limit where the server
had 30 % to spare, 0 to 3 % were with 20 %, 1 to 16 % with 10 %, and 55 to 73 % with 1.5 %."""

PROXY_NEAR_LIMIT = 90.0
"""The same for a confidential proxy."""
VOLUME_NEAR_LIMIT = 90.0
"""The same for a file system in the database's pod."""
NODE_NEAR_LIMIT = 95.0
"""Percent of a node's cores, used or taken by the hypervisor, from which it has none left: what
waits for a core then waits for others, though no limit of its own holds it back."""


def saturation(
    database_percent: float | None,
    client_percent: float | None,
    proxy_percent: float | None,
    volume_percent: float | None = None,
    node_percent: float | None = None,
) -> Saturation:
    """From the means over the window, in percent of the limits; the server's limit goes first.

    None for a proxy or a file system that is not. `node_percent` is of the fullest node's cores,
    and goes last. A limit that was not enforced limits nothing, and what did is not known then.
    """
    if database_percent is None or client_percent is None:
        return "NotMeasured"
    known = (database_percent, client_percent, proxy_percent or 0.0, volume_percent or 0.0)
    if max(known) > UNENFORCED:
        return "NotMeasured"
    database = database_percent >= DATABASE_NEAR_LIMIT
    client = client_percent >= CLIENT_NEAR_LIMIT
    if database and client:
        return "Both"
    if database or client:
        return "DatabaseBound" if database else "ClientBound"
    is_full = node_percent is not None and node_percent >= NODE_NEAR_LIMIT
    return next(iter(beside(proxy_percent, volume_percent)), "NodeBound" if is_full else "Neither")


def beside(proxy_percent: float | None, volume_percent: float | None) -> tuple[Saturation, ...]:
    """What beside the server was near its own limit, whatever else was; from the same means."""
    found: list[Saturation] = []
    if proxy_percent is not None and PROXY_NEAR_LIMIT <= proxy_percent <= UNENFORCED:
        found.append("ProxyBound")
    if volume_percent is not None and VOLUME_NEAR_LIMIT <= volume_percent <= UNENFORCED:
        found.append("VolumeBound")
    return tuple(found)


def kept_up(tps: float, offered: float, seconds: float) -> bool:
    """Whether an arm did the work that was offered, from its mean TPS over all its windows.

    sysbench offers transactions at random intervals (a Poisson process), so that of n expected ones
    n ± √n arrive. At 10 a second in six windows of 60 s that alone takes TPS 2 % below the rate in
    one arm of nine. Without seconds, as for a client whose arrivals do not scatter, it is that
    share alone.
    """
    expected = offered * seconds
    chance = min(CHANCE / math.sqrt(expected), MOST) if expected > 0 else 0.0
    return tps >= (KEPT_UP - chance) * offered


def has_queue(queue: tuple[int, int], offered: float, threads: int, clients: int) -> bool:
    """Whether more transactions waited at a window's begin or end than arrivals' luck explains.

    `queue` are those two numbers, over all clients. Latency contains the time in the queue. One
    that was there at the begin is what the warm-up left undone; TPS is then above the rate. One
    that is there at the end goes on growing, so that latency depends on the window's length. As
    many as there are threads may wait, because these often become free together.
    """
    return max(queue) > WAITED * offered + threads + LUCK * clients
