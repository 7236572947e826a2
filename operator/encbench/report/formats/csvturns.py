"""Interleaved blocks as CSV: an arm a line, a check a line, and every slot of every server."""

from collections.abc import Iterator, Sequence
from typing import Any

from encbench.api.overheadreport import Interval
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.document.interleaving import ServerWork
from encbench.report.document.trial import RoundView, SlotView, TrialView
from encbench.report.figures import JUDGED
from encbench.report.formats.csvrows import written

_PLACE = ("instance", "workload", "concurrency_threads")
_RATES = ("cores", "read_kib_per_second", "write_kib_per_second")
_WORK = (
    *_PLACE,
    "arm",
    "transactions",
    "transactions_without_latency",
    "server_cpu_ms_per_transaction_in_slices_geometric_mean",
    "server_cpu_ms_per_transaction_whole_block_geometric_mean",
    *(
        f"{stem}{part}"
        for stem in ("block_over_slices_minus_1", "block_over_slices_against_baseline_minus_1")
        for part in ("", "_ci95_low", "_ci95_high")
    ),
    *(f"server_{when}_{rate}" for rate in _RATES for when in ("running", "stopped")),
)
_CHECKS = (*_PLACE, "check", "arm", "figure", "value", "ci95_low", "ci95_high", "pairs", "formula")
_SLOTS = (
    *_PLACE,
    "block",
    "slot",
    "server_of_arm",
    "running_arm",
    "seconds",
    "server_cpu_seconds",
    "read_kib",
    "write_kib",
    "transactions",
    "counted_seconds",
    "counted_transactions",
    "counted_server_cpu_seconds",
    "counted_client_cpu_seconds",
    "counted_proxy_cpu_seconds",
)


def csv_work(report: Report) -> str:
    """One line per instance, workload, concurrency and arm: servers in own slots and in others'."""
    return written(
        _WORK,
        (
            (*_place(group), *_of_work(work))
            for group in report.groups
            if group.interleaving is not None
            for work in group.interleaving.work
        ),
    )


def csv_checks(report: Report) -> str:
    """One line per check: autocorrelation, carry-over, and interleaved minus solo."""
    return written(_CHECKS, (line for group in report.groups for line in _checks(group)))


def csv_slots(report: Report) -> str:
    """One line per slot of each server, also of those in which its clients were stopped."""
    trials = {trial.name: trial for trial in report.trials}
    return written(
        _SLOTS,
        (
            (*_place(group), *line)
            for group in report.groups
            for block in group.blocks
            if block.counted and not block.solo
            for line in _slots([trials[name] for name in block.trials])
        ),
    )


def _place(group: Group) -> tuple[Any, ...]:
    return group.instance, group.workload, group.concurrency


def _ends(found: Interval | None) -> tuple[float | None, ...]:
    return (found.estimate, found.low, found.high) if found else (None, None, None)


def _of_work(work: ServerWork) -> Iterator[Any]:
    yield from (work.arm, work.transactions, work.spanned, work.slices_cpu_ms, work.block_cpu_ms)
    yield from (*_ends(work.block_over_slices), *_ends(work.against_baseline))
    for rate in _RATES:
        yield from (getattr(work, f"{when}_{rate}") for when in ("running", "stopped"))


def _checks(group: Group) -> Iterator[tuple[Any, ...]]:
    turns, place = group.interleaving, _place(group)
    if turns is None:
        return
    for one in turns.neighbours:
        figure = turns.neighbours_figure
        for check, value, pairs in (
            ("autocorrelation_of_rounds", one.rounds, one.round_pairs),
            ("autocorrelation_of_observations", one.observations, one.observation_pairs),
        ):
            yield (*place, check, one.arm, figure, value, None, None, pairs, "lag_1")
    for carried in turns.carry_over:
        of, ends = (group.baseline.name, carried.figure), _ends(carried.change)
        formula = "after_another_mode_over_after_itself_minus_1"
        yield (*place, "carry_over_fraction", *of, *ends, None, formula)
    if turns.speed_spread is not None:
        figures = (turns.speed_spread, None, None, turns.speed_slices)
        formula = "standard_deviation_of_ln_speed"
        yield (*place, "speed_spread", None, None, *figures, formula)
    for solo in turns.solo:
        ends, sense = _ends(solo.difference), JUDGED[solo.figure].sense
        formula = f"interleaved_{sense}_minus_solo_{sense}"
        yield (*place, "interleaved_minus_solo", solo.arm, solo.figure, *ends, None, formula)


def _slots(trials: Sequence[TrialView]) -> Iterator[tuple[Any, ...]]:
    running = {one.slot: trial.arm for trial in trials for one in trial.rounds}
    for trial in trials:
        own = {one.slot: one for one in trial.rounds}
        for slot in trial.slots:
            yield (trial.block, *_slot(trial, slot, running.get(slot.slot), own.get(slot.slot)))


def _slot(
    trial: TrialView, slot: SlotView, running: str | None, own: RoundView | None
) -> Iterator[Any]:
    yield from (slot.slot, trial.arm, running, slot.seconds, slot.cpu_seconds)
    yield from (slot.read_kib, slot.write_kib)
    if own is None:
        yield from (None,) * 6
        return
    yield from (own.all_transactions, own.seconds, own.transactions)
    yield from (own.database_cpu_seconds, own.client_cpu_seconds, own.proxy_cpu_seconds)
