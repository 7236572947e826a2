"""The three nodes of the cluster, by what a test may put there."""

from dataclasses import dataclass

COUNT = 3


@dataclass(frozen=True)
class Nodes:
    """The names of the nodes, by what a test may put there."""

    chart: str
    databases: str
    clients: str

    @property
    def further(self) -> tuple[str, str]:
        """Those that join the first, and that a test may lose."""
        return self.databases, self.clients
