"""Tables about interleaved blocks: what turns may have done to the figures, and solo blocks beside.

Markdown and the page both draw these.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from encbench.report.document.group import Group
from encbench.report.document.interleaving import Interleaving, Neighbours, ServerWork, SoloCheck
from encbench.report.figures import JUDGED
from encbench.report.formats.tables import INTERVAL, UNPAIRED, TableColumn, Titled, column
from encbench.report.words import text

HOW = (
    "Servers go on working while their clients are stopped, so CPU per transaction is given in the "
    "arm's own slices and over the whole block: all of the server's CPU by all of its "
    "transactions. Autocorrelation is that of neighbours (lag 1) in ln arm/baseline; intervals "
    "take observations to be independent. Transactions that a stop interrupted count, but have no "
    "latency."
)
"""How to read these tables; the page shows it as well."""


def interleaved(groups: Sequence[Group], margin: float) -> list[Titled]:
    """Every table about these conditions; none where all blocks are sequential."""
    found = [(group, group.interleaving) for group in groups if group.interleaving is not None]
    if not found:
        return []
    tables = [
        ("Servers in their own slices and in others'", _work(found)),
        ("Latency without interrupted transactions", _spanned(found)),
        ("Neighbours", _neighbours(found)),
        ("Who ran before", _carry_over(found)),
        ("Interleaved blocks minus solo blocks", _solo(found, margin)),
    ]
    return [(title, columns) for title, columns in tables if columns[0].cells]


Found = Sequence[tuple[Group, Interleaving]]


def _threads(groups: Iterable[Group]) -> TableColumn:
    return column("", "threads", (f"{group.concurrency:,}" for group in groups))


def _work(found: Found) -> list[TableColumn]:
    lines = [(group, work) for group, turns in found for work in turns.work]
    works = [work for _, work in lines]
    cpu = "server CPU, ms per transaction"
    return [
        _threads(group for group, _ in lines),
        column("", "arm", (work.arm for work in works), numeric=False),
        column(cpu, "in its slices", (text.number(one.slices_cpu_ms, 3) for one in works)),
        column(cpu, "whole block", (text.number(one.block_cpu_ms, 3) for one in works)),
        column(
            cpu,
            "increase = block/slices − 1",
            (text.signed_alone_beside(0.0, one.block_over_slices) for one in works),
        ),
        column(cpu, INTERVAL, (text.bounds_beside(0.0, one.block_over_slices) for one in works)),
        column(
            cpu,
            "against baseline",
            (text.signed_alone_beside(0.0, one.against_baseline) for one in works),
        ),
        column(cpu, INTERVAL, (text.bounds_beside(0.0, one.against_baseline) for one in works)),
        *_rates("server CPU, cores", works, "cores", 3),
        *_rates("read from disk, KiB/s", works, "read_kib_per_second", 1),
        *_rates("written to disk, KiB/s", works, "write_kib_per_second", 1),
    ]


def _rates(
    group: str, works: Sequence[ServerWork], field: str, digits: int
) -> Iterator[TableColumn]:
    for heading, when in (("own slots", "running"), ("stopped", "stopped")):
        values = (getattr(work, f"{when}_{field}") for work in works)
        yield column(group, heading, (text.number(value, digits) for value in values))


def _spanned(found: Found) -> list[TableColumn]:
    lines = [(group, work) for group, turns in found for work in turns.work]
    return [
        _threads(group for group, _ in lines),
        column("", "arm", (work.arm for _, work in lines), numeric=False),
        column("", "transactions", (f"{work.transactions:,}" for _, work in lines)),
        column("", "without latency", (f"{work.spanned:,}" for _, work in lines)),
        column("", "share", (text.percent(work.spanned_share, 2) for _, work in lines)),
        column(
            "",
            "average too low by, at least",
            (text.percent(work.latency_too_low) for _, work in lines),
        ),
    ]


def _neighbours(found: Found) -> list[TableColumn]:
    lines = [(group, turns, one) for group, turns in found for one in turns.neighbours]
    figures = (JUDGED[turns.neighbours_figure].phrase for _, turns, _ in lines)

    def value(pick: Callable[[Neighbours], float | None]) -> Iterator[str]:
        return (text.number(pick(one), 2) for _, _, one in lines)

    return [
        _threads(group for group, _, _ in lines),
        column("", "arm", (one.arm for _, _, one in lines), numeric=False),
        column("", "figure", figures, numeric=False),
        column("autocorrelation", "rounds", value(lambda one: one.rounds)),
        column("autocorrelation", "pairs", (f"{one.round_pairs:,}" for _, _, one in lines)),
        column("autocorrelation", "observations", value(lambda one: one.observations)),
        column("autocorrelation", "pairs", (f"{one.observation_pairs:,}" for _, _, one in lines)),
        column(
            "",
            "beyond chance",
            ("yes" if one.matters else "no" for _, _, one in lines),
            numeric=False,
        ),
    ]


def _carry_over(found: Found) -> list[TableColumn]:
    lines = [(group, one) for group, turns in found for one in turns.carry_over]
    changes = [one.change for _, one in lines]
    heading = "baseline after another mode/after itself − 1"
    return [
        _threads(group for group, _ in lines),
        column("", "figure", (JUDGED[one.figure].phrase for _, one in lines), numeric=False),
        column("", heading, (text.signed_alone_beside(0.0, change) for change in changes)),
        column("", INTERVAL, (text.bounds_beside(0.0, change) for change in changes)),
    ]


def _solo(found: Found, margin: float) -> list[TableColumn]:
    lines = [(group, one) for group, turns in found for one in turns.solo]
    checks: list[SoloCheck] = [one for _, one in lines]
    return [
        _threads(group for group, _ in lines),
        column("", "arm", (one.arm for one in checks), numeric=False),
        column("", "figure", (JUDGED[one.figure].effect for one in checks), numeric=False),
        *(
            column(
                INTERVAL, way, (text.signed_estimate(getattr(one, way), margin) for one in checks)
            )
            for way in ("interleaved", "solo")
        ),
        column("", "solo blocks", (f"{one.blocks:,}" for one in checks)),
        column(
            UNPAIRED, "interleaved − solo", (text.signed_points(one.difference) for one in checks)
        ),
    ]
