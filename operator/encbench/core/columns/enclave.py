"""Which columns of sysbench's tables have encrypted types in a mode, and by what rows are found.

All tables are alike, so a mode names a column of every table: `sbtest.c`.
"""

from collections.abc import Iterator

from encbench.api.columns import Columns
from encbench.api.kinds import ENCRYPTION_MODE
from encbench.api.workload import Sysbench
from encbench.core.problem import Problem, Reason

SIMULATION = "SIMULATION of the boundary"
"""What everything that people read says of such a mode."""
TABLE = "sbtest"
TYPES = {"id": "enc_int4", "k": "enc_int4", "c": "enc_text", "pad": "enc_text"}
"""Every column with its encrypted type, in the order of the table."""
PLAIN_TYPES = {"id": "integer", "k": "integer", "c": "character(120)", "pad": "character(60)"}
RATIOS = {75: ("k", "c", "pad"), 100: ("id", "k", "c", "pad")}
"""What the study's scenarios encrypt: 75 in the first, 100 in the others."""
LOOKUPS = ("id", "k")
"""The columns by which rows may be found."""
LEAST_TRANSITION = 5_000
"""Nanoseconds. A measured crossing has three or four readings of the clock in it, 0.18 µs on a slow
machine, and the proof tolerates 5 %."""
MOST_TOGETHER = 1_320_000
"""Nanoseconds of a transition and 16 values. A calibration spends 2,000 times as much, 2.6 s of a
CPU. The agent's statement may take 30 s: enough for a server with a tenth of a CPU."""


def encrypted(columns: Columns) -> tuple[str, ...]:
    """The encrypted columns of every table, in the order of the table."""
    if columns.chosen is None:
        return RATIOS[columns.ratio or 0]
    named = {name.lower() for name in columns.chosen}
    return tuple(name for name in TYPES if f"{TABLE}.{name}" in named)


def types(columns: Columns) -> dict[str, str]:
    """The type that each column must have."""
    own = encrypted(columns)
    return {name: TYPES[name] if name in own else PLAIN_TYPES[name] for name in TYPES}


def lookup(sysbench: Sysbench) -> str:
    """The column by which a workload finds its rows."""
    return sysbench.option("lookup", LOOKUPS[0])


def has_secondary(sysbench: Sysbench) -> bool:
    """Whether k has an index."""
    return sysbench.flag("create-secondary", default=True)


def indexed(sysbench: Sysbench) -> tuple[str, ...]:
    """The columns that have an index."""
    return LOOKUPS if has_secondary(sysbench) else LOOKUPS[:1]


def problems(columns: Columns) -> Iterator[Problem]:
    """What is wrong with a mode by itself.

    Columns that no table has, or that it names in one table alone; a batching of nothing; costs
    that no proof can measure.
    """
    known = ", ".join(f"{TABLE}.{name}" for name in TYPES)
    for name in columns.chosen or ():
        table, _, column = name.lower().partition(".")
        if table == TABLE and column in TYPES:
            continue
        text = f"columns.list: {name} is not a column of encbench's tables: write any of {known}"
        if column in TYPES and table.removeprefix(TABLE).isdecimal():
            text = (
                f"columns.list: {name} is a column of one table, but encrypted types are those of "
                f"all tables alike: write {TABLE}.{column}"
            )
        yield Problem(ENCRYPTION_MODE, Reason.COLUMN_UNKNOWN, text)
    if columns.boundary.index == "PageBatch" and not {*LOOKUPS} & {*encrypted(columns)}:
        text = (
            "columns.enclave.index: PageBatch batches comparisons of encrypted indexes, and id and "
            "k, which have indexes, are plain: add sbtest.k to columns.list, or leave index out"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    yield from _unproven(columns)


def _unproven(columns: Columns) -> Iterator[Problem]:
    """Costs that no proof can measure. The API takes them, because it took them in a release."""
    boundary = columns.boundary
    if 0 < boundary.transition_ns < LEAST_TRANSITION:
        text = (
            f"columns.enclave.transition: {boundary.transition} is too short to be proven, because "
            "the readings of the clock around it may take more than the 5 % that a proof allows: "
            "write 5us at least, or 0ns for none"
        )
        yield Problem(ENCRYPTION_MODE, Reason.SETTING_INVALID, text)
    most = (MOST_TOGETHER - boundary.transition_ns) // 16_000
    if boundary.value_ns > 1_000 * most:
        text = (
            f"columns.enclave.value: {boundary.value} is too long to be proven, because each proof "
            "spends it 32,000 times and must end in time on a small server, too: write "
            f"{most}us at most"
        )
        yield Problem(ENCRYPTION_MODE, Reason.SETTING_INVALID, text)
