"""What a pass over a trial has seen: gathered once, then judged."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Literal

from encbench.core.evidence import Proof
from encbench.core.records import RecoveryRecord, TrialRecord
from encbench.ports import Body
from encbench.reconcile.checks import Checked
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.gathered import TrialGathered
from encbench.wire.recorder import StateAnswer

When = Literal["before", "after"]
"""Of a trial's two proofs."""


class RunState(Enum):
    """How far a client's recorder is; the values are the recorder's own words."""

    WAITING = "waiting"
    RELEASED = "released"
    RUNNING = "running"
    FINISHED = "finished"
    UPLOADED = "uploaded"


@dataclass(frozen=True)
class RunFacts:
    """One client's run, from its recorder or, once that has ended, from the pod's status."""

    state: RunState
    exit_code: int | None = None
    clock_offset: float = 0.0
    """The client's clock minus the operator's, in seconds."""
    digests: dict[str, str] | None = None
    error: str = ""


@dataclass(frozen=True)
class ClientPod:
    """One client pod and its run; `run` is None while its recorder does not answer."""

    pod: PodFacts
    run: RunFacts | None = None


@dataclass(frozen=True)
class JobFacts:
    """The client Job."""

    uid: str
    failed: bool


@dataclass(frozen=True)
class Stopped:
    """How far the intended stop of a recovery workload is; `state` is the agent's own word."""

    state: str
    record: RecoveryRecord | None = None
    """What came of it, once it is over; it counts when it is stored."""


@dataclass(frozen=True)
class Proven:
    """A proof and the server process on which it was made."""

    proof: Proof
    server_started: float | None = None
    """Unix time; None of an external database."""


@dataclass(frozen=True)
class TrialFound:
    """What effects have found that no status says yet."""

    before: Proven | None = None
    after: Proven | None = None
    checked: Checked | None = None
    """What the dataset's checks came to, once they are through."""
    recovery: RecoveryRecord | None = None
    """What came of the intended stop: the record that counts."""
    gathered: TrialGathered | None = None
    """What the trial left behind."""
    stored: tuple[TrialRecord, str] | None = None
    """The trial's record in the bucket, with its digest."""
    problem: str = ""
    """Why the last question to the agent came to nothing."""
    store_problem: str = ""
    """Why the trial could not be gathered or archived yet."""


@dataclass(frozen=True)
class TrialSeen:
    """Everything that a decision is made from."""

    now: datetime
    testbed: Testbed | None
    database: PodFacts | None
    job: JobFacts | None
    clients: tuple[ClientPod, ...] = ()
    found: TrialFound = TrialFound()
    stopped: Stopped | None = None
    """Of a recovery workload from the release of its clients until its record counts."""
    stop_problem: str = ""
    """Why the agent could not be asked about that."""


def job_facts(body: Body | None) -> JobFacts | None:
    """From the Job as read."""
    if body is None:
        return None
    conditions = (body.get("status") or {}).get("conditions") or []
    failed = any(c["type"] == "Failed" and c["status"] == "True" for c in conditions)
    return JobFacts(uid=body["metadata"]["uid"], failed=failed)


def run_facts(state: StateAnswer, now: datetime) -> RunFacts:
    """From the recorder's own account (docs/design/0001-spine.md, "Recorder")."""
    return RunFacts(
        state=RunState(state["state"]),
        exit_code=state.get("exitCode"),
        clock_offset=float(state["clock"]) - now.timestamp(),
        digests=state.get("digests") or None,
        error=state.get("error") or "",
    )
