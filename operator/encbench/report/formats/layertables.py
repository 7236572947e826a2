"""Tables about column encryption: what each layer costs, which columns there are, the studies.

Markdown and the page both draw these. A step's loss follows from the two TPS beside it. The losses
of one chain do not add up, but the remaining shares multiply: (1 - hop)(1 - driver)(1 - encryption)
is 1 - the whole.
"""

from collections.abc import Sequence
from itertools import groupby

from encbench.report.document import EncryptedColumns, StudyTable
from encbench.report.document.group import LAYERS, Group, LayerStep
from encbench.report.figures import BY_FIELD
from encbench.report.formats.tables import AS_OFFERED, VERDICT, TableColumn, change, column, levels
from encbench.report.words import text
from encbench.text.words import listed, plural

Entry = tuple[Group, LayerStep]
_NAMES = ("before", "after")


def layers(groups: Sequence[Group], margin: float) -> list[TableColumn]:
    """What each layer costs in TPS and latency; empty where no mode has one."""
    found = _entries(groups)
    if not found:
        return []
    digits = text.rate_digits(row.tps for group in groups for row in group.rows)
    return [
        *_where(found),
        *_drawn("tps", found, margin, digits),
        column("TPS", VERDICT, (_of_tps(*entry) for entry in found), numeric=False),
        *_drawn("latency_average_ms", found, margin),
        column("", "blocks", (f"{step.blocks:,}" for _, step in found)),
    ]


def _of_tps(group: Group, step: LayerStep) -> str:
    return AS_OFFERED if group.as_offered else step.verdict


def cpu(groups: Sequence[Group], margin: float) -> list[TableColumn]:
    """What each layer adds to the CPU of a transaction, at the server and at the client."""
    found = _entries(groups)
    return [
        *_where(found),
        *(
            drawn
            for part in ("database", "proxy", "database_side", "client")
            for drawn in _drawn(f"{part}_cpu_ms_per_transaction", found, margin)
        ),
    ]


def columns(found: Sequence[EncryptedColumns]) -> list[TableColumn]:
    """The columns by table; modes and workloads that encrypt the same ones share their lines."""
    alike: dict[tuple[str, ...], dict[str, None]] = {}
    for one in found:
        alike.setdefault(one.columns, {})[one.mode] = None
    lines = [
        (listed(modes), table, ", ".join(name.partition(".")[2] for name in names))
        for own, modes in alike.items()
        for table, names in groupby(own, lambda name: name.partition(".")[0])
    ]
    return [
        column("", "mode", (modes for modes, _, _ in lines), numeric=False),
        column("", "table", (table for _, table, _ in lines), numeric=False),
        column("", "encrypted columns", (names for _, _, names in lines), numeric=False),
    ]


def share(one: EncryptedColumns) -> str:
    """What a mode encrypts, in a line."""
    if one.share is None or one.of is None:
        return _unknown_share(one)
    what = "a list of its own" if one.ratio is None else f"ratio {one.ratio}"
    count = round(one.share * one.of)
    return (
        f"{one.mode}: {text.percent(one.share)} of the columns of {one.workload}, {count:,} of "
        f"{one.of:,} ({what}, {one.algorithm})"
    )


def _unknown_share(one: EncryptedColumns) -> str:
    """The same under a script of the user's own."""
    line = (
        f"{one.mode}: a list of {plural(len(one.columns), 'column')} ({one.algorithm}); of how "
        f"many is not known, because {one.workload} runs a script of your own"
    )
    if not one.strict:
        return line
    return (
        f"{line}. Under strict all columns are encrypted of tables that are not in the list, save "
        "those with the names of sysbench's own"
    )


def study(table: StudyTable) -> list[TableColumn]:
    """The table under its published header; each computed column has its formula."""
    found = []
    for place, own in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        heading = own.name + (f", {own.unit}" if own.unit else "")
        heading += f" = {own.formula}" if own.formula else ""
        shown = (_cell(cell, _digits(own.name, cells)) for cell in cells)
        words = any(isinstance(cell, str) for cell in cells)
        found.append(column("", heading, shown, numeric=not words))
    return found


def _digits(name: str, cells: Sequence[str | int | float | None]) -> int:
    """Percentages and MiB have one decimal, rates about four figures."""
    if name.endswith(("_percent", "_mb")):
        return 1
    if name.endswith("_ms"):
        return 2
    return text.rate_digits(cell for cell in cells if isinstance(cell, float))


def _cell(value: str | int | float | None, digits: int) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else text.number(value, digits)


def _entries(groups: Sequence[Group]) -> list[Entry]:
    return [(group, step) for group in groups for step in group.steps]


def _where(found: Sequence[Entry]) -> list[TableColumn]:
    names = (listed(LAYERS[layer] for layer in step.layers) for _, step in found)
    return [
        column("", "threads", (f"{group.concurrency:,}" for group, _ in found)),
        column("", "layer", names, numeric=False),
        column("", "from", (step.before for _, step in found), numeric=False),
        column("", "to", (step.arm for _, step in found), numeric=False),
    ]


def _drawn(
    field: str, found: Sequence[Entry], margin: float, digits: int | None = None
) -> list[TableColumn]:
    """Both arms, and the change between them; leaves out what the figure does not have."""
    figure = BY_FIELD[field]
    rows = [(group.row(step.before), group.row(step.arm)) for group, step in found]
    changes = [getattr(step, figure.step) for _, step in found] if figure.step else []
    return [
        *levels(figure, _NAMES, rows, digits),
        *(change(figure, _NAMES, changes, margin) if figure.step else ()),
    ]
