"""Which columns a mode encrypts under a workload, and what share of the schema they are.

`sbtest.c` is that column of all of sysbench's tables, `sbtest7.c` that of one. `chosen` keeps the
mode's spelling; `for_proxy` spells out every table, because the proxy matches exact names.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from encbench.api.columns import Columns
from encbench.api.kinds import ENCRYPTION_MODE
from encbench.core.columns import enclave
from encbench.core.columns.schema import NUMBERED, SchemaName, entries
from encbench.core.hints import MOST_HINTS, closest
from encbench.core.problem import Problem, Reason


@dataclass(frozen=True)
class Share:
    """How much of a schema is encrypted, in columns."""

    count: int
    total: int

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        return self.count / self.total


def schema_of(*, tpcc: bool) -> SchemaName:
    """The schema of a workload of that tool."""
    return "tpcc" if tpcc else "sysbench"


def all_columns(schema: SchemaName) -> tuple[str, ...]:
    """Every column, in the order of the tables."""
    return tuple(entry.name for entry in entries(schema))


def chosen(schema: SchemaName, columns: Columns) -> tuple[str, ...]:
    """The encrypted columns: the mode's own list, or those of its ratio in the schema's order."""
    if columns.method == "enclave":
        return tuple(f"{enclave.TABLE}.{name}" for name in enclave.encrypted(columns))
    if columns.chosen is not None:
        return tuple(columns.chosen)
    ratio = columns.ratio or 0
    return tuple(entry.name for entry in entries(schema) if entry.ratio <= ratio)


def share(schema: SchemaName, columns: Columns, tables: int = 1) -> Share:
    """The encrypted share of the schema's columns; sysbench has that many `tables`."""
    total = len(for_proxy_all(schema, tables))
    return Share(len(for_proxy(schema, columns, tables)), total)


def for_proxy(schema: SchemaName, columns: Columns, tables: int = 1) -> tuple[str, ...]:
    """The columns as the proxy matches them, each once, with numbered tables spelled out."""
    written = (one for name in chosen(schema, columns) for one in _numbered(schema, name, tables))
    return tuple(dict.fromkeys(written))


def for_proxy_all(schema: SchemaName, tables: int = 1) -> tuple[str, ...]:
    """Every column in that form."""
    return tuple(one for name in all_columns(schema) for one in _numbered(schema, name, tables))


def file_text(schema: SchemaName, columns: Columns, tables: int = 1) -> str:
    """The proxy's file: one encrypted column per line, then one table of the schema per line.

    The proxy treats a table that the file does not name as unknown, with all of its columns. The
    file is empty where nothing is encrypted.
    """
    named = for_proxy(schema, columns, tables)
    known = (name.partition(".")[0] for name in for_proxy_all(schema, tables))
    lines = [*named, *dict.fromkeys(known)] if named else []
    return "".join(f"{line}\n" for line in lines)


def problems(schema: SchemaName, columns: Columns, tables: int = 1) -> tuple[Problem, ...]:
    """Columns of the mode's list that the workload's schema does not have: the first, by name."""
    return _unknown(schema, tuple(columns.chosen or ()), tables)


@lru_cache(maxsize=256)
def _unknown(schema: SchemaName, names: tuple[str, ...], tables: int) -> tuple[Problem, ...]:
    """A mode meets the same schema in many workloads, and each of those on many instances."""
    known = {name.lower(): name for name in all_columns(schema)}
    unknown = [name for name in names if _bare(schema, name, tables).lower() not in known]
    tool = "TPC-C" if schema == "tpcc" else "sysbench"
    texts = []
    for name in unknown[:MOST_HINTS]:
        close = closest(name.lower(), known, cutoff=0.5)
        hint = f"write {known[close]} if that is what you mean" if close else "leave it out"
        texts.append(f"{name} is not a column of {tool}'s tables: {hint}")
    if more := len(unknown) - len(texts):
        others = f"{more} other names are not columns" if more > 1 else "another name is no column"
        texts.append(f"{others} of {tool}'s tables either: leave out what is none")
    return tuple(
        Problem(ENCRYPTION_MODE, Reason.COLUMN_UNKNOWN, f"columns.list: {text}") for text in texts
    )


def _numbered(schema: SchemaName, name: str, tables: int) -> tuple[str, ...]:
    base = NUMBERED.get(schema)
    table, _, column = name.partition(".")
    if base is None or table.lower() != base:
        return (name,)
    return tuple(f"{base}{number}.{column}" for number in range(1, tables + 1))


def _bare(schema: SchemaName, name: str, tables: int) -> str:
    """The name with its numbered table, if it is one, replaced by the table that stands for all."""
    base = NUMBERED.get(schema)
    found = base and re.fullmatch(f"(?i:{base})([1-9][0-9]*)([.].+)", name)
    if not found or int(found[1]) > tables:
        return name
    return f"{base}{found[2]}"
