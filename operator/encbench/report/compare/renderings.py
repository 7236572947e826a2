"""A comparison of two reports for a terminal, as Markdown, as JSON."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from encbench.report.compare.difference import ComparedReports, Delta, MatchedPair, Side
from encbench.report.document import Report
from encbench.report.figures import JUDGED
from encbench.report.formats.markdown import drawn
from encbench.report.formats.tables import UNPAIRED, TableColumn, column
from encbench.report.words import text as shown
from encbench.text.lines import aligned, paragraph
from encbench.text.markdown import table
from encbench.text.words import capitalised, plural

_VALUE = 60
"""Characters of a differing fact that are shown on a terminal."""

SAYS = {
    "higher": "higher in B",
    "lower": "lower in B",
    "not shown": "no difference shown",
    "unknown": "not known",
}


def text(compared: ComparedReports) -> str:
    """What was found in sentences and tables, then what could be why."""
    parts = [f"A  {_title(compared.a)}\nB  {_title(compared.b)}", paragraph(summary(compared))]
    for name, columns in _tables(compared):
        parts.append(f"{name}\n{aligned_columns(columns)}")
    parts += [paragraph(words) for words in _leftover(compared)]
    parts.append(paragraph(why(compared)))
    for topic, entries in groupby(compared.differences, key=lambda d: d.topic):
        lines = [topic]
        for entry in entries:
            lines += [f"  {entry.name}", f"    A  {_short(entry.a)}", f"    B  {_short(entry.b)}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def markdown(compared: ComparedReports) -> str:
    """The same for an issue or a wiki."""
    parts = [
        "# Two overhead reports compared",
        f"- A: {_title(compared.a)}\n- B: {_title(compared.b)}",
        summary(compared),
    ]
    for name, columns in _tables(compared):
        parts += [f"## {name}", drawn(columns)]
    parts += [*_leftover(compared), "## What could be why", why(compared)]
    if compared.differences:
        rows = ((entry.topic, entry.name, entry.a, entry.b) for entry in compared.differences)
        parts.append(table(("topic", "what", "A", "B"), rows, ()))
    return "\n\n".join(parts) + "\n"


def json_document(compared: ComparedReports) -> str:
    """Everything; overheads and differences as fractions."""
    document = {
        "schema": "encbench.io/comparison/v1",
        "a": _identity(compared.a),
        "b": _identity(compared.b),
        "conditions": [_pair(pair) for pair in compared.pairs],
        "onlyA": [asdict(condition) for condition in compared.only_a],
        "onlyB": [asdict(condition) for condition in compared.only_b],
        "differences": [asdict(difference) for difference in compared.differences],
        "settingsCompared": compared.settings_compared,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


RENDERINGS = {"text": text, "md": markdown, "json": json_document}
"""By the name that `--output` takes."""


def summary(compared: ComparedReports) -> str:
    """One sentence for each condition: how its first overhead changed."""
    if not compared.pairs:
        return "The reports have no instance, workload, concurrency and mode in common."
    return " ".join(_sentence(pair) for pair in compared.pairs)


def why(compared: ComparedReports) -> str:
    """What was the same and what was not, in a sentence."""
    settings = f"of {plural(compared.settings_compared, 'server setting')} that both recorded"
    facts = len(compared.differences)
    unlike = sum(one.topic == "server settings" for one in compared.differences)
    if not compared.differences:
        return (
            f"Nothing that was recorded differs: specs, machines, images, plan; {settings} none "
            "differs."
        )
    return (
        f"{plural(facts, 'fact')} {_differ(facts)} and could be why; {settings}, {unlike} "
        f"{_differ(unlike)}. What was not recorded, such as who else used the machine, may differ "
        "as well."
    )


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"


def _sentence(pair: MatchedPair) -> str:
    delta = pair.deltas[0]
    where, what = pair.condition.name, f"the {delta.figure.sense} of {delta.figure.phrase}"
    if delta.difference is None:
        return f"{where}: one of the reports lacks {what}."
    points = shown.signed_points(delta.difference, "percentage points")
    if delta.says == "unknown":
        return f"{where}: {what} differs by {points}, without what it could be judged by."
    if delta.says == "not shown":
        luck = f"; the testbeds' luck explains up to {_explained(delta)}" if delta.luck else ""
        return f"{where}: no difference in {what} is shown, B − A is {points}{luck}."
    return f"{where}: {what} is {SAYS[delta.says]}, by {points}."


def _tables(compared: ComparedReports) -> Iterable[tuple[str, list[TableColumn]]]:
    """One for each figure that is compared, conditions down."""
    pairs = compared.pairs
    margin_a, margin_b = (report.spec.margin for report in (compared.a, compared.b))
    for figure in JUDGED.values():
        own = [(pair, one) for pair in pairs for one in pair.deltas if one.figure is figure]
        deltas = [delta for _, delta in own]
        if all(delta.a is None and delta.b is None for delta in deltas):
            continue
        yield (
            capitalised(deltas[0].name),
            [
                *_conditions([pair for pair, _ in own]),
                column("", "A", (shown.estimate(delta.a, margin_a) for delta in deltas)),
                column("", "B", (shown.estimate(delta.b, margin_b) for delta in deltas)),
                column(
                    "", "B − A, points", (shown.points_alone(delta.difference) for delta in deltas)
                ),
                column(
                    "",
                    UNPAIRED,
                    (shown.bounds_beside(0.0, delta.difference, "points") for delta in deltas),
                ),
                column("", "luck explains, points", (_explained(delta) for delta in deltas)),
                column("", "says", (SAYS[delta.says] for delta in deltas), numeric=False),
            ],
        )
    if pairs:
        digits = shown.rate_digits(side.plain for pair in pairs for side in (pair.a, pair.b))
        verdicts = (f"{p.a.row.verdict} / {p.b.row.verdict}" for p in pairs)
        yield (
            "Baseline and noise floor",
            [
                *_conditions(pairs),
                column("", "plain TPS, A", (shown.number(p.a.plain, digits) for p in pairs)),
                column("", "plain TPS, B", (shown.number(p.b.plain, digits) for p in pairs)),
                column("", "B/A − 1", (_ratio(p.a.plain, p.b.plain) for p in pairs)),
                column("", "floor ±, A", (_floor(p.a, margin_a) for p in pairs)),
                column("", "floor ±, B", (_floor(p.b, margin_b) for p in pairs)),
                column("", "blocks", (f"{p.a.row.blocks:,} / {p.b.row.blocks:,}" for p in pairs)),
                column("", "verdicts", verdicts, numeric=False),
            ],
        )


def _conditions(pairs: Sequence[MatchedPair]) -> list[TableColumn]:
    found = [pair.condition for pair in pairs]
    return [
        column("", "instance", (c.instance for c in found), numeric=False),
        column("", "workload", (c.workload for c in found), numeric=False),
        column("", "threads", (f"{c.concurrency:,}" for c in found)),
        column("", "mode", (c.arm for c in found), numeric=False),
    ]


def _floor(side: Side, margin: float) -> str:
    return shown.floor_beside(margin, side.group.noise_floor)


def _ratio(a: float | None, b: float | None) -> str:
    return shown.ABSENT if a is None or b is None else shown.signed_percent(b / a - 1)


def _explained(delta: Delta) -> str:
    return shown.ABSENT if delta.luck is None else f"±{shown.number(100 * delta.luck, 1)}"


def _leftover(compared: ComparedReports) -> Iterable[str]:
    for side, found in (("A", compared.only_a), ("B", compared.only_b)):
        if found:
            yield f"Only in {side}: {'; '.join(condition.name for condition in found)}."


def _title(report: Report) -> str:
    campaign = report.campaign
    return (
        f"{campaign.namespace}/{campaign.name}, {report.generated_time}, "
        f"{plural(len(report.trials), 'trial')}, margin {shown.margin(report.spec.margin)}"
    )


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"


def aligned_columns(columns: Sequence[TableColumn]) -> str:
    """The columns as a table for a terminal."""
    heads = [column.heading for column in columns]
    rows = zip(*(column.cells for column in columns), strict=True)
    return aligned(heads, rows, [n for n, column in enumerate(columns) if column.numeric])


def _identity(report: Report) -> dict[str, Any]:
    return {
        "namespace": report.campaign.namespace,
        "name": report.campaign.name,
        "uid": report.campaign.uid,
        "generatedTime": report.generated_time,
    }


def _pair(pair: MatchedPair) -> dict[str, Any]:
    def both(pick: Callable[[Side], Any]) -> dict[str, Any]:
        return {"a": pick(pair.a), "b": pick(pair.b)}

    return {
        **asdict(pair.condition),
        "plainTps": both(lambda side: side.plain),
        "noiseFloor": both(lambda side: side.group.noise_floor),
        "blocks": both(lambda side: side.row.blocks),
        "verdict": both(lambda side: side.row.verdict),
        "overheads": [
            {
                "name": delta.name,
                "figure": delta.figure.key,
                "sense": delta.figure.sense,
                "a": delta.a and delta.a.to_dict(),
                "b": delta.b and delta.b.to_dict(),
                "difference": delta.difference and delta.difference.to_dict(),
                "luck": delta.luck,
                "says": delta.says,
            }
            for delta in pair.deltas
        ],
    }
