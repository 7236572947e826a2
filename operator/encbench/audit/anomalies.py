"""Findings about figures rather than overheads, one plain sentence for each error."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from encbench.audit import own, plausible, wording
from encbench.audit.checks import PrintedCell, Source
from encbench.audit.findings import AuditFinding
from encbench.audit.own import Clash
from encbench.audit.plausible import TOLERANCE, Law, Occupancy
from encbench.text.words import listed


def anomalies(sources: Sequence[Source]) -> list[AuditFinding]:
    """Impossible figures first, then contradictions of our own files, then the rest."""
    return [
        *(_impossible(cell) for cell in plausible.impossible(sources)),
        *(_clash(clash) for clash in own.clashes(sources)),
        *(_twice(cells) for cells in plausible.twice(sources)),
        *(finding for law in plausible.laws(sources) for finding in _law(law)),
    ]


def _impossible(cell: PrintedCell) -> AuditFinding:
    text = (
        f"{wording.place(cell)}: {cell.column} is {wording.printed(cell)}: a measured figure is "
        "above 0, and nothing follows from this one."
    )
    return AuditFinding("impossible", (cell,), text)


def _clash(clash: Clash) -> AuditFinding:
    wrong = clash.places[0]
    figure = wording.printed(wrong) or "empty"
    text = f"{wording.place(wrong)}: {wrong.column} is {figure}: {clash.reason}."
    return AuditFinding("contradiction", clash.places, text)


def _twice(cells: tuple[PrintedCell, ...]) -> AuditFinding:
    first = cells[0]
    lines = listed(dict.fromkeys(str(cell.row.line) for cell in cells))
    figures = "; ".join(
        f"{column} {listed(wording.printed(cell) or 'none' for cell in group)}"
        for column, group in groupby(cells, key=lambda cell: cell.column)
    )
    text = (
        f"{first.source.table.name}: lines {lines} have the same keys "
        f"({first.source.name(first.row)}) and different figures ({figures}): one is wrong, "
        "or a column that tells them apart is missing (--key names those that do)."
    )
    return AuditFinding("twice", cells, text)


def _law(law: Law) -> Iterator[AuditFinding]:
    constant = wording.rough(law.constant)
    if law.holds:
        for one in law.broken:
            text = (
                f"{wording.place(one.rate)}: {_product(one)} is {wording.rough(one.value)}, where "
                f"the table has {constant} ± {wording.percent(TOLERANCE)}: by Little's law that is "
                "one constant, so one of the three is wrong."
            )
            yield AuditFinding("law", (one.rate, one.response), text)
    elif law.broken:
        least, most = (end(law.every, key=lambda one: one.value) for end in (min, max))
        text = (
            f"{law.source.table.name}: {least.rate.column} × {least.response.column} / "
            f"{least.threads.column} goes from {wording.rough(least.value)} (line "
            f"{least.rate.row.line}) to {wording.rough(most.value)} (line {most.rate.row.line}): "
            "by Little's law it is one constant, so these figures are not of one kind of run."
        )
        yield AuditFinding("law", (least.rate, most.rate), text)


def _product(one: Occupancy) -> str:
    return " ".join(
        (
            *(one.rate.column, wording.printed(one.rate), "×"),
            *(one.response.column, wording.printed(one.response), "/"),
            *(one.threads.column, wording.printed(one.threads)),
        )
    )
