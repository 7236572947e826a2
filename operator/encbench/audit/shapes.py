"""What the columns of a published table mean: known shapes, and shapes made from options.

A shape is data. It says which columns distinguish conditions, which columns measure what,
and which published column claims to follow from which figures. Several tables that measure the same
quantity under the same condition can contradict each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.audit.figures import NotAFigure, figure
from encbench.audit.formulas import FORMULAS
from encbench.audit.tables import BadInput, PublishedTable, TableRow
from encbench.text.words import listed

PLAIN = "plaintext"
"""The state of a measure without encryption."""

KEYS = ("instance", "workload", "table", "concurrency", "threads", "terminals")
"""Columns that distinguish conditions where the user names none."""

_SAME = {"threads": "concurrency", "terminals": "concurrency", "concurrency_threads": "concurrency"}
"""Other names of a key in some studies."""


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
    encrypted: str
    plain: str
    """A column of the same table or, if it has none of that name, of another table with the same
    condition."""
    formula: str
    percent: bool = True
    """Whether the published figures are in percent: 13, not 0.13."""


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

    @property
    def columns(self) -> set[str]:
        """The columns that a table of this shape must have."""
        own = {*self.keys, *self.labels, *(measure.column for measure in self.measures)}
        return own | {claim.published for claim in self.claims}


def condition(shape: Shape, row: TableRow) -> frozenset[tuple[str, str]]:
    """The condition of a row, comparable between tables."""
    return frozenset((_SAME.get(key, key), _value(row.cells[key])) for key in shape.keys)


def _value(cell: str) -> str:
    """A key in a comparable form: 1,024 equals 1024, and 4x8C64G equals 4x8c64g."""
    try:
        found = figure(cell)
    except NotAFigure:
        found = None
    return str(found.value) if found is not None else cell.casefold()


_SHARE = "encrypted_columns_percent"
_ALL = "100 % encrypted"
_CPU = "client_cpu_percent"
_CPU_BEFORE, _CPU_ENCRYPTED = "client_cpu_before_percent", "client_cpu_100pct_encrypted_percent"

_STUDIES = (
    Shape(
        title="TPC-C throughput with and without encrypted columns",
        keys=("instance", "concurrency"),
        claims=(
            Claim("published_overhead_percent", "encrypted_100pct_tps", "plaintext_tps", "loss"),
        ),
        measures=(Measure("plaintext_tps", "TPS"), Measure("encrypted_100pct_tps", "TPS", _ALL)),
    ),
    Shape(
        title="TPC-C by share of encrypted columns",
        keys=("instance", "concurrency"),
        labels=(_SHARE,),
        claims=(Claim("published_overhead_percent", "tps", "plaintext_tps", "loss"),),
        measures=(Measure("tps", "TPS", share=_SHARE), Measure(_CPU, "client CPU", share=_SHARE)),
    ),
    Shape(
        title="CPU of the client before and after encryption",
        keys=("instance", "concurrency"),
        claims=(Claim("published_cpu_increase_percent", _CPU_ENCRYPTED, _CPU_BEFORE, "increase"),),
        measures=(Measure(_CPU_BEFORE, "client CPU"), Measure(_CPU_ENCRYPTED, "client CPU", _ALL)),
    ),
    Shape(
        title="CPU and memory of the client by driver",
        keys=("instance", "concurrency"),
        claims=(
            Claim("published_cpu_increase_percent", f"encjdbc_{_CPU}", f"jdbc_{_CPU}", "increase"),
            Claim(
                "published_memory_change_percent", "encjdbc_memory_mb", "jdbc_memory_mb", "increase"
            ),
        ),
        measures=(
            # A client before encryption runs one driver or the other; the study does not say which.
            Measure(f"jdbc_{_CPU}", "client CPU"),
            Measure(f"encjdbc_{_CPU}", "client CPU"),
            Measure("jdbc_memory_mb", "memory of the plain driver"),
            Measure("encjdbc_memory_mb", "memory of the encrypting driver"),
        ),
    ),
    Shape(
        title="sysbench throughput with the feature disabled and enabled",
        keys=("table", "threads"),
        claims=(Claim("published_overhead_percent", "enabled_ktps", "disabled_ktps", "loss"),),
        measures=(
            Measure("disabled_ktps", "thousand TPS"),
            Measure("enabled_ktps", "thousand TPS", "enabled"),
        ),
    ),
)

_INCREASE = "{}_increase_fraction_arm_over_baseline_minus_1"
_OWN = Shape(
    title="encbench's own report.csv",
    keys=("instance", "workload", "concurrency_threads"),
    labels=("arm",),
    baseline=("role", "baseline"),
    claims=tuple(
        Claim(published, figure, figure, formula, percent=False)
        for published, stem, formula in (
            ("tps_loss_fraction_1_minus_arm_over_baseline", "tps", "loss"),
            (_INCREASE.format("latency_average"), "latency_average_ms", "increase"),
            (_INCREASE.format("latency_p95"), "latency_p95_ms", "increase"),
            (
                _INCREASE.format("cpu_per_transaction"),
                "database_cpu_ms_per_transaction",
                "increase",
            ),
        )
        for figure in [f"{stem}_geometric_mean"]
    ),
    measures=(),
)

KNOWN = (*_STUDIES, _OWN)
"""Shapes that the audit recognises by their header."""


def recognise(table: PublishedTable) -> Shape:
    """The known shape whose columns a table has; BadInput where there is none."""
    found = [shape for shape in KNOWN if shape.columns <= set(table.columns)]
    if not found:
        raise BadInput(
            f"{table.name} has no known header: name its columns with --plain, --encrypted "
            f"and --published; it has {listed(table.columns)}"
        )
    return max(found, key=lambda shape: len(shape.columns))


@dataclass(frozen=True)
class Naming:
    """The columns as a user names them."""

    plain: str
    encrypted: str
    published: str
    formula: str = "loss"
    percent: bool | None = None
    """None takes the formula's default."""
    keys: tuple[str, ...] = ()
    """Empty takes those of `KEYS` that a table has."""
    baseline: tuple[str, str] | None = None


