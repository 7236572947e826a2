"""The rows as CSV: every column name has its unit, its mean or its formula."""

import csv
import io
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from encbench.api.overheadreport import FigureKey, Row
from encbench.core.statistics.intervals import Sense
from encbench.report.document import Report, StudyTable
from encbench.report.document.group import Group
from encbench.report.figures import FIGURES, IN_STEPS, JUDGED, TPS

Pick = Callable[[Group, Row], Any]
"""Picks a cell's value from a row or its group."""
Columns = Iterable[tuple[str, Pick]]


def _field(name: str) -> Pick:
    return lambda _, row: getattr(row, name)


def _of_step(name: str) -> Pick:
    """A field of the step that ends at the row's arm."""
    return lambda group, row: getattr(group.step(row.arm), name, None)


def _layers(group: Group, row: Row) -> str | None:
    step = group.step(row.arm)
    return "+".join(step.layers) if step else None


def _step_verdict(group: Group, row: Row) -> str | None:
    step = group.step(row.arm)
    return None if step is None else (step.instead or step).verdict


def _step_figure(group: Group, row: Row) -> FigureKey | None:
    """The figure of that verdict: another one where TPS is as offered."""
    step = group.step(row.arm)
    if step is None:
        return None
    return step.instead.figure if step.instead else TPS.key


def _floor(figure: FigureKey) -> Pick:
    return lambda group, _: group.noise_floors.get(figure)


def _of_control(figure: FigureKey, end: str) -> Pick:
    """A bound of A' against A."""
    return lambda group, _: getattr(group.repeats.get(figure), end, None)


def _change(stem: str, sense: Sense, before: str, pick: Pick) -> Columns:
    """An interval as three columns; the first one names the formula."""
    formula = f"1_minus_arm_over_{before}" if sense == "loss" else f"arm_over_{before}_minus_1"

    def part(name: str) -> Pick:
        return lambda group, row: getattr(pick(group, row), name, None)

    name = f"{stem}_{sense}_fraction"
    yield f"{name}_{formula}", part("estimate")
    yield f"{name}_ci95_low", part("low")
    yield f"{name}_ci95_high", part("high")


def columns(margin: float) -> dict[str, Pick]:
    """What is in a cell of each column.

    A step compares an arm with the one below it: what a layer of column encryption costs.
    """
    return dict(_columns(margin))


def _columns(margin: float) -> Columns:
    yield "instance", _field("instance")
    yield "workload", _field("workload")
    yield "concurrency_threads", _field("concurrency")
    yield "arm", _field("arm")
    yield "role", _field("role")
    yield "mode", lambda group, row: next(a.mode_ref for a in group.arms if a.name == row.arm)
    yield "blocks", _field("blocks")
    yield "blocks_planned", _field("planned_blocks")
    for figure in FIGURES:
        yield figure.column, _field(figure.field)
        if figure.points:
            yield f"{figure.points}_arm_minus_baseline", _field(figure.points)
    for judged in JUDGED.values():
        yield from _change(judged.stem, judged.sense, "baseline", _field(judged.overhead))
    yield "noise_floor_fraction_largest_bound_of_control", _floor(TPS.key)
    for judged in JUDGED.values():
        if judged is not TPS:
            yield f"{judged.stem}_noise_floor_fraction", _floor(judged.key)
    for judged in JUDGED.values():
        for end in ("low", "high"):
            name = f"{judged.stem}_{judged.sense}_fraction_control_ci95_{end}"
            yield name, _of_control(judged.key, end)
    yield "margin_fraction", lambda *_: margin
    yield "tps_limited_by", _field("saturation")
    for name in dict.fromkeys(judged.verdict for judged in JUDGED.values()):
        yield name, _field(name)
    yield "verdict_figure", _field("figure")
    yield "step_layers", _layers
    yield "step_before_arm", _of_step("before")
    for figure in IN_STEPS:
        if figure.step_stem:
            sense: Sense = "loss" if figure is TPS else "increase"
            yield from _change(f"step_{figure.step_stem}", sense, "before", _of_step(figure.step))
        if figure is TPS:
            yield "step_verdict", _step_verdict
    yield "step_verdict_figure", _step_figure


def csv_rows(report: Report) -> str:
    """One line per instance, workload, concurrency and arm; an absent figure is empty."""
    rows = ((group, row) for group in report.groups for row in group.rows)
    cells = columns(report.spec.margin)
    return written(cells, ([cell(*place) for cell in cells.values()] for place in rows))


def csv_study(table: StudyTable) -> str:
    """A study's table under the header of the published one."""
    return written((column.name for column in table.columns), table.rows)


def written(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """CSV with that header; None is empty.

    Figures have the six digits to which they are rounded and no more: 129841.0 would claim seven.
    """
    # A StringIO would take four bytes a letter, and slots of a long campaign are many megabytes.
    content = io.BytesIO()
    out = io.TextIOWrapper(content, encoding="utf-8", newline="")
    cells = ([f"{it:.6g}" if isinstance(it, float) else it for it in row] for row in rows)
    csv.writer(out, lineterminator="\n").writerows(chain([header], cells))
    out.flush()
    return content.getvalue().decode()
