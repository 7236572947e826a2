"""What decisions want done, as data. The modules beside this one do it.

Everything that changes the world is named here: objects on the API server, requests that have an
agent or a recorder do something, and writes to the bucket.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from encbench.api.campaign import CampaignStatus
from encbench.api.kinds import Kind
from encbench.core.certificates import KeyPair
from encbench.core.records import CampaignEnd, RecoveryRecord, TrialRecord
from encbench.kube.leases import Unit
from encbench.ports import Body
from encbench.reconcile.background import Lane
from encbench.reconcile.campaign.ledger import LedgerLine
from encbench.reconcile.claims import Use
from encbench.reconcile.objects import Object, Testbed
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import ClientPod, Patience, TrialSeen, When

# -- objects


@dataclass(frozen=True)
class Create:
    """Create an object whose content is decided once (credentials, Jobs, trials)."""

    kind: Kind
    body: Body


@dataclass(frozen=True)
class Apply:
    """Bring an object to this state by server-side apply."""

    kind: Kind
    body: Body


@dataclass(frozen=True)
class Delete:
    """Delete one incarnation."""

    kind: Kind
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, found: Object[Any, Any]) -> "Delete":
        """One of our kinds, as it was seen."""
        return cls(found.kind, found.namespace, found.name, found.uid)


@dataclass(frozen=True)
class Announce:
    """Record an Event about the object that is reconciled."""

    reason: str
    note: str
    warning: bool = False


@dataclass(frozen=True)
class Retire:
    """Take the active label off the object that is reconciled: there is no work left with it."""


@dataclass(frozen=True)
class SetFinalizers:
    """Have the object that is reconciled carry these finalizers and no others, and these labels."""

    names: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


ObjectEffect = Create | Apply | Delete | Announce | Retire | SetFinalizers

# -- nodes


@dataclass(frozen=True)
class TakeNodes:
    """Take nodes for a unit of work, or go on waiting for them."""

    use: Use


@dataclass(frozen=True)
class LeaveNodes:
    """A member of a unit works no more."""

    unit: Unit
    member: str


NodeEffect = TakeNodes | LeaveNodes

# -- databases


@dataclass(frozen=True)
class IssueCredentials:
    """Create a testbed's Secrets, certified by this CA."""

    authority: KeyPair
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The user's own, by the entries that get them."""


@dataclass(frozen=True)
class CopyCredentials:
    """Create the Secret of a testbed whose database is external, with the user's own login."""

    login: dict[str, str] = field(repr=False)
    authority: KeyPair
    """The CA of the clients' sidecars."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """See `IssueCredentials`."""


@dataclass(frozen=True)
class ApplyDatabase:
    """Bring the objects of a testbed's database to what its spec says."""


@dataclass(frozen=True)
class CreateLoad:
    """Create the Job that loads the dataset."""


@dataclass(frozen=True)
class AskChecks:
    """Have the agent check TPC-C's tables, once for each name, and ask what came of it."""

    testbed: Testbed
    database: PodFacts
    run: str
    loaded: bool
    """The dataset is fresh, so its rows can be counted too."""
    full: bool = False
    """The slow conditions are asked as well."""


@dataclass(frozen=True)
class Settle:
    """Have a server write what the load left, before it is stopped."""

    database: PodFacts


@dataclass(frozen=True)
class ProveFully:
    """Prove a testbed's mode by a scan of all files, and store the proof.

    Without a pod the database is external and the proof says what its template declares.
    """

    database: PodFacts | None


OwnTestbedEffect = (
    ObjectEffect
    | IssueCredentials
    | CopyCredentials
    | ApplyDatabase
    | CreateLoad
    | AskChecks
    | Settle
    | ProveFully
)
TestbedEffect = NodeEffect | OwnTestbedEffect

# -- trials


@dataclass(frozen=True)
class CreateJob:
    """Create the clients' Job."""

    testbed: Testbed
    keeps_off: bool = False
    """Whether the database's pod itself keeps clients off its node."""


@dataclass(frozen=True)
class Prove:
    """Have the server write what it has changed, and prove the mode by a fresh marker's own file.

    Without a pod the database is external and the proof says what its template declares.
    """

    testbed: Testbed
    database: PodFacts | None
    when: When


@dataclass(frozen=True)
class ReleaseClients:
    """Tell these clients when to start, in Unix time, and where their artefacts go."""

    clients: tuple[ClientPod, ...]
    at: float
    reading: PodFacts | None = None
    """Of an interleaved block: the database whose agent is to read at the edges of its slots."""


@dataclass(frozen=True)
class NoteClocks:
    """Remember these clients' clocks, as they were when their runs had ended."""

    clients: tuple[ClientPod, ...]


@dataclass(frozen=True)
class StopServer:
    """Have the agent stop its server at this Unix time, as the workload says."""

    database: PodFacts
    at: float


@dataclass(frozen=True)
class DisarmServer:
    """Have the agent not stop its server after all: the trial has ended before that."""

    database: PodFacts


@dataclass(frozen=True)
class KeepRecovery:
    """Store what came of the stop. The first record that is stored counts."""

    record: RecoveryRecord


@dataclass(frozen=True)
class Gather:
    """Read what a trial left behind, and store the parts of its record."""

    seen: TrialSeen
    patience: Patience


@dataclass(frozen=True)
class Archive:
    """Store the trial's record, and remove the single proofs: it names them together.

    The first record that is stored counts.
    """

    record: TrialRecord


OwnTrialEffect = (
    ObjectEffect
    | CreateJob
    | Prove
    | AskChecks
    | ReleaseClients
    | NoteClocks
    | StopServer
    | DisarmServer
    | KeepRecovery
    | Gather
    | Archive
)
TrialEffect = NodeEffect | OwnTrialEffect

# -- campaigns


@dataclass(frozen=True)
class IssueAuthority:
    """Create the CA that certifies a campaign's testbeds. The first one that is created counts."""


@dataclass(frozen=True)
class Publish:
    """Render the report from the bucket and write the OverheadReport."""

    status: CampaignStatus
    lines: tuple[LedgerLine, ...]
    """Of all trials, as they were when it was decided: the ledger may be filled anew meanwhile."""
    now: datetime
    end: CampaignEnd
    """Why the campaign ends."""


@dataclass(frozen=True)
class RemoveUnfinished:
    """Remove from the bucket what a deleted campaign left half-done."""


@dataclass(frozen=True)
class RemoveIfThere:
    """The same at the last moment, of a store that answers soon; it was waited for long enough."""


@dataclass(frozen=True)
class LookForTestbeds:
    """Ask whether testbeds are gone that trials ran on: what is remembered may be late."""

    names: tuple[str, ...]


SLOW: Mapping[type[Any], Lane] = {
    Settle: "scan",
    ProveFully: "scan",
    Prove: "agent",
    AskChecks: "agent",
    DisarmServer: "agent",
    KeepRecovery: "store",
    Gather: "store",
    Archive: "store",
    Publish: "store",
    RemoveUnfinished: "store",
}
"""Effects that wait for an agent, the store or Prometheus, each of which may be away."""

CampaignEffect = (
    ObjectEffect | IssueAuthority | Publish | RemoveUnfinished | RemoveIfThere | LookForTestbeds
)
