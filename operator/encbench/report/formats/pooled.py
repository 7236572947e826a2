"""A follow-up and the campaigns that it extends, side by side and pooled."""

from collections.abc import Iterable

from encbench.report.document import Report
from encbench.report.document.pooled import Part, PooledChange, Pooling
from encbench.report.figures import JUDGED
from encbench.report.formats.tables import INTERVAL, UNPAIRED, TableColumn, column
from encbench.report.words import text
from encbench.text.words import listed, plural


def title(pooling: Pooling) -> str:
    """The heading."""
    return f"Together with {_names(pooling)}"


def words(report: Report, pooling: Pooling) -> str:
    """What is pooled, and what the verdicts rest on."""
    names = _names(pooling)
    said = f"This campaign repeats the plan of {names} with blocks of its own."
    if pooling.why_not:
        return (
            f"{said} They are not pooled, because the machine is not the same: "
            f"{'; '.join(pooling.why_not)}."
        )
    waiting = [g.place for g in report.groups if g.counted_blocks < g.planned_blocks]
    if waiting:
        said += (
            f" Not pooled, because not all planned blocks are valid: {listed(waiting)}. A "
            "follow-up that ends early stands by itself."
        )
    if len(waiting) == len(report.groups):
        return said
    if not pooling.extensions:
        return f"{said} {_after_a_look(report)}"
    looks = plural(pooling.extensions + 1, "look")
    return (
        f"{said} The plan announced {plural(pooling.extensions, 'extension')} before the first "
        f"block was measured. {'Other figures' if waiting else 'Figures'} and verdicts of this "
        f"report are therefore of all blocks, and each of the {looks} is held to its part of the "
        "usual error (Bonferroni). Single trials, latency by percentile and what is said of turns "
        "are of this campaign alone, except who ran before. So are caveats about machines, data "
        "and trials that do not count; those about trials that count are of all campaigns."
    )


def _after_a_look(report: Report) -> str:
    """Of a follow-up that was not announced."""
    if not any(group.pooled for group in report.groups):
        return (
            "It was not announced before the first block was measured, so its figures are of its "
            "own blocks."
        )
    return (
        "Pooled after a look: whoever asked for more blocks had seen the first result, so verdicts "
        "are of this campaign's own blocks, and the pooled figures have none. Caveats are of this "
        "campaign alone."
    )


def compared(report: Report, pooling: Pooling) -> list[TableColumn]:
    """One line for each figure of each mode; without cells where nothing is pooled."""
    lines = [(group, one) for group in report.groups for one in group.pooled]
    names = [campaign.name for campaign in (*pooling.earlier, report.campaign)]
    found, margin = [one for _, one in lines], report.spec.margin
    return [
        column("", "condition", (group.place for group, _ in lines), numeric=False),
        column("", "mode", (one.arm for one in found), numeric=False),
        column("", "change", (JUDGED[one.figure].effect for one in found), numeric=False),
        *(
            made
            for n, name in enumerate(names)
            for made in _part(name, [o.parts[n] for o in found], margin)
        ),
        column(
            "last − earlier",
            UNPAIRED,
            (text.bounds_beside(0.0, o.difference, "points") for o in found),
        ),
        *_part("pooled", found, margin),
    ]


def _part(name: str, found: Iterable[Part | PooledChange], margin: float) -> Iterable[TableColumn]:
    known = list(found)
    yield column(name, "estimate", (text.signed_alone_beside(margin, it.change) for it in known))
    yield column(name, INTERVAL, (text.bounds_beside(margin, it.change) for it in known))
    yield column(name, "blocks", (f"{it.blocks:,}" for it in known))


def _names(pooling: Pooling) -> str:
    return listed(campaign.name for campaign in pooling.earlier)
