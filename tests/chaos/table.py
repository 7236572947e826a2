"""The final table: what was done, how long it took to recover, and what did not hold."""

from collections.abc import Sequence
from statistics import median

from tests.chaos.campaign import Outcome
from tests.chaos.course import Hit


def lines(outcomes: Sequence[Outcome]) -> list[str]:
    """The table as text."""
    hits = [hit for outcome in outcomes for hit in outcome.hits]
    found = [f"{'fault':32}{'put':>5}{'no target':>11}{'went on after':>22}"]
    for name in sorted({hit.name for hit in hits}):
        own = [hit for hit in hits if hit.name == name]
        put = [hit for hit in own if hit.target]
        found.append(f"{name:32}{len(put):5}{len(own) - len(put):11}{_times(put):>22}")
    put = [hit for hit in hits if hit.target]
    found.append(f"{'all':32}{len(put):5}{len(hits) - len(put):11}{_times(put):>22}")
    trials, replaced = (sum(getattr(o, n) for o in outcomes) for n in ("trials", "replaced"))
    found.append(f"campaigns {len(outcomes)}, trials {trials}, of which did not count {replaced}")
    violations = [f"{o.name}: {one}" for o in outcomes for one in o.violations]
    found.append(f"violations {len(violations)}")
    return [*found, *(f"  {one}" for one in violations)]


def _times(hits: Sequence[Hit]) -> str:
    """Median and maximum of the recoveries; a fault near the end of a campaign has none."""
    known = [hit.recovery for hit in hits if hit.recovery is not None]
    return f"{median(known):.0f} s, most {max(known):.0f} s" if known else "-"
