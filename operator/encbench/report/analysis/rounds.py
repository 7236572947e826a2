"""Observations of interleaved blocks: figures of batches of rounds."""

from collections.abc import Callable, Mapping, Sequence

from encbench.core.statistics.rounds import Amounts, batches, overall
from encbench.report.document.trial import RoundView, TrialView


def _cpu(part: str) -> Callable[[RoundView], Amounts | None]:
    """Milliseconds of its CPU by transactions; None where that is not known."""

    def amounts(one: RoundView) -> Amounts | None:
        used = getattr(one, f"{part}_cpu_seconds")
        return None if used is None else Amounts(1000 * used, one.transactions)

    return amounts


AMOUNTS: Mapping[str, Callable[[RoundView], Amounts | None]] = {
    "tps": lambda one: Amounts(one.transactions, one.seconds),
    "database_cpu_ms_per_transaction": _cpu("database"),
    "proxy_cpu_ms_per_transaction": _cpu("proxy"),
    "database_side_cpu_ms_per_transaction": _cpu("database_side"),
    "client_cpu_ms_per_transaction": _cpu("client"),
}
"""The figures that every slice has, by their field in a trial; others are of whole trials."""


def of_batches(
    field: str, by_arm: Mapping[str, TrialView], blocks: int
) -> list[dict[str, float]] | None:
    """A figure by arm for each batch of rounds of one block, one of `blocks`.

    None where the block is sequential or the figure is not one of slices; a batch in which an arm
    lacks it is left out.
    """
    counts = {len(trial.rounds) for trial in by_arm.values()}
    if field not in AMOUNTS or len(counts) != 1 or 0 in counts:
        return None
    found = []
    for batch in batches(counts.pop(), blocks):
        own = {arm: _overall(field, trial.rounds, batch) for arm, trial in by_arm.items()}
        known = {arm: value for arm, value in own.items() if value is not None}
        if len(known) == len(own):
            found.append(known)
    return found


def _overall(field: str, rounds: Sequence[RoundView], batch: range) -> float | None:
    amounts = [AMOUNTS[field](rounds[number]) for number in batch]
    known = [one for one in amounts if one is not None]
    return overall(known) if len(known) == len(amounts) else None
