"""Tables of the benchmark that are not InnoDB's: the statement that lists them, and its rows.

The agent imports this module: the standard library only. TDE encrypts InnoDB's tablespaces, and
InnoDB's catalogue has no row for another engine's table. `judge` does the judging.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.core.connection import DATABASE

OTHERS = (
    "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES "  # noqa: S608 constants alone
    f"WHERE TABLE_SCHEMA = '{DATABASE}' AND TABLE_TYPE <> 'VIEW' AND NOT (ENGINE <=> 'InnoDB')"
)


def engines(rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    """The engine of each table, from the rows of `OTHERS`."""
    return {str(name): str(engine) for name, engine in rows}
