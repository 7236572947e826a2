"""The report for a terminal, from the OverheadReport's status alone; it needs no bucket."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from encbench.api.overheadreport import MAX_ROWS, OverheadReportStatus, Row
from encbench.report.figures import JUDGED, RECOVERY
from encbench.report.words import text as shown
from encbench.text.lines import aligned, paragraph

Columns = Mapping[str, Callable[[Row], str]]
"""What a cell shows of its row, by heading."""

_PLACE: Columns = {
    "INSTANCE": lambda row: row.instance,
    "WORKLOAD": lambda row: row.workload,
    "THREADS": lambda row: f"{row.concurrency:,}",
    "ARM": lambda row: row.arm,
}
_END: Columns = {
    "BLOCKS": lambda row: f"{row.blocks:,}",
    "VERDICT": lambda row: row.verdict,
    "ON": lambda row: JUDGED[row.figure].title if row.figure else "",
}
_WORDS = frozenset(("INSTANCE", "WORKLOAD", "ARM", "VERDICT", "ON"))
_FORMULAS = (
    "TPS LOSS = 1 − arm/baseline; INCREASE = arm/baseline − 1; the baseline's figures are of both "
    "its arms; [ ] are paired 95 % intervals of ln ratios (Student's)."
)


def text(status: OverheadReportStatus) -> str:
    """Headline, one line for each row, noise floor, exclusions, caveats, and where the page is."""
    parts = (paragraph(status.headline), *_tables(status), _how(status), "\n".join(_notes(status)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _how(status: OverheadReportStatus) -> str:
    """How to read the tables."""
    if not status.rows:
        return ""
    if status.margin is None or all(row.role != "treatment" for row in status.rows):
        return paragraph(_FORMULAS)
    return paragraph(f"{_FORMULAS} {shown.meaning(status.margin)}")


def _notes(status: OverheadReportStatus) -> Iterable[str]:
    if len(status.rows) == MAX_ROWS:
        yield f"rows         the first {MAX_ROWS}; report.csv has all"
    if status.noise_floor is not None:
        floor = shown.floor_beside(status.margin, status.noise_floor)
        yield f"noise floor  ±{floor} (the largest of all conditions)"
    if status.invalid:
        counts = ", ".join(f"{entry.count} {entry.reason}" for entry in status.invalid)
        yield f"excluded     {counts}"
    yield from (f"caveat       {one.title}" for one in status.caveats if one.weight == "serious")
    if notes := sum(one.weight == "note" for one in status.caveats):
        yield f"notes        {notes} on the page"
    if status.artefacts is not None:
        yield f"page         s3://{status.artefacts.bucket}/{status.artefacts.html.key}"


def _tables(status: OverheadReportStatus) -> tuple[str, str]:
    """Recoveries have a table of their own, because another figure is judged."""
    recoveries = [row for row in status.rows if row.figure == RECOVERY.key]
    others = [row for row in status.rows if row.figure != RECOVERY.key]
    usual, recovery = _usual(others, status.margin), _recovery(status.margin)
    return _drawn(usual, others), _drawn(recovery, recoveries)


def _usual(rows: Sequence[Row], margin: float | None) -> Columns:
    digits = shown.rate_digits(row.tps for row in rows)
    return {
        **_PLACE,
        "TPS": lambda row: shown.number(row.tps, digits),
        "TPS LOSS": lambda row: shown.estimate(row.overhead, margin),
        "P95 MS": lambda row: shown.number(row.latency_p95_ms, 2),
        "CPU MS/TX": lambda row: shown.number(row.database_side_cpu_ms_per_transaction, 3),
        "INCREASE": lambda row: shown.signed_estimate(row.cpu_per_transaction_overhead, margin),
        **_END,
    }


def _recovery(margin: float | None) -> Columns:
    """RECOVERY S is from the new server's start to its first answer, STOP S the time before."""
    return {
        **_PLACE,
        "RECOVERY S": lambda row: shown.number(row.recovery_seconds, 3),
        "INCREASE": lambda row: shown.signed_estimate(row.recovery_overhead, margin),
        "STOP S": lambda row: shown.number(row.stop_seconds, 3),
        "LOG MIB": lambda row: shown.number(row.redo_mib, 1),
        **_END,
    }


def _drawn(columns: Columns, rows: Sequence[Row]) -> str:
    figures = [n for n, head in enumerate(columns) if head not in _WORDS]
    lines = [[cell(row) for cell in columns.values()] for row in rows]
    return aligned(list(columns), lines, figures) if lines else ""
