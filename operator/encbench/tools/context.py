"""The arguments of a tool's builders for one load or one trial, and what each replica gets."""

from dataclasses import dataclass
from typing import Any

from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.core.connection import Connection
from encbench.core.naming import trial_prefix
from encbench.engines.registry import engine
from encbench.kube import labels
from encbench.kube.pods import Programs


@dataclass(frozen=True)
class LoadContext:
    """One testbed and the dataset to load."""

    testbed: str
    namespace: str
    owner: dict[str, Any]
    spec: TestbedSpec
    connection: Connection
    credentials_secret: str
    programs: Programs

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the Job and its pod."""
        return labels.of_arm("load", self.spec, self.testbed)

    @property
    def index_builds(self) -> int | None:
        """How many the database's memory holds at once; None where that is no limit, or unknown."""
        instance = self.spec.instance
        builds = None if instance.is_external else engine(instance.engine).index_builds
        return None if builds is None else builds(self.spec)


@dataclass(frozen=True)
class TrialContext:
    """One trial and the clients to start."""

    name: str
    namespace: str
    owner: dict[str, Any]
    """Owner reference to the trial; its `uid` names the trial's folder in the bucket."""
    spec: TrialSpec
    connection: Connection
    credentials_secret: str
    programs: Programs
    store: str
    """URL of the bucket, as clients reach it."""
    store_authority: str | None = None
    """PEM of the CA that certifies the store, where not everyone trusts its certificate."""
    database_node: str | None = None
    """Where its database runs, or last ran; None where that is not known."""
    database_keeps_off: bool = False
    """Whether the database's pod is there, and stays, to be avoided."""

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the Job and its pods."""
        return labels.of_arm("client", self.spec, self.spec.testbed_ref.name, trial=self.name)

    @property
    def share(self) -> int:
        """The trials whose clients take turns, this one included."""
        return 1 if self.spec.turns is None else len(self.spec.turns.trials)

    @property
    def storage_prefix(self) -> str:
        """Prefix of the trial's artefacts; each client's are in `client-<index>` below it."""
        return trial_prefix(self.spec.storage_prefix, str(self.owner["uid"]))


def load_job_name(testbed: str) -> str:
    """Name of the Job that loads a testbed's dataset."""
    return f"{testbed}-load"


def seed_of(seed: int, index: int) -> int:
    """The distinct seed of one replica. Never 0, because sysbench would use the time instead."""
    return (seed + index - 1) % (2**31 - 1) + 1
