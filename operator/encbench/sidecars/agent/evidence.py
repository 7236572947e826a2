"""Gathering evidence: plant a marker, ask the catalogue, search the files, remove the marker.

Every wait has a bound: the session's timeout for statements, a deadline for the search. The table
is removed whatever happens. A table that a killed agent left behind is removed first.
"""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from encbench.adapters.sql import Session, SqlError
from encbench.engines.marker import table_name
from encbench.sidecars.agent.files import Searched, search_file, search_tree
from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.sidecars.agent.volume import Ground
from encbench.wire import agent as wire

SETTLE_SECONDS = 30.0
"""How long a full proof waits until background encryption has finished."""
SETTLE_POLL_SECONDS = 0.5
SEARCH_SECONDS = 3600.0


class EvidenceError(Exception):
    """The evidence could not be gathered. The text says why."""


class Cancelled(EvidenceError):
    """The caller has gone."""


def gather(
    open_session: OpenSession,
    probe: EngineProbe,
    volume: Path,
    data: Path,
    marker: str,
    *,
    full: bool,
    cancelled: Callable[[], bool] = lambda: False,
    ground: Ground | None = None,
    columns: Callable[[Session], wire.ColumnsSeen] | None = None,
) -> wire.EvidenceAnswer:
    """The evidence. Blocks; EvidenceError when it cannot be had."""
    began = time.monotonic()

    def stop() -> None:
        if cancelled():
            raise Cancelled("the caller of this evidence has gone")
        if time.monotonic() - began > SEARCH_SECONDS:
            raise EvidenceError(f"the search took longer than {SEARCH_SECONDS:.0f} s")

    try:
        with closing(open_session()) as session:
            for row in session.rows(*probe.left_behind):
                session.rows(*probe.drop(str(row[0])))
            table = table_name(marker)
            try:
                _plant(session, probe, table, marker, full=full)
                catalogue = _catalogue(session, probe, stop, full=full)
                own = data / probe.table_file(session, table)
                files = _search(own, volume, probe, marker, stop, full=full)
                below = ground.facts(own, marker.encode(), stop, full=full) if ground else None
                shown = columns(session) if columns else None
            finally:
                _remove(open_session, session, probe, table)
    except SqlError as error:
        raise EvidenceError(str(error)) from error
    except OSError as error:
        raise EvidenceError(f"cannot read {error.filename}: {error.strerror}") from error
    proxied: wire.SeenThroughProxy = {"columns": shown} if shown else {}
    return {
        "marker": marker,
        "full": full,
        "catalogue": catalogue,
        "files": files,
        "markerTable": table,
        "markerFile": own.relative_to(volume).as_posix(),
        "volume": below,
        **proxied,
        "tookSeconds": round(time.monotonic() - began, 3),
        "clock": time.time(),
    }


def _plant(session: Session, probe: EngineProbe, table: str, marker: str, *, full: bool) -> None:
    for statement in (*probe.plant(table, marker), *(probe.flush_logs if full else ())):
        session.rows(*statement)


def _catalogue(
    session: Session, probe: EngineProbe, stop: Callable[[], None], *, full: bool
) -> wire.CatalogueRows:
    tablespaces = session.rows(probe.tablespaces)
    deadline = time.monotonic() + SETTLE_SECONDS
    while full and probe.busy(tablespaces) and time.monotonic() < deadline:
        stop()
        time.sleep(SETTLE_POLL_SECONDS)
        tablespaces = session.rows(probe.tablespaces)
    settings = session.rows(probe.encryption_settings)
    plugins = session.rows(probe.plugins)
    further = [session.rows(statement) for statement in probe.further]
    return probe.catalogue(settings, plugins, tablespaces, *further)


def _search(
    own: Path,
    volume: Path,
    probe: EngineProbe,
    marker: str,
    stop: Callable[[], None],
    *,
    full: bool,
) -> list[wire.SearchedFileRow]:
    text, echo = marker.encode(), probe.echo(marker).encode()
    if full:
        searched = list(search_tree(volume, text, stop, echo=echo))
    else:
        searched = [search_file(own, text, stop, forget=False, echo=echo)]
    return [_entry(file, volume, probe) for file in searched]


def _entry(file: Searched, volume: Path, probe: EngineProbe) -> wire.SearchedFileRow:
    path = file.path.relative_to(volume).as_posix()
    entry = wire.SearchedFileRow(
        path=path, kind=probe.kind_of(path), bytes=file.size, found=file.found
    )
    if file.echoed:
        entry["echoed"] = True
    return entry


def _remove(open_session: OpenSession, session: Session, probe: EngineProbe, table: str) -> None:
    """Drop the table, in a new session if the first one has failed and is closed."""
    try:
        session.rows(*probe.drop(table))
    except SqlError:
        with closing(open_session()) as again:
            again.rows(*probe.drop(table))
