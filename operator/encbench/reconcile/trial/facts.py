"""What a pass over a trial has seen, and what the trial left behind: gathered once, then judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from encbench.api.trial import Window
from encbench.core.evidence import AgentClockFacts, Proof, TrialProofsRecord
from encbench.core.records import ClientCpu, ClientFacts, RecoveryFacts, RecoveryRecord, TrialRecord
from encbench.core.slices import Slices
from encbench.kube.fit import Node
from encbench.reconcile.absences import NEVER, Absences
from encbench.reconcile.checks import Checked
from encbench.reconcile.claims import FoundOnNodes
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.pods import JobFacts, PodFacts
from encbench.reconcile.trial.windowed import WindowMetrics
from encbench.tools.measurement import Measurement
from encbench.wire.foreign import printable
from encbench.wire.recorder import ClockOffset, RunStateName, StateAnswer

When = Literal["before", "after"]
"""Of a trial's two proofs."""
Question = Literal["before", "after", "checks"]
"""What its agent is asked, with a deadline for each: a proof, or for checks of the tables."""


Patience = Literal["waits", "once", "none"]
"""With Prometheus and a trial's agent: they are waited for, no longer, or Prometheus is not even
asked, because operators ended while they read the samples."""


@dataclass(frozen=True)
class RunFacts:
    """One client's run, from its recorder or, once that has ended, from the pod's status."""

    state: RunStateName
    exit_code: int | None = None
    clock: ClockOffset | None = None
    """The client's clock against the operator's; None once its recorder has ended."""
    digests: dict[str, str] | None = None
    error: str = ""
    """Why the store refused its files."""
    away: str = ""
    """Why its last try did not reach the store."""
    tps: float | None = None
    """TPS of the tool's last second, which only the metrics show; None before its first line."""


@dataclass(frozen=True)
class ClientPod:
    """One client pod and its run; `run` is None while its recorder does not answer."""

    pod: PodFacts
    run: RunFacts | None = None
    silence: str = ""
    """Why its recorder, which runs, could not be asked or did not answer."""

    @property
    def is_lost(self) -> bool:
        """Whether the recorder ended without having stored everything."""
        code = self.pod.container("recorder").exit_code
        return code != 0 and (code is not None or self.pod.phase == "Failed")


@dataclass(frozen=True)
class Sibling:
    """Another trial of the same interleaved block; all False of one that is not there yet."""

    order: int
    under_way: bool = False
    """Whether it is getting ready, for which it has deadlines of its own."""
    ready: bool = False
    """Whether its clients wait, its mode is proven and its nodes are its own."""
    ready_since: str | None = None
    """RFC 3339 time; None unless it is ready."""
    has_no_room: bool = False
    """Whether its clients wait for another campaign or cell to leave a node."""
    release_at: float | None = None
    ended: bool = False
    """Whether it has an outcome, or was deleted."""


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
    clock: AgentClockFacts | None = None
    """The agent's; None of the second proof, and of an external database."""


@dataclass(frozen=True)
class Collected:
    """The clients' side of a trial."""

    artefacts: dict[str, str] = field(default_factory=dict)
    """Digest by name relative to the trial's folder."""
    window: Window | None = None
    """When all clients were measuring, by the operator's clock."""
    measurement: Measurement | None = None
    clients: tuple[ClientFacts, ...] = ()
    cpu: ClientCpu | None = None
    missing: str = ""
    """The first key that is not in the bucket."""
    too_large: str = ""
    """What is larger than the operator reads."""
    problem: str = ""
    """Why there is no measurement."""
    whole_run: Measurement | None = None
    """What the clients report of their whole run, where `measurement` is of slices of it."""
    unkept: str = ""
    """Which slot of an interleaved block a client did not keep."""
    slices: Slices | None = None
    """Of an interleaved block, as far as the clients know."""
    own_clock_moved: float = 0.0
    """Seconds by which the operator's own clock was set from the release to the end of the runs."""
    clocks_apart: float = 0.0
    """Seconds by which it moved against the agent's from the first proof until the samples were
    read; 0 where that is not known."""
    misplaced: str = ""
    """Where a window lies that the trial cannot have had."""
    early: float = 0.0
    """Seconds by which a client ended before the stop of its server that should have ended it."""


