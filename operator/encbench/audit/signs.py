"""Signs in figures that may all be right: what a reader should know before trusting their ratios.

These are notes and no findings, because no figure is wrong.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from encbench.audit import wording
from encbench.audit.checks import OverheadCheck, PrintedCell, Source
from encbench.audit.figures import PrintedFigure, figure
from encbench.audit.known import OWN
from encbench.audit.tables import TableRow
from encbench.text.words import plural

GROWTH = Fraction(1, 20)
"""From one concurrency to the next, a rate that grows by less than this is on a plateau."""
MORE = Fraction(3, 2)
"""How much the concurrency has to grow for that."""
_RATES = frozenset(("loss", "ratio"))
"""Formulas of figures of which more is better."""
_DIGITS = 3
"""Significant digits from which the same plain figure in two rows is one measurement."""


def signs(sources: Sequence[Source], checks: Sequence[OverheadCheck]) -> list[str]:
    """One sentence for each sign.

    None about our own report: it has intervals and a control, and says what limited each arm.
    """
    published = [source for source in sources if source.shape is not OWN]
    groups: dict[tuple[str, str, str], list[OverheadCheck]] = {}
    for check in checks:
        if check.source in published and check.result is not None and check.plain:
            key = check.source.table.name, check.claim.published, check.claim.encrypted
            groups.setdefault(key, []).append(check)
    found = [text for source in published for text in _plateaus(source, checks)]
    for group in groups.values():
        found += [*_faster(group), *_shared(group)]
    return found


def _faster(group: Sequence[OverheadCheck]) -> Iterator[str]:
    """Rows whose rate is higher with encryption, beyond rounding."""
    rows = [check for check in group if check.claim.formula in _RATES and _gain(check) > 0]
    if rows:
        most = wording.percent(max(_gain(check) for check in rows))
        verb = "is" if len(rows) == 1 else "are"
        yield (
            f"{rows[0].source.table.name}: {rows[0].claim.encrypted} of {wording.lines(rows)} "
            f"{verb} higher than the plain figure, by up to {most}: encryption makes nothing "
            "faster, so differences of that size are noise in this table."
        )


def _gain(check: OverheadCheck) -> Fraction:
    """By how much it is certainly faster, as a fraction; 0 where rounding leaves it open."""
    plain = check.plain.figure if check.plain else None
    encrypted = check.encrypted.figure
    if plain is None or encrypted is None or encrypted.span.low <= plain.span.high:
        return Fraction(0)
    return encrypted.value / plain.value - 1


def _shared(group: Sequence[OverheadCheck]) -> Iterator[str]:
    """Plain figures that several overheads are computed from."""
    used: dict[tuple[object, ...], list[OverheadCheck]] = {}
    for check in group:
        plain = check.plain
        found = plain.figure if plain else None
        if plain is None or found is None:
            continue
        cell: tuple[object, ...] = (plain.source.table.name, plain.row.line, plain.column)
        key = plain.source.shape.concurrency
        if key and found.digits >= _DIGITS:
            cell = (plain.source.table.name, plain.column, plain.row.cells[key], found.value)
        used.setdefault(cell, []).append(check)
    several = [checks for checks in used.values() if len(checks) > 1]
    if several:
        examples = [
            f"{wording.printed(checks[0].plain)} those of {wording.lines(checks)}"
            for checks in several
            if checks[0].plain
        ]
        claim, name = group[0].claim, group[0].source.table.name
        some = plural(len(several), f"{claim.plain} figure")
        verb = "serves" if len(several) == 1 else "serve"
        yield (
            f"{name}: {some} {verb} several overheads ({wording.few(examples)}): these are not "
            "independent, because an error of the plain figure is in all of them."
        )


def _plateaus(source: Source, checks: Sequence[OverheadCheck]) -> Iterator[str]:
    """Where the plain rate no longer grows with the concurrency."""
    key = source.shape.concurrency
    columns = {
        check.plain.column
        for check in checks
        if check.claim.formula in _RATES and check.plain and check.plain.source is source
    }
    if key is None or not columns:
        return
    names = [n for n in (*source.shape.keys, *source.shape.labels) if n != key]
    for column in sorted(columns):
        series: dict[tuple[str, ...], list[TableRow]] = {}
        for row in source.table.rows:
            if _is_plain(source, row):
                series.setdefault(tuple(row.cells[n] for n in names), []).append(row)
        flat = [
            f"{', '.join(f'{n} {cell}' for n, cell in zip(names, place, strict=True))}"
            f"{' ' if names else ''}from {key} {run[0].row.cells[key]} to {run[-1].row.cells[key]}"
            for place, rows in series.items()
            for run in _runs(source, rows, key, column)
        ]
        if flat:
            yield (
                f"{source.table.name}: {column} is on a plateau ({'; '.join(flat)}): something "
                "limits the plain rate there, so the ratio can hide what encryption costs."
            )


def _is_plain(source: Source, row: TableRow) -> bool:
    baseline = source.shape.baseline
    return baseline is None or row.cells[baseline[0]] == baseline[1]


def _runs(
    source: Source, rows: Sequence[TableRow], key: str, column: str
) -> Iterator[list[PrintedCell]]:
    """Longest runs of rows, by rising concurrency, in which the rate does not grow."""
    places = {
        threads.value: PrintedCell(source, row, column)
        for row in rows
        if (threads := _number(source, row, key)) and source.table.figure(row, column)
    }
    run: list[PrintedCell] = []
    last = Fraction(0)
    for count, place in sorted(places.items(), key=lambda entry: entry[0]):
        if run and count >= MORE * last and _flat(run[-1].figure, place.figure):
            run.append(place)
        else:
            if len(run) > 1:
                yield run
            run = [place]
        last = count
    if len(run) > 1:
        yield run


def _number(source: Source, row: TableRow, key: str) -> PrintedFigure | None:
    return None if key in source.table.texts else figure(row.cells[key])


def _flat(before: PrintedFigure | None, after: PrintedFigure | None) -> bool:
    return bool(before and after and after.value < (1 + GROWTH) * before.value)
