"""The ledger of a campaign: its trials that are over, a line each.

A Trial takes a hundred times as much memory as its line, and all of them would have to be listed
and parsed in every pass. The ledger is filled from the API server once, and again now and then
because people may delete Trials. In between it gets every trial that retires. So a pass costs the
same after ten trials and after ten thousand.
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from sys import intern
from typing import NamedTuple

from encbench.api.kinds import Kind
from encbench.api.lifecycle import NODE_LOST, NOT_STARTED, POD_ENDED, UNSCHEDULABLE
from encbench.api.trial import Outcome
from encbench.api.workload import Client
from encbench.core.plan import Attempts, LoadLevel, Past
from encbench.reconcile.campaign.planned_figure import cpu_at_a_rate, latency_at_a_rate, measured
from encbench.reconcile.objects import Trial
from encbench.tools.turns import load_seconds

PACE = 100
"""Starts by which the pace is judged, and those before them in the same block number."""

Place = tuple[str, str, int]
"""Cell, workload and concurrency."""


def block_of(trial: Trial) -> tuple[str, str, int, int, str]:
    """What trials that run at the same time have in common: an interleaved block, else the name."""
    alone = trial.name if trial.spec.turns is None else ""
    return (*condition_of(trial), trial.spec.block, alone)


def condition_of(trial: Trial) -> Place:
    """Under which condition of which cell it runs."""
    return (trial.spec.cell, trial.spec.workload_ref, trial.spec.concurrency)


class Begun(NamedTuple):
    """When the clients of a trial, or of an interleaved block, were released.

    The trial's `startTime` is no measure: it may lie within the trial before it.
    """

    at: float
    """Unix time."""
    block: int
    place: Place
    seconds: float
    """How long their load lasts, as planned."""

    @classmethod
    def of(cls, trial: Trial) -> "Begun | None":
        """None before the release."""
        spec, at = trial.spec, trial.status.release_at
        if at is None:
            return None
        return cls(at, spec.block, condition_of(trial), load_seconds(spec))


@dataclass(frozen=True)
class Misfit:
    """A Testbed or Trial of the campaign that this version does not understand."""

    kind: Kind
    name: str
    uid: str
    why: str


@dataclass(frozen=True, slots=True)
class ClientStay:
    """On which nodes the clients of a trial were released, and that of a block with it."""

    block: tuple[str, str, int, int, str]
    nodes: tuple[str, ...]
    release_at: float
    created: str


NO_PLACE = (UNSCHEDULABLE, "StartTimeout", NODE_LOST, POD_ENDED, NOT_STARTED)
"""Reasons of a trial that was never released, for which the next one's clients get other nodes."""


class Stays:
    """Where the clients of one `StayKey` ran: the last time on each set of nodes.

    There are few sets, however many trials there are.
    """

    def __init__(self) -> None:
        self.by_nodes: dict[tuple[str, ...], ClientStay] = {}
        self.failed = ""
        """When the last trial was made that did not find its nodes."""

    def add(self, trial: Trial) -> None:
        """A trial that was released, or has ended without that."""
        status = trial.status
        if status.pods is not None:
            nodes = tuple(sorted({place.node for place in status.pods.clients}))
            own = ClientStay(block_of(trial), nodes, status.release_at or 0.0, trial.created)
            known = self.by_nodes.get(nodes)
            if known is None or known.release_at <= own.release_at:
                self.by_nodes[nodes] = own
        elif status.outcome == "Failed" and status.reason in NO_PLACE:
            self.failed = max(self.failed, trial.created)

    @property
    def latest(self) -> frozenset[str]:
        """The nodes of the last trial that was released, and of its interleaved block."""
        last = max(self.by_nodes.values(), key=lambda stay: stay.release_at, default=None)
        if last is None:
            return frozenset()
        together = (one.nodes for one in self.by_nodes.values() if one.block == last.block)
        return frozenset(chain.from_iterable(together))

    def copy(self) -> "Stays":
        """To which more can be added."""
        made = Stays()
        made.by_nodes, made.failed = dict(self.by_nodes), self.failed
        return made


class StayKey(NamedTuple):
    """Clients of one cell, number of replicas and placement belong on the same nodes."""

    cell: str
    replicas: int
    placement: str
    """As JSON."""


def stay_key(cell: str, client: Client) -> StayKey:
    """Of a workload's clients in that cell."""
    return StayKey(cell, client.replicas, client.placement.model_dump_json())


