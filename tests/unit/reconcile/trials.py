"""How far a trial has come, and what its pass decides."""

from typing import Any

from encbench.reconcile.effects.effect import ReleaseClients
from encbench.reconcile.pods import ContainerFacts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod
from encbench.wire.recorder import RunStateName
from tests.unit.reconcile.seen import UNIX, a_trial, saw

BEFORE = {"Prepared": ("True", 10.0), "ProvenBefore": ("True", 10.0)}
RUNNING = {**BEFORE, "Released": ("True", 9.0)}
MEASURED = {**RUNNING, "Measured": ("True", 4.0)}
PROVEN_TWICE = {**MEASURED, "ProvenAfter": ("True", 4.0)}
RUN: RunStateName = "running"
FINISHED: RunStateName = "finished"
UPLOADED: RunStateName = "uploaded"


def verdict(decision: TrialDecision) -> tuple[str | None, str | None]:
    """Outcome and reason."""
    return decision.status.outcome, decision.status.reason


def released(decision: TrialDecision) -> tuple[ClientPod, ...]:
    """The clients that it releases."""
    return next((e.clients for e in decision.effects if isinstance(e, ReleaseClients)), ())


def run(*clients: ClientPod, late: float = 0.0, **fields: Any) -> TrialDecision:
    """A decision so many seconds after the planned end of the tool; before it when negative."""
    replicas = fields.pop("replicas", 1)
    trial = a_trial(RUNNING, releaseAt=UNIX - 70.0 - late, replicas=replicas)
    return decide(trial, saw(*clients, **fields))


def ended(name: str, code: int) -> ContainerFacts:
    """A container that ended with this exit code."""
    return ContainerFacts(name, exit_code=code)
