"""What a pass over a testbed has seen."""

from dataclasses import dataclass, field
from datetime import datetime

from encbench.core.certificates import KeyPair
from encbench.core.evidence import Proof
from encbench.ports import Body
from encbench.reconcile.checks import Checked
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.testbed.starting import SetFacts


@dataclass(frozen=True)
class LoadFacts:
    """The Job that loads the dataset."""

    succeeded: bool
    failed: bool
    pods: tuple[PodFacts, ...] = ()


@dataclass(frozen=True)
class FullProof:
    """The proof by a scan of all files, and whether the store has it."""

    proof: Proof | None = None
    digest: str | None = None
    """Of the proof as stored; None when the store did not take it yet."""
    store_problem: str = ""
    """Why the store did not take it."""


@dataclass(frozen=True)
class TestbedFound:
    """What effects have found that no status says yet."""

    __test__ = False

    checked: Checked | None = None
    """What the checks of the fresh dataset came to, once they are through."""
    proof: FullProof = FullProof()
    problem: str = ""
    """Why the last effect came to nothing."""


@dataclass(frozen=True)
class TestbedSeen:
    """Everything that a decision is made from."""

    __test__ = False

    now: datetime
    has_credentials: bool
    has_stateful_set: bool
    database: PodFacts | None
    load: LoadFacts | None
    stateful_set: SetFacts | None = None
    """The StatefulSet, where it is ever scaled."""
    trial: Trial | None = None
    """The trial that the testbed is for now."""
    neighbours: tuple[str, ...] = ()
    """Databases of the same cell that still exist, where only one may."""
    authority: KeyPair | None = None
    """The campaign's CA; looked for only until there are credentials."""
    server_started: float | None = None
    """Start of the server process, Unix time; None while the agent does not answer."""
    server_version: str = ""
    connections: int | None = None
    """How many the server allows; it allows fewer than its settings say where it may not open as
    many files."""
    problem: str = ""
    """Why the agent does not answer, or what an external database lacks."""
    rival: str = ""
    """Another campaign's testbed on the same external database."""
    login: dict[str, str] | None = field(default=None, repr=False)
    """What the user's Secret has for an external database; only until there are credentials."""
    log_tail: str = ""
    """End of the failing server's log, for the message."""
    found: TestbedFound = TestbedFound()


def load_facts(job: Body | None, pods: tuple[PodFacts, ...]) -> LoadFacts | None:
    """From the Job as read."""
    if job is None:
        return None
    true = {
        c["type"]
        for c in (job.get("status") or {}).get("conditions") or []
        if c["status"] == "True"
    }
    return LoadFacts(succeeded="Complete" in true, failed="Failed" in true, pods=pods)