def stay_of(trial: Trial) -> StayKey:
    """Of a trial's."""
    return stay_key(trial.spec.cell, trial.spec.workload.client)


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """What planning, pace and report need of a trial."""

    name: str
    uid: str
    place: Place
    block: int
    arm: str
    testbed: str
    """Name of the one that it ran on."""
    outcome: Outcome | None
    reason: str | None
    key: str | None
    """Of its record in the bucket."""
    digest: str | None
    message: str | None
    """Why it did not succeed; None where the record says it."""
    figure: float | None
    """TPS, or the seconds of a recovery; None if it does not count."""
    cpu: float | None
    """CPU per transaction of server and proxy at a fixed rate."""
    latency: float | None
    """Average latency at a fixed rate."""
    release_at: float | None
    created: str

    @property
    def past(self) -> Past:
        """The attempt that it is."""
        cell, workload, concurrency = self.place
        return Past(cell, LoadLevel(workload, concurrency), self.block, self.arm, self.outcome)


def line(trial: Trial) -> LedgerLine:
    """Of any trial; one that is not over may get another line later."""
    spec, status = trial.spec, trial.status
    return LedgerLine(
        name=trial.name,
        uid=trial.uid,
        place=(intern(spec.cell), intern(spec.workload_ref), spec.concurrency),
        block=spec.block,
        arm=intern(spec.arm.name),
        testbed=intern(spec.testbed_ref.name),
        outcome=status.outcome,
        reason=None if status.reason is None else intern(status.reason),
        key=status.artefact_key,
        digest=status.artefact_digest,
        message=status.message if status.artefact_key is None else None,
        figure=measured(trial),
        cpu=cpu_at_a_rate(trial),
        latency=latency_at_a_rate(trial),
        release_at=status.release_at,
        created=trial.created,
    )


class Ledger:
    """The lines of one campaign. Decisions only read it."""

    def __init__(self) -> None:
        self.awaited: set[str] = set()
        """Names of trials that exist, or are about to, and have no line yet."""
        self.filled: float | None = None
        """When it was filled, Unix time."""
        self.begin(None)

    def begin(self, history: Attempts | None) -> None:
        """Forget all lines, to be filled anew."""
        self.history = history
        """The same trials as planning sees them."""
        self.lines: dict[str, LedgerLine] = {}
        """By name."""
        self.misfits: dict[str, Misfit] = {}
        """Those among them of which there can be no line, by name."""
        self.outcomes: Counter[Outcome | None] = Counter()
        self.stays: defaultdict[StayKey, Stays] = defaultdict(Stays)
        self._places: defaultdict[Place, list[LedgerLine]] = defaultdict(list)
        self.first_start: float | None = None
        """When the first of these trials was released, Unix time."""
        self._begun: set[tuple[str, str, int, int, str]] = set()
        self._starts: defaultdict[str, list[Begun]] = defaultdict(list)

    def add(self, trial: Trial) -> None:
        """A trial is over."""
        self.awaited.discard(trial.name)
        if trial.name in self.lines:
            return
        own = line(trial)
        self.lines[trial.name] = own
        self.outcomes[own.outcome] += 1
        self._places[own.place].append(own)
        self.stays[stay_of(trial)].add(trial)
        if self.history is not None:
            self.history.add(own.past)
        # Trials of an interleaved block begin together, and count as one here.
        begun = Begun.of(trial)
        if begun is not None and not self.has_begun(trial):
            self._begun.add(block_of(trial))
            insort(self._starts[own.place[0]], begun)
            self.first_start = min(begun.at, self.first_start or begun.at)

    def has_begun(self, trial: Trial) -> bool:
        """Whether the start of this trial, or of its interleaved block, is known already."""
        return block_of(trial) in self._begun

    def starts(self, cell: str) -> Sequence[Begun]:
        """How the last trials of a cell began, in their order.

        They are those of whole block numbers, with the one before, because `reset: block` restores
        the data where each begins.
        """
        own = self._starts.get(cell, [])
        first = max(0, len(own) - PACE)
        while first > 0 and own[first].block == own[first - 1].block:
            first -= 1
        return own[max(0, first - 1) :]

    def tried(self, fixed: Iterable[Place]) -> Iterator[LedgerLine]:
        """The lines of all conditions but these."""
        left = self._places.keys() - set(fixed)
        return (one for place, lines in self._places.items() if place in left for one in lines)
