"""What turns may have done to the figures of one condition (`document.interleaving`).

Units are those of the comparison itself: sets of testbeds where these are built anew; else blocks
where there are enough, and batches of rounds where there are not (`core.statistics.rounds`).
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from statistics import fmean

from encbench.api.overheadreport import FigureKey, Interval
from encbench.core.statistics import interrupted
from encbench.core.statistics.intervals import Estimate, geometric_mean, of_ratios
from encbench.core.statistics.rounding import rounded, rounded_if_known
from encbench.core.statistics.rounds import (
    Amounts,
    Autocorrelation,
    batches,
    carry_over,
    common_spread,
    lag_one,
)
from encbench.report.analysis.pairs import Blocks, Pairs, interval
from encbench.report.analysis.rounds import AMOUNTS
from encbench.report.compare.difference import difference
from encbench.report.document.interleaving import (
    CarryOver,
    Interleaving,
    Neighbours,
    ServerWork,
    SoloCheck,
)
from encbench.report.document.trial import RoundView, SlotView, TrialView
from encbench.report.figures import BY_FIELD, JUDGED, TPS, JudgedFigure

NOTHING = Amounts(0.0, 0.0)
"""In place of a slot whose CPU is not known; no comparison uses such a round."""
ENOUGH_TRANSACTIONS = 200
"""The fewest that a slice needs to count for the spread of speed. Both CPU figures are divided by
their number: if there are few, those that a slice's edges cut look like a change of speed."""


CarryOvers = Mapping[FigureKey, Estimate]


def interleaving(
    pairs: Pairs, solo: Pairs, judging: Sequence[JudgedFigure], carried: CarryOvers
) -> Interleaving | None:
    """Of the interleaved blocks of a condition; None without one.

    `solo` are the sequential blocks beside them, `carried` what `carry_overs` gives of the blocks
    that verdicts rest on, with those of earlier campaigns where they are pooled.
    """
    whole = _whole(pairs)
    if not whole:
        return None
    figure = judging[0] if judging[0].field in AMOUNTS else TPS
    costs = _costs(whole)
    spread = common_spread(costs)
    return Interleaving(
        neighbours=tuple(_neighbours(pairs, whole, figure)),
        neighbours_figure=figure.key,
        carry_over=tuple(
            CarryOver(figure=key, change=interval(one, "increase")) for key, one in carried.items()
        ),
        work=tuple(_work(pairs, whole)),
        solo=tuple(_solo(pairs, solo, judging)),
        speed_spread=rounded_if_known(spread),
        speed_slices=sum(map(len, costs)),
    )


def carry_overs(pairs: Pairs) -> CarryOvers:
    """By figure, how much who ran before shows in the baseline."""
    blocks, names = _whole(pairs), [arm.name for arm in pairs.arms]
    same = [names.index(arm) for arm in (pairs.baseline, pairs.control)]
    turns = {number: _turns(names, by_arm) for number, by_arm in blocks.items()}
    kept = [number for number, order in turns.items() if order]
    orders, campaigns = [turns[n] for n in kept], [pairs.campaign(n) for n in kept]
    units = None if pairs.one_set else [pairs.unit(n) for n in kept]
    measured: dict[FigureKey, Estimate] = {}
    for figure in (JUDGED[key] for key in ("tps", "cpuPerTransaction", "clientCpuPerTransaction")):
        rounds = [
            [[_amounts(of[arm], number, figure) for arm in names] for number in range(_rounds(of))]
            for of in (blocks[n] for n in kept)
        ]
        found = carry_over(rounds, orders, same, campaigns, units)
        if found is not None:
            measured[figure.key] = found
    return measured


def _whole(pairs: Pairs) -> Blocks:
    """The blocks in which all arms have as many rounds."""
    return {number: of for number, of in pairs.blocks.items() if _rounds(of)}


def _rounds(by_arm: dict[str, TrialView]) -> int:
    """Of a block in which every arm has as many; else 0."""
    counts = {len(trial.rounds) for trial in by_arm.values()}
    return counts.pop() if len(counts) == 1 else 0


def _neighbours(pairs: Pairs, blocks: Blocks, figure: JudgedFigure) -> Iterator[Neighbours]:
    of_units = list(_units(pairs, figure))
    of_rounds = [list(_by_round(by_arm, figure)) for by_arm in blocks.values()]
    for arm in (arm.name for arm in pairs.arms if arm.name != pairs.baseline):
        units = lag_one(
            [[fmean(_against(pairs, one, arm) for one in unit) for unit in own] for own in of_units]
        )
        rounds = lag_one([[_against(pairs, values, arm) for values in own] for own in of_rounds])
        yield Neighbours(
            arm=arm,
            rounds=_value(rounds),
            round_pairs=rounds.pairs if rounds else 0,
            observations=_value(units),
            observation_pairs=units.pairs if units else 0,
            matters=units is not None and units.matters,
        )


