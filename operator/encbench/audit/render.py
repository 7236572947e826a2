"""Renderings of an audit: text for a terminal, Markdown, CSV and JSON."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from encbench.audit.audit import Audit
from encbench.audit.checks import OverheadCheck, PrintedCell
from encbench.audit.findings import AuditFinding
from encbench.audit.wording import printed, published, ratio, result
from encbench.text.lines import aligned, item, paragraph
from encbench.text.markdown import escaped, table
from encbench.text.words import plural

SAYS = {
    "follows": "follows",
    "slip": "rounding slip",
    "coarse": "follows if coarse",
    "contradiction": "contradiction",
    "impossible": "impossible value",
    "unchecked": "not checked",
    "computed": "computed",
}
"""The verdicts in words."""

_NUMERIC = 4
"""Columns of figures at the end of a table, before the verdict."""


def text(audit: Audit) -> str:
    """One table for each published column, then the findings."""
    parts = [
        f"{title}\n{aligned(heads, rows, _figures(heads))}" for title, heads, rows in _tables(audit)
    ]
    parts.append(paragraph(summary(audit)))
    if audit.findings:
        parts.append("\n".join(item(f"{n}. ", f.text) for n, f in enumerate(audit.findings, 1)))
    parts += [paragraph(f"note: {note}") for note in audit.notes]
    return "\n\n".join(parts) + "\n"


def markdown(audit: Audit) -> str:
    """The same for an issue or a wiki."""
    parts = ["# Audit of published tables", summary(audit)]
    if audit.findings:
        parts.append("\n".join(f"{n}. {escaped(f.text)}" for n, f in enumerate(audit.findings, 1)))
    parts += [f"Note: {escaped(note)}" for note in audit.notes]
    for title, heads, rows in _tables(audit):
        parts += [f"## {escaped(title)}", table(heads, rows, _figures(heads))]
    return "\n\n".join(parts) + "\n"


CSV_COLUMNS = (
    *("file", "line", "condition", "column", "formula", "plain", "plain_file", "plain_line"),
    *("encrypted", "published", "recomputed", "lowest", "highest", "verdict", "finding"),
)


def csv_rows(audit: Audit) -> str:
    """One line for each overhead, and one for each further finding.

    Results are in the unit of the published figure.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    shown: set[int] = set()
    for check in audit.checks:
        about = [f for f in audit.findings if _is_about(f, check)]
        shown |= {id(finding) for finding in about}
        writer.writerow(_flat(_check(check)) | {"finding": " ".join(f.text for f in about)})
    for finding in audit.findings:
        if id(finding) not in shown:
            words = {"verdict": finding.kind, "finding": finding.text}
            place = _place(finding.places[0]) if finding.places else {}
            writer.writerow(place | words)
    return out.getvalue()


