"""How large a buffer pool a server's memory bears.

A server takes memory beside its pool whatever the pool's size; how much was measured for each
engine.
"""

from dataclasses import dataclass

from encbench.core.session_memory import SessionMemory

KIBIBYTE, MEBIBYTE = 2**10, 2**20
LEAST_POOL = 16 * MEBIBYTE
LEAST_ROOM = 48 * MEBIBYTE
"""For connections, where the template does not set the pool's size."""


@dataclass(frozen=True)
class Memory:
    """What one engine takes beside its pool, in bytes."""

    beside_pool: int
    """At rest and under a few clients."""
    sessions: SessionMemory
    """For each connection, and for each statement that is prepared in it."""

    def default_pool(self, memory_bytes: int, connections: int = 0) -> str:
        """Half of the memory, less where the rest would not hold the server and its connections."""
        room = max(connections * self.sessions.connection, LEAST_ROOM)
        rest = memory_bytes - self.beside_pool - room
        return f"{max(min(memory_bytes // 2, rest), LEAST_POOL) // MEBIBYTE}M"

    def largest_pool(self, memory_bytes: int) -> int:
        """Bytes above which the server would sooner or later be killed for want of memory."""
        return max(min(int(memory_bytes * 0.8), memory_bytes - self.beside_pool), LEAST_POOL)
