"""The schemas whose columns a mode may choose from, read from the lists beside this file.

People read the lists as well: one line per column, with the smallest ratio that encrypts it.
"""

import functools
from dataclasses import dataclass
from importlib import resources
from typing import Literal

SchemaName = Literal["tpcc", "sysbench"]

NUMBERED: dict[SchemaName, str] = {"sysbench": "sbtest"}
"""The table that stands for all numbered tables of a workload."""


@dataclass(frozen=True)
class Entry:
    """One column."""

    table: str
    column: str
    ratio: int
    """The smallest that encrypts it."""

    @property
    def name(self) -> str:
        """The name as a mode writes it."""
        return f"{self.table}.{self.column}"


@functools.cache
def entries(schema: SchemaName) -> tuple[Entry, ...]:
    """Every column of the schema, in the order of its tables."""
    text = resources.files("encbench.core.columns").joinpath(f"{schema}.txt").read_text("utf-8")
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(_entry(*words) for words in lines if words)


def _entry(name: str, ratio: str) -> Entry:
    table, _, column = name.partition(".")
    return Entry(table, column, int(ratio))