def json_document(audit: Audit) -> str:
    """Everything; printed figures are text with their exact decimals, computed ones are numbers."""
    document = {
        "schema": "encbench.io/audit/v1",
        "files": [
            {"name": s.table.name, "shape": s.shape.title, "rows": len(s.table.rows)}
            for s in audit.sources
        ],
        "counts": {verdict: audit.counts.get(verdict, 0) for verdict in SAYS},
        "checks": [_check(check) for check in audit.checks],
        "findings": [
            {"kind": f.kind, "text": f.text, "places": [_place(place) for place in f.places]}
            for f in audit.findings
        ],
        "notes": list(audit.notes),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


RENDERINGS = {"text": text, "md": markdown, "csv": csv_rows, "json": json_document}
"""By the name that `--output` takes."""


_COUNTED = (
    ("contradiction", "contradicts them", "contradict them"),
    ("slip", "is a rounding slip", "are rounding slips"),
    ("coarse", "follows only if printed coarsely", "follow only if printed coarsely"),
    ("impossible", "has an impossible figure", "have an impossible figure"),
    ("unchecked", "could not be checked", "could not be checked"),
)
"""Verdicts in a sentence, of one overhead and of several."""
_FURTHER = (
    ("contradiction", "further figure contradicts others", "further figures contradict others"),
    ("twice", "condition has different figures", "conditions have different figures"),
    ("law", "breach of Little's law", "breaches of Little's law"),
    ("repeat", "figure is repeated", "figures are repeated"),
)
"""Findings in a sentence, of one figure and of several."""


def summary(audit: Audit) -> str:
    """`44 of 48 published overheads follow from their figures; 2 contradict them, ...`."""
    counts = audit.counts
    computed = counts.get("computed", 0)
    total = sum(check.published is not None for check in audit.checks)
    good = counts.get("follows", 0)
    parts = []
    if total:
        few = "overhead" if total == 1 else "overheads"
        verb = "follows" if good == 1 else "follow"
        parts.append(f"{good} of {total} published {few} {verb} from the figures beside them")
    if computed:
        more = "further " if total else ""
        parts.append(f"{plural(computed, f'{more}overhead')} computed, because none is published")
    parts += _counted(counts, _COUNTED)
    kinds = Counter[str](finding.kind for finding in audit.findings)
    kinds["contradiction"] -= counts.get("contradiction", 0)
    parts += _counted(kinds, _FURTHER)
    if audit.findings:
        return f"{'; '.join(parts)}."
    return f"{'; '.join(parts)}{', and no table contradicts another' if total else ''}."


def _counted(counts: Mapping[str, int], words: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    for kind, one, several in words:
        count = counts.get(kind, 0)
        if count > 0:
            yield f"{count} {one if count == 1 else several}"


def _tables(audit: Audit) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    """Title, headings and rows of each published column."""
    for _, group in groupby(audit.checks, key=lambda c: (c.source.table.name, c.claim)):
        checks = list(group)
        source, claim = checks[0].source, checks[0].claim
        formula = checks[0].formula.spelled(claim.plain, claim.encrypted)
        if source.shape.baseline is not None:
            column, value = source.shape.baseline
            formula += f", plain where {column} is {value}"
        keys = [*source.shape.keys, *source.shape.labels]
        heads = [*(keys or ["line"]), "plain", "encrypted", "published", "recomputed", "verdict"]
        title = f"{source.table.name}: {claim.published} by {formula}"
        if not claim.published:
            heads[-3:] = [claim.formula, "plain/encrypted", "verdict"]
            title = f"{source.table.name}: {formula}"
        yield title, heads, [_line(check, keys) for check in checks]


def _figures(heads: Sequence[str]) -> range:
    """Numbers of the columns that hold figures."""
    return range(len(heads) - 1 - _NUMERIC, len(heads) - 1)


def _line(check: OverheadCheck, keys: Sequence[str]) -> list[str]:
    within = " within rounding" if check.verdict == "follows" and not check.as_printed else ""
    both = [published(check), result(check) or "–"]
    if not check.claim.published:
        both = [result(check) or "–", ratio(check) or "–"]
    return [
        *([check.row.cells[key] for key in keys] or [str(check.row.line)]),
        printed(check.plain) if check.plain else "–",
        printed(check.encrypted) or "–",
        *both,
        f"{SAYS[check.verdict]}{within}",
    ]


def _check(check: OverheadCheck) -> dict[str, Any]:
    column = check.claim.published or check.claim.encrypted
    place = _place(PrintedCell(check.source, check.row, column))
    return {
        **place,
        "formula": check.formula.spelled(check.claim.plain, check.claim.encrypted),
        "unit": "percent" if check.percent else "plain",
        "plain": _place(check.plain) if check.plain else None,
        "encrypted": _place(check.encrypted),
        "published": check.published and check.published.text,
        "recomputed": None if check.result is None else float(check.result),
        **({"ratio": ratio(check)} if check.verdict == "computed" else {}),
        "lowest": check.reach and float(check.reach.low),
        "highest": check.reach and float(check.reach.high),
        "verdict": check.verdict,
        "asPrinted": check.as_printed,
        **({"why": check.why} if check.why else {}),
    }


def _flat(check: dict[str, Any]) -> dict[str, Any]:
    plain = check["plain"] or {}
    return {
        **check,
        "plain": plain.get("figure"),
        "plain_file": plain.get("file"),
        "plain_line": plain.get("line"),
        "encrypted": check["encrypted"]["figure"],
    }


def _place(place: PrintedCell) -> dict[str, Any]:
    return {
        "file": place.source.table.name,
        "line": place.row.line,
        "condition": place.source.name(place.row),
        "column": place.column,
        "figure": place.row.cells[place.column],
    }


def _is_about(finding: AuditFinding, check: OverheadCheck) -> bool:
    """Whether the finding is about this row's published overhead or its encrypted figure."""
    one = finding.kind in ("contradiction", "slip", "coarse")
    places = finding.places[:1] if one else finding.places
    return any(
        place.source is check.source
        and place.row is check.row
        and place.column in (check.claim.published, check.claim.encrypted)
        and (finding.kind != "contradiction" or check.verdict == "contradiction")
        for place in places
    )