def named(naming: Naming, tables: Sequence[PublishedTable]) -> list[Shape]:
    """A shape for each table from the columns that a user names.

    A table with the published overheads needs the encrypted figures beside them, and the plain
    ones there or in another table. BadInput where no table has a named column, or a table has none
    of them.
    """
    everywhere = {column for table in tables for column in table.columns}
    wanted = (naming.plain, naming.encrypted, naming.published, *naming.keys)
    for column in wanted:
        if column not in everywhere:
            raise BadInput(f"no file has a column {column}: they have {listed(sorted(everywhere))}")
    return [_named(naming, table) for table in tables]


def _named(naming: Naming, table: PublishedTable) -> Shape:
    has = set(table.columns)
    if not has & {naming.plain, naming.encrypted, naming.published}:
        raise BadInput(
            f"{table.name} has none of the named columns: leave it out, or rename its columns; it "
            f"has {listed(table.columns)}"
        )
    if naming.baseline and naming.baseline[0] not in has:
        raise BadInput(f"{table.name} has no column {naming.baseline[0]}, which --baseline names")
    arm = (naming.baseline[0],) if naming.baseline else ()
    keys = tuple(k for k in naming.keys or KEYS if k in has and k not in arm)
    claims: tuple[Claim, ...] = ()
    if naming.published in has:
        if naming.encrypted not in has:
            raise BadInput(
                f"{table.name} has {naming.published} but no column {naming.encrypted} beside it"
            )
        formula = FORMULAS[naming.formula]
        percent = formula.percent if naming.percent is None else naming.percent
        claims = (Claim(naming.published, naming.encrypted, naming.plain, naming.formula, percent),)
    measured = dict.fromkeys((naming.plain, naming.encrypted))
    return Shape(
        title="columns named by options",
        keys=keys,
        labels=arm,
        claims=claims,
        measures=tuple(Measure(c, c, c) for c in measured if c in has),
        baseline=naming.baseline,
    )