@dataclass(frozen=True)
class TrialGathered:
    """Both sides of a trial. Every artefact that is named lies in the bucket."""

    collected: Collected = field(default_factory=Collected)
    metrics: WindowMetrics = field(default_factory=WindowMetrics)
    clients_proof: Proof | None = None
    """What the clients say about the mode; None where they say nothing."""
    proofs: TrialProofsRecord = field(default_factory=TrialProofsRecord)
    recovery: RecoveryFacts | None = None
    slices: Slices | None = None
    """Of an interleaved block, with what the server used."""
    artefacts: dict[str, str] = field(default_factory=dict)
    """Digest by name relative to the trial's folder."""
    unreadable: str = ""
    """Why nothing can be made of what lies in the bucket."""


@dataclass(frozen=True)
class TrialFound(FoundOnNodes):
    """What effects have found that no status says yet."""

    before: Proven | None = None
    after: Proven | None = None
    unwritten: int | None = None
    """Changed bytes that the server had not written when the trial had ended, if it counts them."""
    checked: Checked | None = None
    """What the dataset's checks came to, once they are through."""
    asked: Mapping[Question, str] = field(default_factory=dict)
    """When this process first had a slot to ask each, RFC 3339."""
    clocks: Mapping[int, ClockOffset] = field(default_factory=dict)
    """The clients' clocks against ours when their runs had ended, by index. They are lost with the
    process, and only the agent can show then whether our clock was set."""
    recovery: RecoveryRecord | None = None
    """What came of the intended stop: the record that counts."""
    gathered: TrialGathered | None = None
    """What the trial left behind."""
    awaits_metrics: bool = False
    """Whether all else was read once, and Prometheus did not answer."""
    stored: tuple[TrialRecord, str] | None = None
    """The trial's record in the bucket, with its digest."""
    problem: str = ""
    """Why the last question to the agent came to nothing."""
    full: str = ""
    """What its last answer said of a volume that is nearly full."""
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
    full: str = ""
    """What is left of the database's volume where that is little; looked for once a tool fails."""
    siblings: tuple[Sibling, ...] = ()
    """The other trials of an interleaved block, in their order, until the clients have ended."""
    before: Trial | None = None
    """The trial that this one comes after, as long as that matters."""
    taken: tuple[Node, ...] = ()
    """Nodes on which others work and which are not ruled out by name, where no client has one and
    nothing else is why."""
    leaving: tuple[str, ...] = ()
    """Earlier trials of its cell whose clients still have room, where one of its own has none."""
    strays: tuple[PodFacts, ...] = ()
    """Clients of its cell whose Trials were deleted and whose tools run; looked for once all of its
    own wait for the start."""
    absences: Absences = NEVER

    @property
    def is_external(self) -> bool:
        """Whether the testbed is there, and its database is not encbench's."""
        return self.testbed is not None and self.testbed.spec.instance.is_external

    @property
    def lost_its_pod(self) -> bool:
        """Whether the database is gone; an external one never had a pod."""
        return not self.is_external and (self.database is None or self.database.deleting)

    def clients_in(self, *states: RunStateName) -> tuple[ClientPod, ...]:
        """Those whose runs are that far."""
        return tuple(c for c in self.clients if c.run is not None and c.run.state in states)


def clock_offset(told: float, asked: datetime, answered: datetime) -> ClockOffset:
    """A clock against ours, from what it showed between our question and its answer.

    One that may be right is taken to be: on one node both are the same clock.
    """
    half = max(0.0, (answered - asked).total_seconds()) / 2
    apart = told - asked.timestamp() - half
    seconds = apart if abs(apart) > half else 0.0
    return ClockOffset(seconds=round(seconds, 4), roundTrip=round(2 * half, 4))


def run_facts(state: StateAnswer, asked: datetime, answered: datetime) -> RunFacts:
    """From the recorder's own account, which `wire.recorder` describes."""
    return RunFacts(
        state=state["state"],
        exit_code=state.get("exitCode"),
        clock=clock_offset(float(state["clock"]), asked, answered),
        digests=state.get("digests") or None,
        error=printable(state.get("error") or ""),
        away=printable(state.get("away") or ""),
        tps=state.get("lastTps"),
    )
