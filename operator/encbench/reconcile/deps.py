"""What every reconciler is given: the ports and the settings of this installation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from encbench.ports import Agent, Certificates, Clock, Cluster, Metrics, Reader, Recorder, Store
from encbench.wire.agent import RecoveryAnswer, ServerAnswer
from encbench.wire.recorder import StateAnswer


class AgentReader(Protocol):
    """What an agent says without doing anything: see `ports.Agent`."""

    async def server(self, address: str, token: str) -> ServerAnswer:
        """Facts of the server."""
        ...

    async def stopped(self, address: str, token: str, run: str) -> RecoveryAnswer:
        """State of an intended stop."""
        ...


class RecorderReader(Protocol):
    """What a recorder says without doing anything: see `ports.Recorder`."""

    async def state(self, address: str, token: str) -> StateAnswer:
        """State of the run."""
        ...


@dataclass(frozen=True)
class Settings:
    """Facts of this installation."""

    operator_image: str
    """Image of the agent and the recorder: the operator's own."""
    image_pull_policy: str
    version: str
    random_token: Callable[[int], str]
    """Hex digits of that many random bytes from a source fit for secrets."""
    volume_image: str = ""
    """Image of the FUSE file systems; empty where no pod may be privileged."""
    volume_pull_policy: str = "IfNotPresent"
    proxy_image: str = ""
    """Image of the confidential proxy; empty where the installation names none."""
    proxy_pull_policy: str = "IfNotPresent"


@dataclass(frozen=True, kw_only=True)
class Reads:
    """All that an observation may touch; it has no method that changes anything."""

    cluster: Reader
    agent: AgentReader
    recorder: RecorderReader
    clock: Clock
    settings: Settings


@dataclass(frozen=True, kw_only=True)
class Deps(Reads):
    """The outside world; an observation sees it as `Reads`."""

    cluster: Cluster
    store: Store
    metrics: Metrics
    agent: Agent
    recorder: Recorder
    certificates: Certificates
