"""What the agent must know of an engine: a port of plain functions, one set per engine.

Only the named engine's modules are imported, and only those that hold no more than text and
functions over it.
"""

import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from encbench.core.connection import Driver
from encbench.engines.facts import EngineFacts, facts
from encbench.engines.marker import Statement
from encbench.engines.users import AGENT_USER
from encbench.wire.agent import CatalogueRows

Row = Sequence[Any]


class SqlSession(Protocol):
    """What the agent needs of a session of `adapters.sql`."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement; its rows. SqlError closes the session."""
        ...

    def close(self) -> None:
        """Leave."""
        ...


OpenSession = Callable[[], SqlSession]
"""Opens a session; SqlError when the server does not let it."""


@dataclass(frozen=True)
class EngineProbe:
    """One engine, seen from inside its pod."""

    driver: Driver
    """What the server speaks."""
    process_name: str
    user: str
    """The agent's own user in the database."""
    settings: str
    """Statement whose rows are name and value of each setting in force."""
    version: str
    encryption_settings: str
    plugins: str
    tablespaces: str
    """Rows of these three make the catalogue."""
    catalogue: Callable[..., CatalogueRows]
    """Takes the rows of these three, and then of each of `further`."""
    busy: Callable[[Iterable[Row]], bool]
    """Whether rows of `tablespaces` show work that is about to change them."""
    left_behind: Statement
    table_file: Callable[[SqlSession, str], str]
    """The table's own file, relative to the data directory."""
    plant: Callable[[str, str], Iterable[Statement]]
    """Make the table, write the marker, and wait until both are in the table's file."""
    flush_logs: Iterable[Statement]
    """Complete what a full search reads beside the tables."""
    drop: Callable[[str], Statement]
    kind_of: Callable[[str], str]
    settle: Callable[[SqlSession], Iterable[Statement]]
    """Statements after which nothing that was changed waits to be written. Each works for a bounded
    time; leaving them half-way does no harm."""
    dirty: str | None = None
    """Statement whose row ends with how many pages wait to be written; None where none says so."""
    redo: Callable[[SqlSession], int | None] = lambda _: None
    """Bytes of the log that the data files do not have yet; None where the server does not say."""
    shutdown: int = signal.SIGTERM
    """The signal at which the server ends at once and in order."""
    further: tuple[str, ...] = ()
    """Statements whose rows the catalogue takes as well."""
    echo: Callable[[str], str] = lambda _: ""
    """A second text that `plant` writes elsewhere than the marker, of the same length, for an
    engine whose files must be told apart; none where it is empty."""


def probe(engine: str) -> EngineProbe:
    """The probe of an engine; KeyError when there is none."""
    row = facts(engine)
    return _PROBES[row.package](row)


def _innodb(row: EngineFacts, catalogue: Any) -> EngineProbe:
    """What MariaDB and MySQL have in common. `catalogue` is the engine's own module."""
    from encbench.engines.innodb import marker, unwritten  # noqa: PLC0415

    return EngineProbe(
        driver=row.driver,
        process_name=row.process,
        user=AGENT_USER,
        settings=catalogue.SETTINGS,
        version=catalogue.VERSION,
        encryption_settings=catalogue.ENCRYPTION_SETTINGS,
        plugins=catalogue.PLUGINS,
        tablespaces=catalogue.TABLESPACES,
        catalogue=catalogue.catalogue,
        busy=catalogue.busy,
        left_behind=marker.LEFT_BEHIND,
        table_file=lambda _, table: marker.table_file(table),
        plant=marker.plant,
        flush_logs=(marker.FLUSH_BINARY_LOG,),
        drop=marker.drop,
        kind_of=catalogue.kind_of,
        settle=unwritten.flush,
        dirty=unwritten.DIRTY,
        redo=lambda session: unwritten.redo_bytes(session.rows(unwritten.STATUS)),
    )


def _mariadb(row: EngineFacts) -> EngineProbe:
    from encbench.engines.mariadb import catalogue  # noqa: PLC0415

    return _innodb(row, catalogue)


def _mysql(row: EngineFacts) -> EngineProbe:
    from encbench.engines.mysql import catalogue  # noqa: PLC0415
    from encbench.engines.mysql.marker import echo, plant  # noqa: PLC0415

    return replace(
        _innodb(row, catalogue),
        plant=plant,
        further=(catalogue.BINARY_LOGS, catalogue.STATUS),
        echo=echo,
    )


def _postgresql(row: EngineFacts) -> EngineProbe:
    from encbench.engines.postgresql import catalogue, marker  # noqa: PLC0415

    def table_file(session: SqlSession, table: str) -> str:
        return str(session.rows(*marker.file_of(table))[0][0])

    return EngineProbe(
        driver=row.driver,
        process_name=row.process,
        user=AGENT_USER,
        settings=catalogue.SETTINGS,
        version=catalogue.VERSION,
        encryption_settings=catalogue.ENCRYPTION_SETTINGS,
        plugins=catalogue.PLUGINS,
        tablespaces=catalogue.TABLESPACES,
        catalogue=catalogue.catalogue,
        busy=lambda _: False,
        left_behind=marker.LEFT_BEHIND,
        table_file=table_file,
        plant=marker.plant,
        flush_logs=(),
        drop=marker.drop,
        kind_of=catalogue.kind_of,
        settle=lambda _: (("CHECKPOINT", ()),),
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
