"""Whether overheads grew by more than a limit. A pipeline ends on it.

Growth is shown where the whole interval of B − A lies above the limit and luck of placement cannot
explain what is above it. It is ruled out where the whole interval lies below. Anything else remains
open, and a pipeline decides for itself what to do then.
"""

from dataclasses import dataclass

from encbench.report.compare.difference import ComparedReports, Delta, MatchedPair
from encbench.report.compare.likeness import decides


@dataclass(frozen=True)
class Judged:
    """A sentence for each figure that grew, and for each of which that remains open."""

    worse: tuple[str, ...]
    open: tuple[str, ...]


def unlike(compared: ComparedReports) -> list[str]:
    """What differs between the reports beyond what a pipeline compares; empty if nothing does."""
    return [
        f"{found.name}: {found.a} and {found.b}" for found in compared.differences if decides(found)
    ]


def judge(compared: ComparedReports, limit: float) -> Judged:
    """Every figure that either has, against a limit as a fraction; open where one lacks it.

    What B alone has, a condition or a mode, has nothing that it could have grown from.
    """
    worse: list[str] = []
    left: list[str] = []
    for pair in compared.pairs:
        if all(delta.a is None for delta in pair.deltas):
            left.append(f"open   {pair.condition.name}: A has no data")
            continue
        for delta in pair.deltas:
            if delta.a is None and delta.b is None:
                continue  # Such as latency under TPC-C.
            grew = _grew(delta, limit)
            if grew is not False:
                (worse if grew else left).append(_sentence(pair, delta, limit, grew))
    left += [f"open   {condition.name}: B does not have it" for condition in compared.only_a]
    return Judged(tuple(worse), tuple(left))


def _grew(delta: Delta, limit: float) -> bool | None:
    """Whether B − A exceeds the limit; None if that is open."""
    found = delta.difference
    if found is None or found.low is None or found.high is None or delta.luck is None:
        return None
    if found.low > limit and found.estimate - delta.luck > limit:
        return True
    return False if max(found.high, found.estimate + delta.luck) <= limit else None


def _sentence(pair: MatchedPair, delta: Delta, limit: float, grew: bool | None) -> str:
    what = f"the {delta.figure.sense} of {delta.figure.phrase}"
    more = f"grew by more than {100 * limit:g} percentage points"
    if grew:
        return f"worse  {pair.condition.name}: {what} {more}"
    sides = (("A", delta.a), ("B", delta.b))
    lacks = next((f" ({name} lacks it)" for name, it in sides if it is None), "")
    return f"open   {pair.condition.name}: whether {what} {more}{lacks}"
