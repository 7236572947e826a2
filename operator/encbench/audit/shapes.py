"""What the columns of a published table mean.

A shape is data. It says which columns distinguish conditions, which columns measure what,
and which published column claims to follow from which figures. Several tables that measure the same
quantity under the same condition can contradict each other. `known` has the shapes that are
recognised, and `naming` makes them from options.
"""

from dataclasses import dataclass

from encbench.audit.figures import NotAFigure, figure
from encbench.audit.tables import TableRow

PLAIN = "plaintext"
"""The state of a measure without encryption."""

_SAME = dict.fromkeys(("concurrency", "concurrency_threads", "threads", "terminals"), "concurrency")
"""Names of one key in several studies."""
CONCURRENCY = (*_SAME, "clients", "connections", "users")
"""Names of the key that says how many threads there were; the first that a table has is it."""
_ABSENT = frozenset(("", "-", "–", "—"))
"""Cells of a key that a row has no value for."""


@dataclass(frozen=True)
class Measure:
    """A column that holds a measured quantity.

    Where two columns of a table measure one quantity in one state, as for two drivers, another
    table agrees when its figure equals either.
    """

    column: str
    quantity: str
    state: str = PLAIN
    share: str = ""
    """The column with the encrypted percentage, where the state is not fixed."""

    def state_in(self, row: TableRow) -> str:
        """What was encrypted in that row."""
        if not self.share:
            return self.state
        percent = row.cells[self.share].removesuffix("%").strip()
        return PLAIN if percent in ("0", "") else f"{percent} % encrypted"


@dataclass(frozen=True)
class Claim:
    """A published column that should follow from two measured ones."""

    published: str
    """Empty where a table has only the measured ones: the overhead is computed, not checked."""
    encrypted: str
    plain: str
    """A column of the same table or, if it has none of that name, of another table with the same
    condition."""
    formula: str
    percent: bool = True
    """Whether the published figures are in percent: 13, not 0.13."""
    before: str = ""
    """The column that names the row with the plain figure, where rows differ in it."""


@dataclass(frozen=True)
class PrintedInterval:
    """Three columns that hold an estimate and the bounds of its interval.

    The interval is symmetric about the logarithm of the ratio.
    """

    estimate: str
    low: str
    high: str
    formula: str


@dataclass(frozen=True)
class Shape:
    """The meaning of one table."""

    title: str
    keys: tuple[str, ...]
    """Columns that name the condition; they join tables."""
    claims: tuple[Claim, ...]
    measures: tuple[Measure, ...]
    labels: tuple[str, ...] = ()
    """Further columns that distinguish rows of one condition."""
    baseline: tuple[str, str] | None = None
    """Column and value of the rows with the plain figures, where each arm has its own row."""
    queues: tuple[tuple[str, str], ...] = ()
    """Columns of a rate and of its average response time, which obey Little's law."""
    intervals: tuple[PrintedInterval, ...] = ()
    alike: tuple[str, ...] = ()
    """Columns that have one value for all rows of a condition."""

    @property
    def columns(self) -> set[str]:
        """The columns that a table of this shape must have."""
        own = {*self.keys, *self.labels, *(measure.column for measure in self.measures)}
        own |= {claim.published for claim in self.claims if claim.published}
        own |= {claim.encrypted for claim in self.claims}
        return own | {*self.alike}

    @property
    def concurrency(self) -> str | None:
        """The key that says how many threads there were."""
        found = {key.casefold(): key for key in self.keys}
        return next((found[name] for name in CONCURRENCY if name in found), None)


def condition(shape: Shape, row: TableRow) -> frozenset[tuple[str, str]]:
    """The condition of a row, comparable between tables; keys without a value are left out.

    Studies differ in the case of a key and in the name of the concurrency.
    """
    return frozenset(
        (_SAME.get(key.casefold(), key.casefold()), _value(row.cells[key]))
        for key in shape.keys
        if row.cells[key] not in _ABSENT
    )


def _value(cell: str) -> str:
    """A key in a comparable form: 1,024 equals 1024, and 4x8C64G equals 4x8c64g."""
    try:
        found = figure(cell)
    except NotAFigure:
        found = None
    return str(found.value) if found is not None else cell.casefold()
