"""What the agent must know of an engine: a port of plain functions, one set per engine.

Only the named engine's modules are imported, and only those that hold no more than text and
functions over it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Row = Sequence[Any]
Statement = tuple[str, tuple[object, ...]]


class Session(Protocol):
    """What the agent needs of `adapters.sql.Session`."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement; its rows. SqlError closes the session."""
        ...

    def close(self) -> None:
        """Leave."""
        ...


OpenSession = Callable[[], Session]
"""Opens a session; SqlError when the server does not let it."""


@dataclass(frozen=True)
class Probe:
    """One engine, seen from inside its pod."""

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
    catalogue: Callable[[Iterable[Row], Iterable[Row], Iterable[Row]], dict[str, Any]]
    busy: Callable[[Iterable[Row]], bool]
    """Whether rows of `tablespaces` show work that is about to change them."""
    is_marker: Callable[[str], bool]
    left_behind: Statement
    table_name: Callable[[str], str]
    table_file: Callable[[str], str]
    """The table's own file, relative to the data directory."""
    plant: Callable[[str, str], Iterable[Statement]]
    flush: Callable[[str], Statement]
    unlock: Statement
    flush_logs: Statement
    """Completes what a full search reads beside the tables."""
    drop: Callable[[str], Statement]
    kind_of: Callable[[str], str]


def probe(engine: str) -> Probe:
    """The probe of an engine; KeyError when there is none."""
    return _PROBES[engine]()


def _mariadb() -> Probe:
    from encbench.engines.mariadb import catalogue, files, marker  # noqa: PLC0415

    return Probe(
        process_name="mariadbd",
        user="encbench_agent",
        settings=catalogue.SETTINGS,
        version=catalogue.VERSION,
        encryption_settings=catalogue.ENCRYPTION_SETTINGS,
        plugins=catalogue.PLUGINS,
        tablespaces=catalogue.TABLESPACES,
        catalogue=catalogue.catalogue,
        busy=catalogue.busy,
        is_marker=lambda text: marker.MARKER.fullmatch(text) is not None,
        left_behind=marker.LEFT_BEHIND,
        table_name=marker.table_name,
        table_file=marker.table_file,
        plant=marker.plant,
        flush=marker.flush,
        unlock=marker.UNLOCK,
        flush_logs=marker.FLUSH_BINARY_LOG,
        drop=marker.drop,
        kind_of=files.kind_of,
    )


_PROBES: dict[str, Callable[[], Probe]] = {"mariadb": _mariadb}