def _units(pairs: Pairs, figure: JudgedFigure) -> Iterator[list[list[dict[str, float]]]]:
    """Series of independent units, each with all that was observed of it.

    The neighbours of a block, or of a set of testbeds, are other ones; those of a batch of rounds
    are in its block.
    """
    of_units: dict[Hashable, list[dict[str, float]]] = {}
    in_blocks: dict[int, list[list[dict[str, float]]]] = {}
    for one in pairs.observed(figure.field):
        of_units.setdefault(one.unit, []).append(one.values)
        in_blocks.setdefault(one.block, []).append([one.values])
    if pairs.one_set and any(len(own) > 1 for own in in_blocks.values()):
        yield from in_blocks.values()
    else:
        yield list(of_units.values())


def _by_round(by_arm: dict[str, TrialView], figure: JudgedFigure) -> Iterator[dict[str, float]]:
    """The figure by arm, for every round in which all arms have it."""
    for number in range(_rounds(by_arm)):
        found = {arm: _amounts(trial, number, figure) for arm, trial in by_arm.items()}
        if all(one.top > 0 and one.bottom > 0 for one in found.values()):
            yield {arm: one.top / one.bottom for arm, one in found.items()}


def _amounts(trial: TrialView, number: int, figure: JudgedFigure) -> Amounts:
    return AMOUNTS[figure.field](trial.rounds[number]) or NOTHING


def _against(pairs: Pairs, values: dict[str, float], arm: str) -> float:
    """Ln T - (ln A + ln A') / 2, or ln A' - ln A."""
    base = (pairs.baseline, pairs.control)
    plain = [math.log(values[one]) for one in base if one != arm]
    return math.log(values[arm]) - fmean(plain)


def _value(found: Autocorrelation | None) -> float | None:
    return None if found is None else rounded(found.value)


def _turns(names: Sequence[str], by_arm: dict[str, TrialView]) -> list[int]:
    """The arm of each slot of a block, as an index; empty if a slot has no arm."""
    owner = {one.slot: names.index(arm) for arm, t in by_arm.items() for one in t.rounds}
    complete = list(range(len(names) * _rounds(by_arm)))
    return [owner[slot] for slot in complete] if sorted(owner) == complete else []


def _work(pairs: Pairs, blocks: Blocks) -> Iterator[ServerWork]:
    more = list(_more_in_the_block(pairs, blocks))
    units = [unit for unit, _ in more]
    plain = (pairs.baseline, pairs.control)
    for arm in (arm.name for arm in pairs.arms):
        trials = [by_arm[arm] for by_arm in blocks.values()]
        whole = [trial.block_cpu_ms_per_transaction for trial in trials]
        known = [value for value in whole if value is not None]
        own = [ratios[arm] for _, ratios in more]
        apart = [ratios[arm] - fmean(ratios[one] for one in plain) for _, ratios in more]
        yield ServerWork(
            arm=arm,
            transactions=sum(one.transactions for trial in trials for one in trial.rounds),
            spanned=sum(trial.spanned or 0 for trial in trials),
            latency_too_low=_too_low(trials),
            slices_cpu_ms=pairs.own_mean(BY_FIELD["database_cpu_ms_per_transaction"], arm),
            block_cpu_ms=rounded(geometric_mean(known)) if len(known) == len(whole) else None,
            block_over_slices=_ratio(own, units),
            against_baseline=None if arm in plain else _ratio(apart, units),
            running_cores=_rate(trials, True, lambda slot: slot.cpu_seconds),
            stopped_cores=_rate(trials, False, lambda slot: slot.cpu_seconds),
            running_read_kib_per_second=_rate(trials, True, lambda slot: slot.read_kib),
            stopped_read_kib_per_second=_rate(trials, False, lambda slot: slot.read_kib),
            running_write_kib_per_second=_rate(trials, True, lambda slot: slot.write_kib),
            stopped_write_kib_per_second=_rate(trials, False, lambda slot: slot.write_kib),
        )


