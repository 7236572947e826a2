"""Tables about column encryption: what each layer costs, which columns there are, the studies.

Markdown and the page both draw these. A step's loss follows from the two TPS beside it; losses of
one chain do not add up, but what is left does multiply: (1 - hop)(1 - driver)(1 - encryption) is
1 - the whole.
"""

from collections.abc import Sequence

from encbench.api.overheadreport import Interval, Row
from encbench.report.analysis.encrypted import by_table
from encbench.report.document import LAYERS, EncryptedColumns, Group, Step, StudyTable
from encbench.report.formats.tables import VERDICT, Column
from encbench.report.words import text

Entry = tuple[Group, Step]


def layers(groups: Sequence[Group]) -> list[Column]:
    """What each layer takes of TPS and adds to latency; empty where no mode has one."""
    found = _entries(groups)
    if not found:
        return []
    digits = text.rate_digits(row.tps for group in groups for row in group.rows)
    return [
        *_where(found),
        _column("TPS", "before", [text.number(_before(e).tps, digits) for e in found]),
        _column("TPS", "after", [text.number(_after(e).tps, digits) for e in found]),
        _column("TPS", "loss = 1 − after/before", [_percent(s.loss) for _, s in found]),
        _column("TPS", "95 % interval", [text.bounds(s.loss) for _, s in found]),
        Column("TPS", VERDICT, tuple(s.verdict for _, s in found), numeric=False),
        *_increase("average latency, ms", "latency_average_ms", "latency_average", 2, found),
        _column("", "blocks", [f"{s.blocks:,}" for _, s in found]),
    ]


def cpu(groups: Sequence[Group]) -> list[Column]:
    """What each layer adds to the CPU of a transaction, at the server and at the client."""
    found = _entries(groups)
    if not found:
        return []
    return [
        *_where(found),
        *_increase(
            "server, ms per transaction",
            "database_cpu_ms_per_transaction",
            "database_cpu",
            3,
            found,
        ),
        *_levels("proxy, ms per transaction", "proxy_cpu_ms_per_transaction", 3, found),
        *_change("server and proxy", "database_side_cpu", found),
        *_increase(
            "client, ms per transaction",
            "client_cpu_ms_per_transaction",
            "client_cpu",
            3,
            found,
        ),
    ]


def columns(found: Sequence[EncryptedColumns]) -> list[Column]:
    """The columns by table; modes and workloads that encrypt the same ones share their lines."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in found:
        names = alike.setdefault(one.columns, [])
        if one.mode not in names:
            names.append(one.mode)
    lines = [
        (text.listed(modes), table, ", ".join(names))
        for own, modes in alike.items()
        for table, names in by_table(own).items()
    ]
    return [
        Column("", "mode", tuple(modes for modes, _, _ in lines), numeric=False),
        Column("", "table", tuple(table for _, table, _ in lines), numeric=False),
        Column("", "encrypted columns", tuple(names for _, _, names in lines), numeric=False),
    ]


def share(one: EncryptedColumns) -> str:
    """What a mode encrypts, in a line."""
    what = "a list of its own" if one.ratio is None else f"ratio {one.ratio}"
    count = round(one.share * one.of)
    return (
        f"{one.mode}: {text.percent(one.share)} of the columns of {one.workload}, {count:,} of "
        f"{one.of:,} ({what}, {one.algorithm})"
    )


def study(table: StudyTable) -> list[Column]:
    """Under its published header, each computed column with its formula."""
    found = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        words = any(isinstance(cell, str) for cell in cells)
        heading = column.name + (f", {column.unit}" if column.unit else "")
        heading += f" = {column.formula}" if column.formula else ""
        digits = _digits(column.name, cells)
        shown = tuple(_cell(cell, digits) for cell in cells)
        found.append(Column("", heading, shown, numeric=not words))
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


def _where(found: Sequence[Entry]) -> list[Column]:
    names = [text.listed(LAYERS[layer] for layer in step.layers) for _, step in found]
    return [
        _column("", "threads", [f"{group.concurrency:,}" for group, _ in found]),
        Column("", "layer", tuple(names), numeric=False),
        Column("", "from", tuple(step.before for _, step in found), numeric=False),
        Column("", "to", tuple(step.arm for _, step in found), numeric=False),
    ]


def _before(entry: Entry) -> Row:
    group, step = entry
    return group.row(step.before)


def _after(entry: Entry) -> Row:
    group, step = entry
    return group.row(step.arm)


def _levels(group: str, field: str, digits: int, found: Sequence[Entry]) -> list[Column]:
    return [
        _column(group, name, [text.number(getattr(of(e), field), digits) for e in found])
        for name, of in (("before", _before), ("after", _after))
    ]


def _increase(
    group: str, field: str, name: str, digits: int, found: Sequence[Entry]
) -> list[Column]:
    return [*_levels(group, field, digits, found), *_change(group, name, found)]


def _change(group: str, name: str, found: Sequence[Entry]) -> list[Column]:
    changes: list[Interval | None] = [getattr(step, name) for _, step in found]
    points = [text.signed_percent(one.estimate if one else None) for one in changes]
    return [
        _column(group, "increase = after/before − 1", points),
        _column(group, "95 % interval", [text.bounds(one) for one in changes]),
    ]


def _percent(change: Interval | None) -> str:
    return text.percent(change.estimate if change else None)


def _column(group: str, heading: str, cells: Sequence[str]) -> Column:
    return Column(group, heading, tuple(cells))
