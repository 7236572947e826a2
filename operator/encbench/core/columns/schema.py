"""The schemas whose columns a mode may choose from, read from the lists beside this file.

People read the lists as well: one line per column, with the smallest ratio that encrypts it.
"""

import functools
from importlib import resources
from typing import Literal, NamedTuple

SchemaName = Literal["tpcc", "sysbench"]

NUMBERED: dict[SchemaName, str] = {"sysbench": "sbtest"}
"""The table that stands for all numbered tables of a workload."""


class Entry(NamedTuple):
    """One column."""

    name: str
    """`table.column`, as a mode writes it."""
    ratio: int
    """The smallest that encrypts it."""


@functools.cache
def entries(schema: SchemaName) -> tuple[Entry, ...]:
    """Every column of the schema, in the order of its tables."""
    text = resources.files("encbench.core.columns").joinpath(f"{schema}.txt").read_text("utf-8")
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(Entry(words[0], int(words[1])) for words in lines if words)
