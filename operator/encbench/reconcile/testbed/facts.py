"""What a pass over a testbed has seen."""

from dataclasses import dataclass
from datetime import datetime

from encbench.core.evidence import Proof
from encbench.ports import Body
from encbench.reconcile.pods import PodFacts


@dataclass(frozen=True)
class LoadFacts:
    """The Job that loads the dataset."""

    succeeded: bool
    failed: bool
    pods: tuple[PodFacts, ...] = ()


@dataclass(frozen=True)
class Seen:
    """Everything that a decision is made from."""

    now: datetime
    has_credentials: bool
    has_stateful_set: bool
    database: PodFacts | None
    load: LoadFacts | None
    server_started: float | None = None
    """Start of the server process, Unix time; None while the agent does not answer."""
    server_version: str = ""
    problem: str = ""
    """Why the agent does not answer."""
    log_tail: str = ""
    """End of the failing server's log, for the message."""
    proof: Proof | None = None
    proof_digest: str | None = None
    """Digest of the proof as stored; None when the store did not take it yet."""
    store_problem: str = ""
    """Why the store did not take it."""


def load_facts(job: Body | None, pods: tuple[PodFacts, ...]) -> LoadFacts | None:
    """From the Job as read."""
    if job is None:
        return None
    true = {
        c["type"]
        for c in (job.get("status") or {}).get("conditions") or []
        if c["status"] == "True"
    }
    return LoadFacts(
        succeeded="Complete" in true,
        failed="Failed" in true,
        pods=pods,
    )
