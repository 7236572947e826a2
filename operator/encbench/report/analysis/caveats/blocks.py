"""Caveats about blocks and intervals: what the statistics cannot make good."""

from collections.abc import Iterator

from encbench.api.overheadreport import Interval
from encbench.core.records import IndexTrial
from encbench.report.analysis.caveats.facts import Facts, measured_seconds, note, serious
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.words import judgement, text
from encbench.text.words import plural

FEW_BLOCKS = 6
SHORT_WINDOW_SECONDS = 60.0
TOO_WIDE = 1.1
"""Half-width that was reached, as a multiple of the target."""
MANY_INVALID = 0.2
SHOWN_SETS = 3
"""Lost sets whose reason is said."""

_LATE = (
    " A deadline may be changed while a campaign runs and its figures can be read. The figures "
    "stand. Verdicts are wrong in at most 5 % only if the figures had no part in when it ended."
)
_AFTER_CHECKPOINT = (
    " On PostgreSQL each trial begins right after a checkpoint. A page's first change then puts "
    "the whole page into the write-ahead log (full_page_writes), so that this log and the CPU that "
    "encrypts it may be overstated, and writes of data pages understated."
)


def noise_floor(facts: Facts) -> Iterator[Caveat]:
    """A floor that hides the margin."""
    floors = [(g.noise_floor, g) for g in facts.groups if g.noise_floor is not None]
    wide = [(floor, group) for floor, group in floors if floor >= facts.spec.margin]
    if wide:
        floor, group = max(wide, key=lambda one: one[0])
        yield serious(
            title="The noise floor is wider than the margin",
            text="The interval of the baseline against itself reaches up to "
            f"±{text.floor_beside(facts.spec.margin, floor)}{_estimate(group, floor)}, and to the "
            f"margin of {text.margin(facts.spec.margin)} or beyond in {len(wide)} of "
            f"{plural(len(facts.groups), 'condition')}. Intervals are about as wide there, so that "
            "only a cost well above the margin shows. More blocks, longer windows or a quieter "
            "machine narrow them.",
        )


def _estimate(group: Group, floor: float) -> str:
    """` (its estimate is −0.1 %)`: of the reading whose bound is the floor, if it is at hand."""
    for one in (group.repeats.get(group.primary), group.placement):
        if one is not None and floor in (abs(one.low or 0.0), abs(one.high or 0.0)):
            return f" (its estimate is {text.signed_percent(one.estimate)})"
    return ""


def few_blocks(facts: Facts) -> Iterator[Caveat]:
    """Intervals that rest on few blocks."""
    # Of few interleaved blocks on the same testbeds, batches of rounds are the observations.
    batched = facts.spec.blocks.per_testbed == 0
    counts = [g.units for g in facts.groups if g.units and not (batched and g.rounds)]
    if counts and min(counts) < FEW_BLOCKS:
        sets = facts.spec.blocks.per_testbed > 1
        least = (
            f"{plural(min(counts), 'set')} of testbeds" if sets else plural(min(counts), "block")
        )
        yield note(
            title="Few sets of testbeds" if sets else "Few blocks",
            text=f"The smallest comparison rests on {least}. So few can "
            "neither show whether the differences are roughly normal nor average out a rare event.",
        )


def missing_blocks(facts: Facts) -> Iterator[Caveat]:
    """Fewer blocks than were planned."""
    short = [group for group in facts.groups if group.counted_blocks < group.planned_blocks]
    end = facts.end
    late = end is not None and end.reason == "DeadlineExceeded"
    if short:
        worst = min(short, key=lambda group: group.counted_blocks)
        why = f" It ended with {end.reason}: {end.message}." if end and not end.is_complete else ""
        yield serious(
            title="Fewer valid blocks than planned",
            text=f"{len(short)} of {plural(len(facts.groups), 'condition')} fell short; "
            f"{worst.place} has {worst.counted_blocks} of {worst.planned_blocks}. What keeps "
            f"trials from succeeding may also bias those that do.{why}{_LATE if late else ''}",
        )
    elif late:
        # Solo blocks are missing, or earlier campaigns make up for the blocks.
        yield serious(
            title="A deadline ended the campaign",
            text=f"activeDeadlineSeconds passed before all planned blocks were valid.{_LATE}",
        )


def many_invalid(facts: Facts) -> Iterator[Caveat]:
    """A large share of trials that did not count."""
    every: list[TrialView | IndexTrial] = [*facts.trials, *facts.unrecorded]
    bad = [trial for trial in every if trial.outcome != "Succeeded"]
    if every and len(bad) / len(every) > MANY_INVALID:
        reasons = judgement.by_reason(trial.reason for trial in bad)
        yield serious(
            title="Many trials did not succeed", text=f"{len(bad)} of {len(every)} ({reasons})."
        )


