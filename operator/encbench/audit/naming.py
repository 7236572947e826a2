"""Shapes made from the columns that a user names, and the keys that need no naming.

A table that neither has the named columns nor a known header has no shape: the audit leaves it out
and says so, as long as it can audit another one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from encbench.audit.formulas import FORMULAS
from encbench.audit.known import OWN, recognise
from encbench.audit.shapes import Claim, Measure, Shape
from encbench.audit.tables import BadInput, PublishedTable
from encbench.text.words import listed

KEYS = frozenset(
    (
        *("instance", "workload", "table", "benchmark", "version", "mode", "size", "scale"),
        *("concurrency", "threads", "terminals", "connections", "clients", "users"),
    )
)
"""Columns that identify a condition even where their cells are numbers."""


@dataclass(frozen=True)
class Naming:
    """The columns as a user names them."""

    plain: str
    encrypted: str
    published: str = ""
    """Empty where the tables publish no overhead: the audit then computes it."""
    formula: str = "loss"
    percent: bool | None = None
    """None takes the formula's default."""
    keys: tuple[str, ...] = ()
    """Empty takes every column that identifies a condition."""
    baseline: tuple[str, str] | None = None
    response: tuple[str, ...] = ()
    """Average response times beside the plain and the encrypted figures; one column for both where
    each mode has its own row."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that hold figures."""
        every = (self.plain, self.encrypted, self.published, *self.response)
        return tuple(dict.fromkeys(column for column in every if column))


def shapes(naming: Naming | None, tables: Sequence[PublishedTable]) -> list[Shape | None]:
    """The shape of each table, None where it has none.

    BadInput where no table has one, or where the columns that a user names are not enough.
    """
    if naming:
        _check(naming, tables)
    found = [_shape(naming, table) for table in tables]
    if not any(found):
        raise BadInput("; ".join(unknown(naming, table) for table in tables))
    return [
        _identified(naming, table, shape, [*tables[:n], *tables[n + 1 :]])
        for n, (table, shape) in enumerate(zip(tables, found, strict=True))
    ]


def unknown(naming: Naming | None, table: PublishedTable) -> str:
    """Why a table has no shape, and what to write instead."""
    has = f"it has {listed(table.columns)}"
    if naming:
        how = "leave it out, or rename its columns"
        return f"{table.name} has none of the named columns: {how}; {has}"
    return (
        f"{table.name} has no known header: name its columns with --plain and --encrypted, and "
        f"with --published if it publishes the overhead; {has}"
    )


def _check(naming: Naming, tables: Sequence[PublishedTable]) -> None:
    everywhere = {column for table in tables for column in table.columns}
    for column in (*naming.columns, *naming.keys):
        if column not in everywhere:
            raise BadInput(f"no file has a column {column}: they have {listed(sorted(everywhere))}")
    if naming.plain == naming.encrypted and not naming.baseline:
        raise BadInput(
            f"--plain and --encrypted both name {naming.plain}: add --baseline COLUMN=VALUE, which "
            "says which rows are plain"
        )


def _shape(naming: Naming | None, table: PublishedTable) -> Shape | None:
    has = set(table.columns)
    named = {naming.plain, naming.encrypted, naming.published} - {""} if naming else set()
    if naming is None or not has & named:
        return recognise(table)
    if naming.baseline and naming.baseline[0] not in has:
        raise BadInput(f"{table.name} has no column {naming.baseline[0]}, which --baseline names")
    if naming.published in named & has and naming.encrypted not in has:
        raise BadInput(
            f"{table.name} has {naming.published} but no column {naming.encrypted} beside it"
        )
    arm = (naming.baseline[0],) if naming.baseline else ()
    measured = dict.fromkeys((naming.plain, naming.encrypted))
    return Shape(
        title="columns named by options",
        keys=tuple(key for key in naming.keys if key in has and key not in arm),
        labels=arm,
        claims=tuple(_claims(naming, has)),
        measures=tuple(Measure(c, c, c) for c in measured if c in has),
        baseline=naming.baseline,
        queues=tuple(_queues(naming, has)),
    )


def _claims(naming: Naming, has: set[str]) -> Iterator[Claim]:
    if naming.encrypted in has and (not naming.published or naming.published in has):
        formula = FORMULAS[naming.formula]
        percent = formula.percent if naming.percent is None else naming.percent
        yield Claim(naming.published, naming.encrypted, naming.plain, naming.formula, percent)


def _queues(naming: Naming, has: set[str]) -> Iterator[tuple[str, str]]:
    if naming.response:
        first, last = naming.response[0], naming.response[-1]
        for pair in dict.fromkeys(((naming.plain, first), (naming.encrypted, last))):
            if has.issuperset(pair):
                yield pair


def _identified(
    naming: Naming | None,
    table: PublishedTable,
    shape: Shape | None,
    others: Sequence[PublishedTable],
) -> Shape | None:
    """The shape with every further column that identifies a row.

    It is a key if its name says so, if another table has it too, or if rows are compared with each
    other; else it is a label, because a table without it can still be joined.
    """
    if shape is None or shape is OWN or (naming and naming.keys):
        return shape
    taken = {*shape.columns, *(claim.plain for claim in shape.claims)}
    taken |= set(naming.columns) if naming else set()
    further = [
        column
        for column in table.columns
        if column not in taken and (column.casefold() in KEYS or column in table.texts)
    ]
    joined = [
        column
        for column in further
        if column.casefold() in KEYS
        or shape.baseline
        or any(column.casefold() in map(str.casefold, other.columns) for other in others)
    ]
    return replace(
        shape,
        keys=(*shape.keys, *joined),
        labels=(*shape.labels, *(column for column in further if column not in joined)),
    )
