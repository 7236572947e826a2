"""What a client sees of chosen columns, value by value: facts for the proof of column encryption.

One row of each table is read twice, by the server's own socket and, as the benchmark's user,
through the proxy. An encrypted value counts as such only when the mode's key opens it to the very
bytes of the direct session, and when its header repeats what the server said of the column. The
key and the values stay here: what is told is names and verdicts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from encbench.adapters.sql.raw import RawColumn, RawResult
from encbench.core.columns import envelope
from encbench.core.columns.envelope import Envelope, Kind
from encbench.core.columns.probes import SAMPLE, digest, probe_of
from encbench.engines.marker import PREFIX
from encbench.sidecars.agent.probe import SqlSession
from encbench.wire import agent as wire

TABLES = (
    "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s "
    "AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME"
)


class RowReader(Protocol):
    """What is needed of a session of `adapters.sql.raw`."""

    def first(self, statement: str) -> RawResult:
        """Columns and first row of a statement's result."""

    def close(self) -> None:
        """Leave."""


@dataclass(frozen=True)
class ColumnsLook:
    """How to look, in an arm whose clients come through a proxy."""

    chosen: frozenset[str]
    """As the proxy's file has them, in lower case."""
    direct: Callable[[], RowReader]
    proxied: Callable[[], RowReader]
    opened: Callable[[Envelope], bytes]
    """The plaintext; ValueError says why not."""
    database: str


@dataclass
class _Table:
    name: str
    row: bool
    digest: str | None
    plain: list[str] = field(default_factory=list)
    encrypted: dict[str, list[str]] = field(default_factory=dict)
    null: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)

    def told(self) -> wire.TableColumns:
        return {
            "table": self.name,
            "row": self.row,
            "digest": self.digest,
            "plain": self.plain,
            "encrypted": self.encrypted,
            "null": self.null,
            "wrong": self.wrong,
        }


def facts(look: ColumnsLook, session: SqlSession, *, full: bool) -> wire.ColumnsSeen:
    """The evidence's `columns`. Blocks; SqlError when one of the sessions cannot be had.

    `tables` has for each table that was read the columns whose proxied value equals the direct one
    (`plain`), those that the key opens to it (`encrypted`, by algorithm), those that are NULL on
    both sides, and those of which neither holds (`wrong`, with the reason).
    """
    names = [str(row[0]) for row in session.rows(TABLES, (look.database,))]
    tables = [name for name in names if not name.startswith(PREFIX)]
    read = tables if full else sample(tables, look.chosen)
    direct = look.direct()
    try:
        proxied = look.proxied()
        try:
            nonces: set[bytes] = set()
            made = [_table(look, direct, proxied, name, nonces) for name in read]
        finally:
            proxied.close()
    finally:
        direct.close()
    return {
        "chosen": len(look.chosen),
        "all": len(tables),
        "tables": [one.told() for one in made],
    }


def sample(tables: Sequence[str], chosen: Iterable[str]) -> list[str]:
    """All of a few tables; of many some with chosen columns and some without, evenly spread."""
    if len(tables) <= SAMPLE:
        return list(tables)
    with_chosen = {name.partition(".")[0] for name in chosen}
    own = [name for name in tables if name.lower() in with_chosen]
    rest = [name for name in tables if name.lower() not in with_chosen]
    half = SAMPLE // 2
    first = _spread(own, max(half, SAMPLE - len(rest)))
    return sorted([*first, *_spread(rest, SAMPLE - len(first))])


def _spread(names: Sequence[str], count: int) -> list[str]:
    """So many of them, the first and the last among them."""
    if len(names) <= count:
        return list(names)
    step = (len(names) - 1) / (count - 1)
    return [names[round(place * step)] for place in range(count)]


def _table(
    look: ColumnsLook, direct: RowReader, proxied: RowReader, name: str, nonces: set[bytes]
) -> _Table:
    probe = probe_of(name)
    # Names come from the server's own catalogue.
    statement = f"SELECT * FROM `{name.replace('`', '``')}` {probe.where}"  # noqa: S608
    own, seen = direct.first(statement), proxied.first(statement)
    names = [column.name for column in own.columns]
    made = _Table(name, own.row is not None, digest(probe, names, own.row))
    if [column.name for column in seen.columns] != names or (own.row is None) != (seen.row is None):
        made.wrong["*"] = "the proxy gives another result than the server"
        return made
    for place, column in enumerate(own.columns):
        value = own.row[place] if own.row is not None else None
        through = seen.row[place] if seen.row is not None else None
        _column(look, made, (column, value), (seen.columns[place], through), nonces)
    return made


Cell = tuple[RawColumn, bytes | None]


def _column(look: ColumnsLook, made: _Table, own: Cell, seen: Cell, nonces: set[bytes]) -> None:
    (column, value), (announced, through) = own, seen
    if value is None and through is None:
        made.null.append(column.name)
    elif value is None or through is None:
        made.wrong[column.name] = "it is NULL on one side only"
    elif through == value and not envelope.bears_magic(through):
        made.plain.append(column.name)
        if announced.kind != column.kind:
            made.wrong[column.name] = "the proxy announces a plain value with another type"
    else:
        algorithm, why = _sealed(look, column.kind, value, through, nonces)
        if why:
            made.wrong[column.name] = why
        else:
            made.encrypted.setdefault(algorithm, []).append(column.name)


def _sealed(
    look: ColumnsLook, kind: Kind, value: bytes, through: bytes, nonces: set[bytes]
) -> tuple[str, str]:
    """Algorithm, and what is wrong with it: nothing where the text is empty."""
    try:
        found = envelope.parse(through)
        plain = look.opened(found)
    except ValueError as error:
        return "", f"{error}"
    if plain != value:
        return "", "it opens to another value than the server's"
    if found.kind != kind:
        return "", "its header says another type than the server"
    if found.nonce in nonces:
        return "", "its nonce was used before"
    nonces.add(found.nonce)
    return found.algorithm, ""
