"""Processes that stand for election on one fake API server, each by clocks of its own."""

from datetime import UTC, datetime, timedelta

from encbench.api.kinds import LEASE
from encbench.kube.shard_leases import ShardLease, parse
from encbench.ports import Cluster
from encbench.reconcile.election import Contender, Elector
from tests.support.fake_cluster import FakeCluster

SPACE, ELECTION = "encbench", "bench"


class Instant:
    """The time that really is."""

    def __init__(self) -> None:
        self.seconds = 1000.0


class Process:
    """One of them. Its clock is off by so much and runs at that rate."""

    def __init__(
        self,
        instant: Instant,
        cluster: Cluster,
        name: str,
        *,
        shards: int = 1,
        pod: str = "",
        off: float = 0.0,
        rate: float = 1.0,
    ) -> None:
        self._instant, self._off, self._rate = instant, off, rate
        identity = f"{pod or 'machine'}_{name}"
        own = Contender(SPACE, ELECTION, identity, shards=shards, pod=pod)
        self.shards, self.identity = shards, identity
        self.elector = Elector(cluster, self, self.ticks, own)
        self.due = float("-inf")
        """When it stands next, by its own clock."""

    def ticks(self) -> float:
        return self._off + self._rate * self._instant.seconds

    def now(self) -> datetime:
        """As a `ports.Clock`."""
        return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=self.ticks())

    @property
    def led(self) -> int | None:
        """Index of the shard for which it may act now."""
        return next((index for index, leads in self.elector.standing().items() if leads), None)


def lease(cluster: FakeCluster, index: int = 0) -> ShardLease:
    return parse(cluster.one(LEASE, SPACE, f"{ELECTION}-shard-{index}"))
