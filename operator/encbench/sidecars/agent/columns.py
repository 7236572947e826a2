"""How a client sees chosen columns, value by value: facts for the proof of column encryption.

The agent reads one row of each table twice: through the server's own socket and, as the benchmark's
user, through the proxy. A value counts as encrypted only if the mode's key opens it to the bytes of
the direct session and its header repeats the server's column type. The key and the values stay
here: the answer holds names and verdicts.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from encbench.adapters.sql import Session
from encbench.adapters.sql.raw import RawColumn, RawSession
from encbench.core.columns import envelope
from encbench.core.columns.envelope import Envelope
from encbench.core.columns.probes import SAMPLE, digest, probe_of
from encbench.core.connection import DATABASE
from encbench.engines.marker import PREFIX
from encbench.wire import agent as wire

TABLES = (
    "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s "
    "AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME"
)


@dataclass(frozen=True)
class ColumnsLook:
    """How to look, in an arm whose clients connect through a proxy."""

    chosen: frozenset[str]
    """As in the proxy's file, in lower case."""
    direct: Callable[[], RawSession]
    proxied: Callable[[], RawSession]
    opened: Callable[[Envelope, bytes], bytes]
    """The plaintext of a value of the column that the bytes name; ValueError says why not."""

    def facts(self, session: Session, *, full: bool) -> wire.ColumnsSeen:
        """The evidence's `columns`. Blocks; SqlError when one of the sessions cannot be opened.

        `tables` lists for each table that was read the columns whose proxied value equals the
        direct one (`plain`), those whose value the key opens to it (`encrypted`, by algorithm),
        those that are NULL on both sides (`null`), and all others with the reason (`wrong`).
        """
        names = [str(row[0]) for row in session.rows(TABLES, (DATABASE,))]
        tables = [name for name in names if not name.startswith(PREFIX)]
        read = tables if full else sample(tables, self.chosen)
        nonces: set[bytes] = set()
        with closing(self.direct()) as direct, closing(self.proxied()) as proxied:
            made = [self._table(direct, proxied, name, nonces) for name in read]
        return {"chosen": len(self.chosen), "all": len(tables), "tables": made}

    def _table(
        self, direct: RawSession, proxied: RawSession, name: str, nonces: set[bytes]
    ) -> wire.TableColumns:
        probe = probe_of(name)
        # Names come from the server's own catalogue.
        statement = f"SELECT * FROM `{name.replace('`', '``')}` {probe.where}"  # noqa: S608
        own, seen = direct.first(statement), proxied.first(statement)
        names = [column.name for column in own.columns]
        proxied_names = [column.name for column in seen.columns]
        made = wire.TableColumns(
            table=name,
            row=own.row is not None,
            digest=digest(probe, names, own.row),
            plain=[],
            encrypted={},
            null=[],
            wrong={},
        )
        if proxied_names != names or (own.row is None) != (seen.row is None):
            made["wrong"]["*"] = "the proxy's result differs from the server's"
            return made
        for place, column in enumerate(own.columns):
            value = own.row[place] if own.row is not None else None
            through = seen.row[place] if seen.row is not None else None
            if value is None and through is None:
                made["null"].append(column.name)
            elif value is None or through is None:
                made["wrong"][column.name] = "it is NULL on one side only"
            elif through == value and not envelope.bears_magic(through):
                made["plain"].append(column.name)
                if seen.columns[place].kind != column.kind:
                    why = "the proxy announces a plain value with another type"
                    made["wrong"][column.name] = why
            else:
                algorithm, why = self._sealed(column, value, through, nonces)
                if why:
                    made["wrong"][column.name] = why
                else:
                    made["encrypted"].setdefault(algorithm, []).append(column.name)
        return made

    def _sealed(
        self, column: RawColumn, value: bytes, through: bytes, nonces: set[bytes]
    ) -> tuple[str, str]:
        """Algorithm, and what is wrong with the value; an empty text means nothing is."""
        try:
            found = envelope.parse(through)
            plain = self.opened(found, column.bound)
        except ValueError as error:
            return "", f"{error}"
        if plain != value:
            return "", "the key opens it to a value that differs from the server's"
        if found.kind != column.kind:
            return "", "its header names a type that differs from the server's"
        used = found.key_id + found.nonce
        if used in nonces:
            return "", "its nonce was used before"
        nonces.add(used)
        return found.algorithm, ""


def sample(tables: Sequence[str], chosen: Iterable[str]) -> list[str]:
    """All tables if they are few, else a spread of tables with and without chosen columns."""
    if len(tables) <= SAMPLE:
        return list(tables)
    with_chosen = {name.partition(".")[0] for name in chosen}
    own = [name for name in tables if name.lower() in with_chosen]
    rest = [name for name in tables if name.lower() not in with_chosen]
    half = SAMPLE // 2
    first = _spread(own, max(half, SAMPLE - len(rest)))
    return sorted([*first, *_spread(rest, SAMPLE - len(first))])


def _spread(names: Sequence[str], count: int) -> list[str]:
    """That many of them, evenly spread from the first to the last."""
    if len(names) <= count:
        return list(names)
    step = (len(names) - 1) / (count - 1)
    return [names[round(place * step)] for place in range(count)]