def _too_low(trials: Sequence[TrialView]) -> float:
    """What the average latency of these trials lacks because of stops, as a fraction, at least."""
    spanned, most, stops, seconds, transactions, waited = 0, 0, 0, 0.0, 0, 0.0
    for trial in trials:
        if trial.spanned is None or trial.latency_average_ms is None:
            return 0.0
        own = sum(one.transactions for one in trial.rounds)
        spanned += trial.spanned
        stops += len(trial.rounds) + 1
        most += (len(trial.rounds) + 1) * trial.concurrency
        seconds += sum(one.seconds for one in trial.rounds)
        transactions += own
        waited += trial.latency_average_ms * own
    whole = interrupted.whole_average_ms(spanned, max(1, stops), seconds, transactions)
    seen = waited / max(1, transactions)
    return rounded(interrupted.too_low(seen, whole, spanned, most))


def _costs(blocks: Blocks) -> list[list[tuple[float, float]]]:
    """By trial, ln of the server's and of the client's CPU a transaction in its slices.

    A slower machine needs more of both for the same work.
    """
    trials = [trial for by_arm in blocks.values() for trial in by_arm.values()]
    costs = [[cost for one in trial.rounds if (cost := _cost(one))] for trial in trials]
    return [slices for slices in costs if len(slices) > 1]


def _cost(one: RoundView) -> tuple[float, float] | None:
    server, client = (
        AMOUNTS[f"{who}_cpu_ms_per_transaction"](one) for who in ("database", "client")
    )
    if server is None or client is None or one.transactions < ENOUGH_TRANSACTIONS:
        return None
    if min(server.top, client.top) <= 0:
        return None
    return math.log(server.top / server.bottom), math.log(client.top / client.bottom)


def _ratio(logs: Sequence[float], units: Sequence[Hashable]) -> Interval | None:
    found = of_ratios(logs, units)
    return None if found is None else interval(found, "increase")


def _more_in_the_block(pairs: Pairs, blocks: Blocks) -> Iterator[tuple[Hashable, dict[str, float]]]:
    """By arm, ln of CPU a transaction over whole rounds by that in its slices; with its unit.

    Once for each observation; one in which an arm lacks it is left out.
    """
    for block, by_arm in blocks.items():
        for part, batch in enumerate(batches(_rounds(by_arm), len(pairs.blocks))):
            found = {arm: _more(trial, batch, len(by_arm)) for arm, trial in by_arm.items()}
            known = {arm: value for arm, value in found.items() if value is not None}
            if len(known) == len(found):
                yield pairs.unit_of(block, part), known


def _more(trial: TrialView, batch: range, arms: int) -> float | None:
    slots = {one.slot: one.cpu_seconds for one in trial.slots}
    own = [trial.rounds[number] for number in batch]
    inside = [one.database_cpu_seconds for one in own]
    all_of = [slots.get(slot) for slot in range(batch.start * arms, batch.stop * arms)]
    if None in inside or None in all_of:
        return None
    counted, whole = (sum(used for used in part if used) for part in (inside, all_of))
    transactions, everything = (
        sum(one.transactions for one in own),
        sum(one.all_transactions for one in own),
    )
    if min(counted, whole, transactions, everything) <= 0:
        return None
    return math.log(whole / everything) - math.log(counted / transactions)


def _rate(
    trials: Sequence[TrialView], running: bool, pick: Callable[[SlotView], float | None]
) -> float | None:
    """Per second over all slots in which the arm's clients ran, or in which they were stopped."""
    taken = []
    for trial in trials:
        own = {one.slot for one in trial.rounds}
        slots = (slot for slot in trial.slots if (slot.slot in own) is running)
        taken += [(slot.seconds, pick(slot)) for slot in slots]
    amounts = [amount for _, amount in taken if amount is not None]
    seconds = math.fsum(seconds for seconds, _ in taken)
    if len(amounts) < len(taken) or seconds <= 0:
        return None
    return rounded(math.fsum(amounts) / seconds)


def _solo(pairs: Pairs, solo: Pairs, judging: Sequence[JudgedFigure]) -> Iterator[SoloCheck]:
    for arm in (arm.name for arm in pairs.arms if arm.role == "treatment"):
        for figure in judging:
            here, there = pairs.change(figure, arm), solo.change(figure, arm)
            apart = difference(there, here)
            if here is not None and there is not None and apart is not None:
                yield SoloCheck(
                    arm=arm,
                    figure=figure.key,
                    blocks=len(solo.complete(figure.field)),
                    interleaved=here,
                    solo=there,
                    difference=_rounded(apart),
                )


def _rounded(found: Interval) -> Interval:
    low, high = map(rounded_if_known, (found.low, found.high))
    return Interval(estimate=rounded(found.estimate), low=low, high=high)
