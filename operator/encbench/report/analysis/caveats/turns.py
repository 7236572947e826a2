"""Caveats about interleaved blocks: what their turns may have done to the figures."""

from collections.abc import Iterator

from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.document.interleaving import Interleaving, excludes_zero
from encbench.report.figures import JUDGED
from encbench.report.words import text
from encbench.text.words import listed

UNSTEADY = 0.05
"""Spread of speed between slices: less than 0.04 on a quiet day, 0.07 to 0.09 on a noisy one
(docs/design/0011)."""
TOO_LOW = 0.05
"""Of an arm's average latency: what may be missing. Where all threads are at work, the average by
Little's law is about that of the histogram but for the moments between two transactions."""


def _turns(facts: Facts) -> list[tuple[Group, Interleaving]]:
    return [(g, g.interleaving) for g in facts.groups if g.interleaving is not None]


def solo_differs(facts: Facts) -> Iterator[Caveat]:
    """Sequential blocks that give another answer."""
    found = [
        (group, check)
        for group, turns in _turns(facts)
        for check in turns.solo
        if excludes_zero(check.difference)
    ]
    if found:
        # Of several figures one may differ by chance.
        of_subject = any(check.figure == group.primary for group, check in found)
        differences = (
            f"{check.arm}, {JUDGED[check.figure].effect}: "
            f"{text.signed_points(check.difference)} ({group.place})"
            for group, check in found
        )
        yield (serious if of_subject else note)(
            title="Sequential blocks give another answer",
            text=f"Interleaved minus solo is {listed(differences)}, and the interval excludes "
            "zero. In an interleaved block all servers share the machine while one of them is "
            "measured; in a sequential one each client has it to itself.",
        )


def background_work(facts: Facts) -> Iterator[Caveat]:
    """CPU that servers use while their clients are stopped."""
    works = [(group, work) for group, turns in _turns(facts) for work in turns.work]
    uneven = [
        f"{work.arm} {text.signed_estimate(gap, 0.0)} ({group.place})"
        for group, work in works
        if (gap := work.against_baseline) and excludes_zero(gap)
        # Less changes no answer.
        if abs(gap.estimate) > facts.spec.margin / 2
    ]
    if uneven:
        yield serious(
            title="CPU per transaction depends on what is counted",
            text="Servers go on working while their clients are stopped. Taken over the whole "
            "block, CPU per transaction rises against the baseline's by more or less than in the "
            f"arms' own slices: {listed(uneven)}. The verdicts are about the slices; the tables of "
            "interleaved blocks have both.",
        )
        return
    alike = [
        f"{work.arm} {text.signed_estimate(work.block_over_slices, 0.0)}"
        for _, work in works
        if excludes_zero(work.block_over_slices)
    ]
    if alike:
        yield note(
            title="Servers work while their clients are stopped",
            text="CPU per transaction over the whole block differs from that in the arm's own "
            f"slices: {listed(dict.fromkeys(alike))}. No arm is shown to differ from the baseline "
            "in this by more than half the margin, so the comparison of arms stands; absolute "
            "figures lack the background work.",
        )


def alike_neighbours(facts: Facts) -> Iterator[Caveat]:
    """Observations that depend on each other."""
    found = [
        f"{one.arm} {text.number(one.observations, 2)} ({group.place})"
        for group, turns in _turns(facts)
        for one in turns.neighbours
        if one.matters
    ]
    if found:
        yield serious(
            title="Neighbouring observations are alike",
            text=f"Their autocorrelation is positive beyond chance: {listed(found)}. Intervals "
            "take observations to be independent, and may be too narrow here. With six blocks or "
            "more the block is the observation.",
        )


def carry_over(facts: Facts) -> Iterator[Caveat]:
    """Figures that depend on who ran before."""
    found = [
        f"{JUDGED[one.figure].phrase} {text.signed_estimate(one.change, 0.0)} ({group.place})"
        for group, turns in _turns(facts)
        for one in turns.carry_over
        if excludes_zero(one.change)
    ]
    if found:
        yield note(
            title="Who ran before shows",
            text="In slots after another mode's the baseline differs from its slots after each "
            f"other: {listed(found)}. What one arm leaves behind in caches, disk and background "
            "work then counts for the next. A verdict has to hold in spite of it. A longer "
            "blocks.interleave.settle leaves out more.",
        )


def unsteady(facts: Facts) -> Iterator[Caveat]:
    """A machine whose speed changes, where all transactions are of one kind and so show it."""
    found = [
        f"{text.percent(turns.speed_spread)} ({group.place})"
        for group, turns in _turns(facts)
        if facts.resolved.workloads[group.workload].sysbench is not None
        and (turns.speed_spread or 0.0) > UNSTEADY
    ]
    if found:
        yield note(
            title="The machine's speed changes",
            text="Server and client alike need more CPU for a transaction in one slice than in "
            f"the next; their common standard deviation is {listed(found)}. Something beside the "
            "campaign makes the CPU slower and faster, such as another tenant of its host or the "
            "clock frequency. Taking turns keeps what hits all arms alike out of the comparison, "
            "but not a frequency that follows how busy an arm keeps its cores, and intervals are "
            "wider than on a steady machine.",
        )


def spanned(facts: Facts) -> Iterator[Caveat]:
    """Slow transactions without a latency."""
    works = [(group, work) for group, turns in _turns(facts) for work in turns.work]
    low = [
        f"{work.arm} {text.percent(work.latency_too_low)} ({group.place})"
        for group, work in works
        if work.latency_too_low > TOO_LOW
    ]
    if low:
        yield serious(
            title="Latency leaves out interrupted transactions",
            text="By how many transactions were under way when their client was stopped, the "
            f"average latency is too low by at least {listed(low)}. Slow ones that a stop "
            "interrupts have no latency, so that the average and verdicts on it leave stalls out. "
            "Percentiles that they could move are left out. Longer slices interrupt fewer.",
        )
