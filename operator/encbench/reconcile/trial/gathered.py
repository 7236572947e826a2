"""What a trial left behind, as its outcome is judged by it and its record is made of it."""

from dataclasses import dataclass, field

from encbench.api.trial import Window
from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.core.records import ClientCpu, ClientFacts, RecoveryFacts
from encbench.reconcile.trial.series import WindowMetrics
from encbench.tools.measurement import Measurement


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
    problem: str = ""
    """Why there is no measurement."""
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
    artefacts: dict[str, str] = field(default_factory=dict)
    """Digest by name relative to the trial's folder."""
    unreadable: str = ""
    """Why nothing can be made of what lies in the bucket."""