def precision_missed(facts: Facts) -> Iterator[Caveat]:
    """Intervals wider than the target."""
    if facts.spec.precision is None:
        return
    target = facts.spec.precision.target_half_width
    wide = [g for g in facts.groups if g.half_width is None or g.half_width > TOO_WIDE * target]
    if wide:
        worst = max(wide, key=lambda group: group.half_width or float("inf"))
        capped = any(g.block_plan is not None and g.block_plan.capped for g in wide)
        advice = "Raise blocks.max, or measure" if capped else "Measure"
        yield note(
            title="Intervals are wider than asked for",
            text=f"In {len(wide)} of {plural(len(facts.groups), 'condition')}; {worst.place}: "
            f"{worst.blocks_why}. {advice} longer windows on a quieter machine.",
        )


def one_placement(facts: Facts) -> Iterator[Caveat]:
    """Testbeds that were never rebuilt."""
    # All arms share an external database, so no placement differs between them.
    ours = [g for g in facts.groups if g.instance not in facts.external]
    known = [g.placement for g in ours if g.placement is not None]
    compared = any(g.comparisons for g in facts.groups)
    if known and compared and not facts.spec.blocks.per_testbed:
        worst = max(known, key=lambda interval: abs(interval.estimate))
        pooled = any(g.added_blocks for g in ours)
        several = pooled or any(trial.generation > 1 for trial in facts.counted)
        of = "the differences of all pooled campaigns" if pooled else "that one difference"
        yield note(
            title=f"Each mode ran on {'few testbeds' if several else 'one testbed'}",
            text="Where its pod and its data came to lie is part of the measured loss and not of "
            "its interval. The baseline mode's two testbeds differed by up to "
            f"{text.estimate(_size(worst), facts.spec.margin)}. The placement interval follows "
            f"from {of}, and a verdict needs it on its side as well. blocks.perTestbed builds "
            "testbeds anew every so many blocks, so that the ordinary interval contains their "
            "luck.",
        )


def _size(change: Interval) -> Interval:
    """The same difference, seen from the other side where that makes it a positive one."""
    if change.estimate >= 0:
        return change
    if change.low is None or change.high is None:
        return Interval(estimate=-change.estimate)
    return Interval(estimate=-change.estimate, low=-change.high, high=-change.low)


def lost_sets(facts: Facts) -> Iterator[Caveat]:
    """Sets of testbeds that were lost, with what that means for the blocks."""
    if not facts.lost_sets:
        return
    why = "; ".join(one.message for one in facts.lost_sets[:SHOWN_SETS])
    if len(facts.lost_sets) > SHOWN_SETS:
        why += f"; {len(facts.lost_sets) - SHOWN_SETS} more are in report.json"
    sets: dict[str, set[int]] = {}
    for trial in facts.counted_here:
        sets.setdefault(trial.cell, set()).add(trial.generation)
    most = max(map(len, sets.values()), default=0)
    moved = (
        f" Counted blocks of one instance ran on {most} sets. The arms of a block were compared on "
        "one set; intervals contain some of the luck of where the sets came to lie."
    )
    yield note(
        title="Testbeds were lost and built anew",
        text=f"{plural(len(facts.lost_sets), 'set')} of testbeds: {why}. A block that was under "
        "way on one of them does not count."
        f"{moved if most > 1 and not facts.spec.blocks.per_testbed else ''}",
    )


def several_comparisons(facts: Facts) -> Iterator[Caveat]:
    """Many intervals, each at 95 %."""
    count = sum(1 for g in facts.groups for c in g.comparisons if c.loss is not None)
    if count >= 2:
        yield note(
            title="Several comparisons",
            text=f"{count} intervals of conditions and modes stand side by side, each at 95 % for "
            "itself: about one in twenty misses its true value. Verdicts are corrected for the "
            "number of modes within a condition (Holm), not for that of conditions and figures.",
        )


def short_window(facts: Facts) -> Iterator[Caveat]:
    """Windows in which one burst matters."""
    known = [measured_seconds(trial) for trial in facts.counted if trial.window is not None]
    lengths = [seconds for seconds in known if seconds is not None]
    if lengths and min(lengths) < SHORT_WINDOW_SECONDS:
        postgresql = facts.on_postgresql
        waves = "Checkpoints, autovacuum" if postgresql else "Checkpoints"
        # The agent settles no server of others.
        settled = not postgresql.issubset(facts.external)
        yield note(
            title="Short windows",
            text=f"The shortest measured {text.number(min(lengths), 0)} s. {waves}, purges and "
            "flushing come in longer waves and may be missed or caught by chance."
            f"{_AFTER_CHECKPOINT if settled else ''}",
        )
