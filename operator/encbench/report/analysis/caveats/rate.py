"""Caveats about loads that clients pace, by a rate or by think times."""

from collections.abc import Iterator, Sequence

from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.words import text
from encbench.text.words import listed, plural

STALLED_PERCENT = 1.0
"""Of the time in which a client ran, where a rate is offered and latency lacks what fell due
meanwhile. Linux throttles for up to 100 ms at a time, so that this share of transactions, each late
by half of that on average, is 0.5 ms of the average at most and just reaches the 99th
percentile."""

STEADY = {None, "performance", "userspace"}
"""Governors that set one frequency, and that of a machine that shows none."""


def stalled_client(facts: Facts) -> Iterator[Caveat]:
    """A client that stood still while transactions fell due, at a rate.

    sysbench takes the time of a transaction when it puts it into its queue, which it does late
    after a stall. Without a rate nothing is due while the client stands still.
    """
    rates = facts.resolved.workloads
    at_rate = [t for t in facts.counted if rates[t.workload].load.rate is not None]
    stalled = [most for t in at_rate if (most := t.throttled_percent or 0) > STALLED_PERCENT]
    if stalled:
        yield serious(
            title="Latency leaves out the client's own stalls",
            text=f"In {len(stalled)} of {plural(len(at_rate), 'counted trial')} at a load.rate the "
            f"client's CPU limit held it back for more than {text.number(STALLED_PERCENT, 0)} % of "
            f"the time, {text.number(max(stalled), 1)} % at most. Transactions that fell due "
            "meanwhile waited, and that wait is in no latency: average and tail are too low, more "
            "so in an arm whose client works harder. Give client.resources.cpu more.",
        )


def governed(facts: Facts) -> Iterator[Caveat]:
    """A clock frequency that follows how busy an arm keeps its cores, some idle at a rate.

    Without a rate every arm keeps them as busy as it can.
    """
    rates = facts.resolved.workloads
    at_rate = {t.uid for t in facts.counted if rates[t.workload].load.rate is not None}
    machines = [source.record.machine for source in facts.sources if source.trials & at_rate]
    found = {machine.cpu_governor for machine in machines} - STEADY
    if found:
        yield note(
            title="The clock frequency follows the load",
            text=f"The databases' CPUs have the governor {listed(sorted(map(str, found)))}. At a "
            "load.rate an arm that keeps its cores busier may run at a higher frequency, where a "
            "transaction takes less CPU time. CPU per transaction then shows less than what "
            "encryption adds, and so may latency. Set the governor of these nodes to performance.",
        )


def fixed_rate(facts: Facts) -> Iterator[Caveat]:
    """TPS that only shows the offered rate."""
    offered = [group for group in facts.groups if group.offered_tps is not None]
    fixed = [group for group in offered if group.primary != "recovery"]
    behind = [group for group in fixed if group.kept_up is False]
    told = fixed if behind else [group for group in fixed if group.kept_up]
    if not told:
        return
    names = listed(sorted({group.workload for group in told}))
    if behind:
        yield serious(
            title="An arm fell behind the offered rate",
            text=f"A fixed rate was offered, so TPS of {names} cannot exceed it, whatever the "
            f"mode costs. In {len(behind)} of {plural(len(fixed), 'such condition')} an arm did "
            f"not keep up, first in {behind[0].place}: latency there {_late(facts, behind[0])}."
            f"{_why_behind(behind)} Offer less.",
        )
    else:
        yield note(
            title="A fixed rate was offered",
            text=f"Every arm kept up with it, so that TPS of {names} is the same by design: the "
            "cost at equal work is CPU per transaction, and latency.",
        )


def _late(facts: Facts, group: Group) -> str:
    """What latency is where a rate was too high: only TPC-C counts from the actual start."""
    is_tpcc = facts.resolved.workloads[group.workload].tpcc is not None
    if is_tpcc:
        return "leaves out the wait for a late start"
    return "is that of a queue, and has no verdict"


def paced(facts: Facts) -> Iterator[Caveat]:
    """TPS that keying and think times decide, as long as no CPU does."""
    found = [group for group in facts.groups if group.paced]
    if not found:
        return
    free = ("Neither", "NotMeasured", None)
    full = [group for group in found if any(row.saturation not in free for row in group.rows)]
    names = listed(sorted({group.workload for group in found}))
    if full:
        yield serious(
            title="A paced load met a CPU limit",
            text=f"Keying and think times pace {names}, so TPS has no verdict. In {len(full)} of "
            f"{plural(len(found), 'such condition')} a CPU was near its limit, first in "
            f"{full[0].place}: TPS there may be what that CPU lets through, and latency that of a "
            "queue. Write a larger thinkTimeMultiplier.",
        )
    else:
        yield note(
            title="Think times paced the load",
            text=f"Keying and think times decide TPS of {names}, which would hardly change "
            "whatever the mode costs, so it has no verdict. The cost is CPU per transaction, and "
            "latency.",
        )


def _why_behind(behind: Sequence[Group]) -> str:
    """What TPS does not show, and what it does; each in a sentence."""
    said, arms = "", sorted({arm for group in behind for arm in group.queued})
    if arms:
        said = (
            f" Transactions of {listed(arms)} waited in the client when a window began or ended: "
            "the warm-up had left a backlog, which a longer load.warmup works off, or the queue "
            "grew."
        )
    unequal = any(group.equal_work is False for group in behind)
    return f"{said} The work was not equal." if unequal else said
