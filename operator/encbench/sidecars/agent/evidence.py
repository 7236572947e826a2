"""Gathering evidence: plant a marker, ask the catalogue, search the files, remove the marker.

Every wait has a bound: the session's timeout for statements, a deadline for the search. The table
is removed whatever happens. A table that a killed agent left behind is removed first.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from encbench.adapters.sql import Session, SqlError
from encbench.engines.marker import table_name
from encbench.sidecars.agent.enclave import EnclaveLook, hidden
from encbench.sidecars.agent.files import Stop, search_file, search_tree
from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.sidecars.agent.volume import Ground
from encbench.wire import agent as wire

SETTLE_SECONDS = 30.0
"""How long a full proof waits until background encryption has finished."""
SETTLE_POLL_SECONDS = 0.5


class EvidenceError(Exception):
    """The evidence could not be gathered. The text says why."""


@dataclass(frozen=True)
class EvidenceSource:
    """One server: how to reach it, and where its files are."""

    open_session: OpenSession
    probe: EngineProbe
    volume: Path
    ground: Ground | None = None
    columns: Callable[..., wire.ColumnsSeen] | None = None
    """Takes a session and `full`; None in an arm without a proxy."""
    enclave: EnclaveLook | None = None
    """Set in an arm with encrypted column types."""

    def gather(
        self, request: wire.EvidenceRequest, cancelled: Callable[[], bool]
    ) -> wire.EvidenceAnswer:
        """The evidence. Blocks; EvidenceError when it cannot be had."""
        began, probe, ground = time.monotonic(), self.probe, self.ground
        marker, full, inside = request["marker"], request["full"], self.enclave

        def stop() -> None:
            if cancelled():
                raise EvidenceError("the caller of this evidence has gone")
            # For a caller whose end is not seen; any other ends the search by hanging up.
            if time.monotonic() - began > request["seconds"]:
                raise EvidenceError(f"the search took longer than {request['seconds']:.0f} s")

        try:
            with closing(self.open_session()) as session:
                for row in session.rows(*probe.left_behind):
                    session.rows(*probe.drop(str(row[0])))
                table = table_name(marker)
                try:
                    logs = probe.flush_logs if full else ()
                    for statement in (*probe.plant(table, marker), *logs):
                        session.rows(*statement)
                    more: wire.SeenInMode = {}
                    if inside is not None:
                        # First of all: the search has to find the files of its marker.
                        more["enclave"] = inside.seen(self.open_session, table, marker, stop)
                    catalogue = self._catalogue(session, stop, full=full)
                    own = self.volume / "data" / probe.table_file(session, table)
                    if self.columns is not None:
                        # Before the search, because the server ends a session idle for hours.
                        more["columns"] = self.columns(session, full=full)
                    files = list(self._search(own, marker, stop, full=full))
                    below = ground.facts(own, marker.encode(), stop, full=full) if ground else None
                finally:
                    self._remove(session, table)
        except SqlError as error:
            raise EvidenceError(str(error)) from error
        except OSError as error:
            raise EvidenceError(f"cannot read {error.filename}: {error.strerror}") from error
        return {
            "marker": marker,
            "full": full,
            "catalogue": catalogue,
            "files": files,
            "markerTable": table,
            "markerFile": own.relative_to(self.volume).as_posix(),
            "volume": below,
            **more,
            "tookSeconds": round(time.monotonic() - began, 3),
            "clock": time.time(),
        }

    def _catalogue(self, session: Session, stop: Stop, *, full: bool) -> wire.CatalogueRows:
        says = self.probe.says
        tablespaces = session.rows(says.TABLESPACES)
        deadline = time.monotonic() + SETTLE_SECONDS
        while full and self.probe.busy(tablespaces) and time.monotonic() < deadline:
            stop()
            time.sleep(SETTLE_POLL_SECONDS)
            tablespaces = session.rows(says.TABLESPACES)
        settings, plugins = session.rows(says.ENCRYPTION_SETTINGS), session.rows(says.PLUGINS)
        further = [session.rows(statement) for statement in self.probe.further]
        return says.catalogue(settings, plugins, tablespaces, *further)

    def _search(
        self, own: Path, marker: str, stop: Stop, *, full: bool
    ) -> Iterator[wire.SearchedFileRow]:
        echoed = hidden(marker) if self.enclave else self.probe.echo(marker)
        text, echo = marker.encode(), echoed.encode()
        if full:
            searched = search_tree(self.volume, text, stop, echo=echo)
        else:
            searched = iter([search_file(own, text, stop, forget=False, echo=echo)])
        for file in searched:
            path = file.path.relative_to(self.volume).as_posix()
            kind = self.probe.says.kind_of(path)
            row = wire.SearchedFileRow(path=path, kind=kind, bytes=file.size, found=file.found)
            if file.echoed:
                row["echoed"] = True
            yield row

    def _remove(self, session: Session, table: str) -> None:
        """Drop the tables, in a new session if the first one has failed and is closed."""
        drops = [self.probe.drop(table), *([self.enclave.drop(table)] if self.enclave else [])]
        try:
            for statement in drops:
                session.rows(*statement)
        except SqlError:
            with closing(self.open_session()) as again:
                for statement in drops:
                    again.rows(*statement)
