"""What a pass over a campaign has seen."""

from dataclasses import dataclass
from datetime import datetime

from encbench.api.conditions import is_true
from encbench.api.kinds import Kind
from encbench.api.lifecycle import ARCHIVED
from encbench.core.plan import LoadLevel, Past
from encbench.reconcile.campaign.resolve import Resolution
from encbench.reconcile.objects import Testbed, Trial


@dataclass(frozen=True)
class Misfit:
    """A Testbed or Trial of the campaign that this version does not understand."""

    kind: Kind
    name: str
    uid: str
    why: str


@dataclass(frozen=True)
class CampaignSeen:
    """Everything that a decision is made from."""

    now: datetime
    resolution: Resolution | None
    """Only while the campaign is not accepted yet."""
    testbeds: dict[str, Testbed]
    """By name."""
    trials: dict[str, Trial]
    """By name."""
    report_ready: bool = False
    report_problem: str = ""
    """Why the report could not be rendered the last time."""
    clients: tuple[str, ...] = ()
    """Of a deleted campaign: names of pods that are left and could still upload."""
    misfits: tuple[Misfit, ...] = ()
    """Children that are in neither of the two above."""
    away: str = ""
    """The object store or Prometheus, as a sentence; empty if both answer."""
    is_blind: bool = False
    """Of a deleted campaign: nothing was looked at, because the operator's Role or the other kinds
    may be gone, or because it has waited for long enough."""


def past(trial: Trial) -> Past:
    """The attempt that a trial is."""
    spec = trial.spec
    return Past(
        cell=spec.cell,
        condition=LoadLevel(spec.workload_ref, spec.concurrency),
        block=spec.block,
        arm=spec.arm.name,
        outcome=trial.status.outcome,
    )


def is_archived(trial: Trial) -> bool:
    """Whether nothing of the trial is left to do."""
    return is_true(trial.status.conditions, ARCHIVED)


def block_of(trial: Trial) -> tuple[str, str, int, int, str]:
    """What trials that run at the same time have in common: an interleaved block, else the name."""
    spec = trial.spec
    alone = trial.name if spec.turns is None else ""
    return (spec.cell, spec.workload_ref, spec.concurrency, spec.block, alone)
