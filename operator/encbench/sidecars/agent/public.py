"""What everyone may ask: the metrics, and whether the server answers.

The server is ready once it does, so this is what the agent serves first, and it imports no more.
"""

import threading
from collections.abc import Callable, Iterable

from encbench.adapters.sql import Session, SqlError
from encbench.sidecars.exposition import Metric, scraped
from encbench.sidecars.routes import Request, Response, Routes, error, routed, said


class Heart:
    """Checks that the server answers a query, in one session that stays open between checks."""

    def __init__(self, open_session: Callable[[], Session]) -> None:
        """Takes what opens a session: SqlError when the server refuses."""
        self._open = open_session
        self._session: Session | None = None
        self._lock = threading.Lock()

    def beats(self) -> str | None:
        """None when a query was answered, or else the reason. Blocks while the session waits."""
        with self._lock:
            try:
                if self._session is None:
                    self._session = self._open()
                self._session.rows("SELECT 1")
            except SqlError as reason:
                self._session = None
                return str(reason)
        return None


class PublicApi:
    """The endpoints of the port in the clear."""

    def __init__(
        self, metrics: Callable[[], Iterable[Metric]], health: Callable[[], str | None]
    ) -> None:
        """`health` is None when the server answers a query, or else the reason; it may block."""
        self._health = health
        self._routes: Routes = {
            ("GET", "/metrics"): lambda _: scraped(metrics()),
            ("GET", "/healthz"): self._healthz,
        }

    def answer(self, request: Request) -> Response:
        """The answer to a request by anyone."""
        return routed(self._routes, request)

    def _healthz(self, _: Request) -> Response:
        reason = self._health()
        return said({"ok": True}) if reason is None else error(503, reason)
