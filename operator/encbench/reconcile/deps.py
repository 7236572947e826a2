"""What every reconciler is given: the ports and the settings of this installation."""

from collections.abc import Callable
from dataclasses import dataclass

from encbench.ports import Agent, Certificates, Clock, Cluster, Metrics, Recorder, Store


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


@dataclass(frozen=True)
class Deps:
    """The outside world."""

    cluster: Cluster
    store: Store
    metrics: Metrics
    agent: Agent
    recorder: Recorder
    certificates: Certificates
    clock: Clock
    settings: Settings
