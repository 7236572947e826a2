"""The report for a terminal, from the OverheadReport's status alone: no bucket is needed for it."""

from collections.abc import Iterable, Sequence

from encbench.api.overheadreport import OverheadReportStatus, Row
from encbench.report.words import text as shown
from encbench.text.lines import aligned, paragraph

_HEADS = (
    *("INSTANCE", "WORKLOAD", "THREADS", "ARM", "TPS", "LOSS", "95 %"),
    *("P95 MS", "CPU MS/TX", "CHANGE", "BLOCKS", "VERDICT"),
)
_RECOVERY_HEADS = (
    *("INSTANCE", "WORKLOAD", "THREADS", "ARM", "RECOVERY S", "CHANGE", "95 %"),
    *("STOP S", "LOG MIB", "BLOCKS", "VERDICT"),
)
_WORDS = frozenset(("INSTANCE", "WORKLOAD", "ARM", "VERDICT"))


def text(status: OverheadReportStatus) -> str:
    """Headline, one line for each row, noise floor, exclusions, and where the page lies.

    LOSS is 1 - arm/baseline of TPS, CHANGE that of server CPU per transaction as arm/baseline - 1.
    """
    parts = [paragraph(status.headline), _table(status.rows)]
    notes = list(_notes(status))
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def _notes(status: OverheadReportStatus) -> Iterable[str]:
    if status.noise_floor is not None:
        yield f"noise floor  ±{shown.percent(status.noise_floor)} (the largest of all conditions)"
    if status.invalid:
        counts = ", ".join(f"{entry.count} {entry.reason}" for entry in status.invalid)
        yield f"excluded     {counts}"
    if status.colocated:
        yield "note         client and database shared a node"
    if status.artefacts is not None:
        yield f"page         s3://{status.artefacts.bucket}/{status.artefacts.html.key}"


def _table(rows: Sequence[Row]) -> str:
    """Recoveries have a table of their own, because another figure is judged."""
    recoveries = [row for row in rows if row.recovery_seconds is not None]
    others = [row for row in rows if row.recovery_seconds is None]
    digits = shown.rate_digits(row.tps for row in others)
    parts = [
        _drawn(_HEADS, [_line(row, digits) for row in others]),
        _drawn(_RECOVERY_HEADS, [_recovery(row) for row in recoveries]),
    ]
    return "\n\n".join(part for part in parts if part)


def _drawn(heads: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    figures = [n for n, head in enumerate(heads) if head not in _WORDS]
    return aligned(heads, lines, figures) if lines else ""


def _recovery(row: Row) -> tuple[str, ...]:
    """RECOVERY S is from the new server's start to its first answer, STOP S what went before."""
    change = row.recovery_overhead
    return (
        row.instance,
        row.workload,
        f"{row.concurrency:,}",
        row.arm,
        shown.number(row.recovery_seconds, 3),
        shown.signed_percent(change.estimate if change else None),
        shown.bounds(change),
        shown.number(row.stop_seconds, 3),
        shown.number(row.redo_mib, 1),
        f"{row.blocks:,}",
        row.verdict,
    )


def _line(row: Row, digits: int) -> tuple[str, ...]:
    cpu = row.cpu_per_transaction_overhead
    return (
        row.instance,
        row.workload,
        f"{row.concurrency:,}",
        row.arm,
        shown.number(row.tps, digits),
        shown.percent(row.overhead.estimate if row.overhead else None),
        shown.bounds(row.overhead),
        shown.number(row.latency_p95_ms, 2),
        shown.number(row.database_cpu_ms_per_transaction, 3),
        shown.signed_percent(cpu.estimate if cpu else None),
        f"{row.blocks:,}",
        row.verdict,
    )
