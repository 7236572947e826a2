"""What a pass over a campaign has seen."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from encbench.api.conditions import is_true, parse_time
from encbench.api.lifecycle import ARCHIVED, NOT_STORED
from encbench.reconcile.absences import NEVER, Absences
from encbench.reconcile.campaign.ledger import Ledger, LedgerLine, Misfit, line
from encbench.reconcile.campaign.resolve import Resolution
from encbench.reconcile.draft import PATIENCE
from encbench.reconcile.objects import Campaign, Testbed, Trial

SETTLE = 3.0
"""Seconds of a campaign's life in which it is neither accepted nor refused: `kubectl apply -k`
writes it before the parts that it names, which are still missing then, or as they were before."""


@dataclass(frozen=True)
class CampaignFound:
    """What this process knows of a campaign, and no status says."""

    ledger: Ledger = field(default_factory=Ledger)
    """Its trials that are over."""
    problem: str = ""
    """Why the report could not be rendered the last time."""
    reason: str = NOT_STORED
    """The same as a reason of `Hindered`."""
    has_begun: bool = False
    """This process has begun the report, or has it waiting for its turn."""
    refused: str = ""
    """Why the last pass could not create or change an object."""
    failing_since: datetime | None = None
    """Since when each pass has met a webhook that fails; it may be back at once."""
    gone: frozenset[str] = frozenset()
    """Names of testbeds that trials ran on, and that the API server had no more."""
    is_clean: bool = False
    """Of a deleted one: nothing half-done is left in the bucket."""


@dataclass(frozen=True)
class CampaignSeen:
    """Everything that a decision is made from."""

    now: datetime
    resolution: Resolution | None
    """Only while the campaign is not accepted yet."""
    testbeds: dict[str, Testbed]
    """By name."""
    trials: dict[str, Trial]
    """Those that are not in the ledger, by name."""
    found: CampaignFound = field(default_factory=CampaignFound)
    ending: frozenset[str] = frozenset()
    """Cells with a database whose testbed is gone already."""
    verdict: str | None = None
    """Of the report, maybe none: empty. None until the report is written."""
    at_work: tuple[str, ...] = ()
    """Of a deleted campaign: names of pods that are left and could still upload or load."""
    is_cleared: bool = False
    """Of one that is over: none of its trials is left that goes after its time to live."""
    misfits: tuple[Misfit, ...] = ()
    """Children that are in neither of the two above."""
    away: str = ""
    """The object store or Prometheus, as a sentence; empty if both answer."""
    is_blind: bool = False
    """Of a deleted campaign: nothing was looked at, because the operator's Role or the other kinds
    may be gone, or because it has waited for long enough."""
    absences: Absences = NEVER
    installation: str = ""
    """The one whose operator looks."""

    @property
    def lines(self) -> list[LedgerLine]:
        """Of all trials."""
        return [*self.found.ledger.lines.values(), *map(line, self.trials.values())]

    @property
    def is_refused(self) -> bool:
        """Whether it could not create or change an object, and not only for a moment."""
        since = self.found.failing_since
        if not self.found.refused or since is None:
            return bool(self.found.refused)
        return (self.now - since).total_seconds() > PATIENCE

    def vanished(self, names: Collection[str]) -> set[str]:
        """Those of these names whose testbed is not there, though trials ran on it."""
        missing = {name for name in names if name not in self.testbeds}
        return missing and missing & {one.testbed for one in self.lines}


def left_to_settle(campaign: Campaign, now: datetime, absences: Absences) -> float:
    """Seconds for which a new campaign is not looked at yet; 0 for one that is old enough."""
    age = absences.waited(parse_time(campaign.created), now)
    # Further below zero the clocks disagree, and waiting would take as long.
    return SETTLE - age if abs(age) < SETTLE else 0.0


def left_to_live(campaign: Campaign, now: datetime) -> float | None:
    """Seconds until the trials of a campaign that has ended go; None if they stay.

    Without a report nothing else names their records in the bucket.
    """
    ttl, ended = campaign.spec.ttl_seconds_after_finished, campaign.status.completion_time
    if ttl is None or ended is None or campaign.status.report_ref is None:
        return None
    return ttl - (now - parse_time(ended)).total_seconds()


def is_archived(trial: Trial) -> bool:
    """Whether nothing of the trial is left to do."""
    return is_true(trial.status.conditions, ARCHIVED)
