"""How long a trial's load lasts, and the slots of an interleaved block."""

from encbench.api.campaign import Interleave
from encbench.api.trial import TrialSpec, Turns
from encbench.api.workload import WorkloadSpec
from encbench.core.timetable import GUARD, timetable
from encbench.tools.gathering import gather_alone, gather_seconds
from encbench.wire.slices import OwnSlots, SlotTimes

MARGIN = 60
"""Seconds for which the load of a recovery workload would run on if its server were not stopped."""


def load_seconds(spec: TrialSpec) -> float:
    """From the tool's start to the end of its load; a recovery's ends before, with its server."""
    load = spec.workload.load
    length = load.duration_seconds if spec.turns is None else _turns_seconds(spec.turns) + GUARD
    return gather_seconds(spec) + load.warmup_seconds + length


def planned_seconds(
    workload: WorkloadSpec, threads: int, interleave: Interleave | None, arms: int
) -> float:
    """The same of a trial that is yet to be made or, with `interleave`, of its whole block."""
    load = workload.load
    if interleave is not None:
        return load.warmup_seconds + arms * arm_seconds(interleave) + GUARD
    return gather_alone(workload, threads) + load.warmup_seconds + load.duration_seconds


def arm_seconds(interleave: Interleave) -> float:
    """How long one arm's slots of a block last, with their guards."""
    return interleave.rounds * (interleave.slice_seconds + GUARD)


def _turns_seconds(turns: Turns) -> float:
    """From the end of the warm-up to the end of the last slot's guard, whatever the order."""
    return _slots(turns) * (turns.slice_seconds + GUARD)


def _slots(turns: Turns) -> int:
    """How many the block has, for which their order need not be drawn."""
    return turns.rounds * len(turns.trials)


def slot_times(spec: TrialSpec, turns: Turns) -> SlotTimes:
    """Where the slots lie; all trials of a block come to the same."""
    return SlotTimes(
        # The guard before the first slot, as before every other.
        warmup=spec.workload.load.warmup_seconds + GUARD,
        period=turns.slice_seconds + GUARD,
        slice=turns.slice_seconds,
        settle=turns.settle_seconds,
        slots=_slots(turns),
    )


def own_slots(spec: TrialSpec, turns: Turns, trial: str) -> OwnSlots:
    """The same with those that are this trial's."""
    drawn = timetable(rounds=turns.rounds, arms=len(turns.trials), seed=turns.seed)
    arm = turns.trials.index(trial)
    own = [slot for slot, turn in enumerate(drawn) if turn == arm]
    return OwnSlots(**slot_times(spec, turns), own=own)
