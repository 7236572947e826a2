"""SQL over a unix socket: the agent's one session, with bounded waits.

The agent imports this package at a twentieth of a core, so nothing here pulls in the API's models,
and a driver is imported with the first session.
"""

from pathlib import Path

from encbench.adapters.sql.session import Row, Session, SqlError
from encbench.core.connection import Driver

__all__ = ["Row", "Session", "SqlError", "connect"]


def connect(
    driver: Driver,
    socket: Path,
    user: str,
    password: str,
    *,
    connect_timeout: float = 3.0,
    statement_timeout: float = 30.0,
) -> Session:
    """Open a session with a server that speaks this. Timeouts are in seconds. SqlError."""
    if driver == "mysql":
        from encbench.adapters.sql import mysql  # noqa: PLC0415 see the module's docstring

        return mysql.connect(socket, user, password, connect_timeout, statement_timeout)
    from encbench.adapters.sql import postgresql  # noqa: PLC0415 see the module's docstring

    return postgresql.connect(socket, user, password, connect_timeout, statement_timeout)
