"""What every reconciler is given: the ports and the settings of this installation."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from encbench import ports
from encbench.admission.gather import Installed
from encbench.kube.pods import Programs
from encbench.kube.shards import Shard
from encbench.reconcile.absences import Always, Presence
from encbench.reconcile.services import Health, Services


@dataclass(frozen=True)
class Settings:
    """Facts of this installation."""

    programs: Programs
    installed: Installed
    version: str
    random_token: Callable[[int], str]
    """Hex digits of that many random bytes from a source fit for secrets."""
    store: str
    """URL of the bucket, as clients reach it."""
    store_authority: Callable[[], str | None] = lambda: None
    """PEM of the CA that certifies the store, which may change at any time; None if all trust
    it."""
    installation: str = ""
    """The label that this installation gives to its campaigns; empty for none."""


@dataclass(frozen=True, kw_only=True)
class Reads:
    """All that an observation may touch; it has no method that changes anything."""

    cluster: ports.Reader
    direct: ports.Reader
    """The API server itself, where `cluster` remembers what watches have brought."""
    agent: ports.AgentReader
    recorder: ports.RecorderReader
    clock: ports.Clock
    settings: Settings
    services: Health = field(default_factory=Services)
    presence: Presence = field(default_factory=Always)


@dataclass(frozen=True, kw_only=True)
class Deps(Reads):
    """The outside world; an observation sees it as `Reads`."""

    cluster: ports.Cluster
    store: ports.Store
    metrics: ports.Metrics
    agent: ports.Agent
    recorder: ports.Recorder
    certificates: ports.Certificates
    services: Services = field(default_factory=Services)
    meter: ports.Meter = field(default_factory=ports.Meter)
    shard: Shard = field(default_factory=Shard)
    """What this process acts for."""
    long_block: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who reads what a trial of a long block or window left: memory has room for one."""
