"""How many sessions a workload opens on a database at once, and what it prepares in each.

Both cost memory in servers and in clients. sysbench prepares each of its statements for each table
in each thread: 128 tables under 256 threads make hundreds of thousands.
"""

from dataclasses import dataclass

SPARE_CONNECTIONS = 16
"""Connections that a server is set to allow beyond what its testbed needs: for late ones of an
earlier run, and the three that PostgreSQL reserves for superusers."""


@dataclass(frozen=True)
class Sessions:
    """What one workload opens at its highest concurrency."""

    count: int
    statements: int
    """Prepared in each of them."""
    data: int | None = None
    """Bytes of the tables that they read, about; None where that is not known."""

    def __str__(self) -> str:
        """For a sentence."""
        if not self.statements:
            return f"{self.count:,} connections"
        noun = "statement" if self.statements == 1 else "statements"
        return f"{self.count:,} connections with {self.statements:,} prepared {noun} each"


@dataclass(frozen=True)
class SessionMemory:
    """What one engine or tool takes for each, in bytes."""

    connection: int
    statement: int

    def of(self, sessions: Sessions) -> int:
        """Bytes for all of them."""
        return sessions.count * (self.connection + sessions.statements * self.statement)
