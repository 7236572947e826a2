"""Rows of MySQL's protocol as the bytes that came over the line."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encbench.adapters.sql.mysql import MySqlConnection, opened, patience
from encbench.core.columns.envelope import UNBOUND, ColumnKind, binding
from encbench.core.connection import DATABASE

SECONDS = 20.0


@dataclass(frozen=True)
class RawColumn:
    """One column of a result, as the server announced it."""

    name: str
    kind: ColumnKind
    bound: bytes = UNBOUND
    """What its encrypted values are bound to."""


@dataclass(frozen=True)
class RawResult:
    """A result's columns, and its first row as bytes in the text protocol; None without a row."""

    columns: tuple[RawColumn, ...]
    row: tuple[bytes | None, ...] | None


class RawSession(MySqlConnection):
    """One session in the benchmark's database. After an error it is closed."""

    def first(self, statement: str) -> RawResult:
        """Run a statement that gives a result. SqlError."""
        with self._cursor() as cursor:
            cursor.execute(statement)
            fields = cursor._result.fields
            row = cursor.fetchone()
        columns = tuple(
            RawColumn(
                name=_text(field.name),
                kind=ColumnKind(field.type_code, field.scale, field.flags, field.charsetnr),
                bound=binding(_text(field.org_table), _text(field.org_name)),
            )
            for field in fields
        )
        return RawResult(columns, None if row is None else tuple(row))


def by_socket(socket: Path, user: str, password: str) -> RawSession:
    """A session with the server itself. SqlError."""
    return _connect(user, password, unix_socket=str(socket))


def proxied(port: int, user: str, password: str, *, login_port: int | None = None) -> RawSession:
    """A session through the proxy at this port of the pod. SqlError.

    With `login_port`, the server's own, the user logs in there first: a server remembers a user of
    caching_sha2_password, and by its socket lets in those alone that it remembers.
    """
    if login_port is not None:
        _by_port(login_port, user, password).close()
    return _by_port(port, user, password)


def _by_port(port: int, user: str, password: str) -> RawSession:
    return _connect(user, password, host="127.0.0.1", port=port)


def _connect(user: str, password: str, **where: Any) -> RawSession:
    # No conversion: every value is the bytes that the server sent.
    raw = {"database": DATABASE, "use_unicode": False, "conv": {}}
    return RawSession(opened(user, password, SECONDS, SECONDS, patience(SECONDS), **raw, **where))


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name
