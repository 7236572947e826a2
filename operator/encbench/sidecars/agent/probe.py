"""The agent's view of an engine: a port of plain functions, one set per engine.

Only the named engine's modules are imported, and of these only modules of text and pure functions.
"""

import signal
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from encbench.adapters.sql import Row, Session
from encbench.engines.facts import EngineFacts, facts
from encbench.engines.marker import Statement, Step
from encbench.wire.agent import CatalogueRows

OpenSession = Callable[[], Session]
"""Opens a session; SqlError when the server refuses."""


class EngineCatalogue(Protocol):
    """An engine's module `catalogue`."""

    SETTINGS: str
    """Its rows are name and value of each setting in force."""
    VERSION: str
    ENCRYPTION_SETTINGS: str
    PLUGINS: str
    TABLESPACES: str
    """The rows of these three make the catalogue."""

    @property
    def catalogue(self) -> Callable[..., CatalogueRows]:
        """Takes the rows of these three, and then those of each of the probe's `further`."""

    @property
    def kind_of(self) -> Callable[[str], str]:
        """The kind of the file at a path of the volume."""


@dataclass(frozen=True)
class EngineProbe:
    """One engine, seen from inside its pod."""

    facts: EngineFacts
    says: EngineCatalogue
    busy: Callable[[Iterable[Row]], bool]
    """Whether rows of `TABLESPACES` show background work that will change them."""
    left_behind: Statement
    table_file: Callable[[Session, str], str]
    """The table's own file, relative to the data directory."""
    plant: Callable[[str, str], Iterable[Statement]]
    """Make the table and write the marker, until both are in the table's file."""
    drop: Callable[[str], Statement]
    ending: Callable[[Session, str], Iterable[Statement]]
    """For each session of that login, the statement that ends it."""
    settle: Callable[[Session, str], Iterable[Step]]
    """Steps after which no change waits to be written, without those up to the one of that name.
    Each works for a bounded time, and stopping between two does no harm."""
    redo: Callable[[Session], int | None]
    """Bytes of log that the data files lack; None if the server does not report them."""
    loading: Callable[[Session], bool] = lambda _: False
    """Whether the server still reads back the pages that its pool held when it stopped."""
    dirty: str | None = None
    """Its row ends with the number of pages still to be written; None if the engine has none."""
    dirty_bytes: str | None = None
    """The same in bytes."""
    flush_logs: Iterable[Statement] = ()
    """Complete the files that a full search reads besides the tables."""
    shutdown: int = signal.SIGTERM
    """The signal for a quick, orderly shutdown."""
    further: tuple[str, ...] = ()
    """Further statements whose rows the catalogue takes."""
    echo: Callable[[str], str] = lambda _: ""
    """A second text of the same length that `plant` writes to another place than the marker, for an
    engine whose files must be distinguished; empty if there is none."""


def probe(engine: str) -> EngineProbe:
    """The probe of an engine; KeyError when there is none."""
    row = facts(engine)
    return _PROBES[row.package](row)


def _innodb(
    row: EngineFacts, says: EngineCatalogue, busy: Callable[[Iterable[Row]], bool]
) -> EngineProbe:
    """The common part of MariaDB and MySQL."""
    from encbench.engines.innodb import marker, pool, sessions, tables, unwritten  # noqa: PLC0415

    return EngineProbe(
        facts=row,
        says=says,
        busy=busy,
        left_behind=marker.LEFT_BEHIND,
        table_file=lambda _, table: marker.table_file(table),
        plant=marker.plant,
        flush_logs=(marker.FLUSH_BINARY_LOG,),
        drop=marker.drop,
        further=(tables.OTHERS,),
        ending=sessions.ending,
        settle=unwritten.flush,
        loading=pool.is_loading,
        dirty=unwritten.DIRTY,
        dirty_bytes=unwritten.DIRTY_BYTES,
        redo=lambda session: unwritten.redo_bytes(session.rows(unwritten.STATUS)),
    )


def _mariadb(row: EngineFacts) -> EngineProbe:
    from encbench.engines.mariadb import catalogue  # noqa: PLC0415

    return _innodb(row, catalogue, catalogue.busy)


def _mysql(row: EngineFacts) -> EngineProbe:
    from encbench.engines.mysql import catalogue  # noqa: PLC0415
    from encbench.engines.mysql.marker import echo, plant  # noqa: PLC0415

    innodb = _innodb(row, catalogue, catalogue.busy)
    return replace(
        innodb,
        plant=plant,
        further=(catalogue.BINARY_LOGS, catalogue.STATUS, *innodb.further),
        echo=echo,
    )


def _postgresql(row: EngineFacts) -> EngineProbe:
    from encbench.engines.postgresql import catalogue, marker, sessions  # noqa: PLC0415

    def table_file(session: Session, table: str) -> str:
        return str(session.rows(*marker.file_of(table))[0][0])

    return EngineProbe(
        facts=row,
        says=catalogue,
        busy=lambda _: False,
        left_behind=marker.LEFT_BEHIND,
        table_file=table_file,
        plant=marker.plant,
        drop=marker.drop,
        ending=sessions.ending,
        settle=lambda _session, _after: (("checkpoint", (("CHECKPOINT", ()),)),),
        redo=lambda session: catalogue.redo_bytes(session.rows(catalogue.SINCE_CHECKPOINT)),
        # SIGTERM would wait until every client has left.
        shutdown=signal.SIGINT,
    )


_PROBES: dict[str, Callable[[EngineFacts], EngineProbe]] = {
    "mariadb": _mariadb,
    "mysql": _mysql,
    "postgresql": _postgresql,
}
"""By the package of the engine."""
