"""Which changes of a status may wait for others, so that one write says them all.

A campaign's counts and current step change several times in a trial, and each write of them costs
as much as one about the trial itself. They are written together. Everything else is written at
once, because something depends on it: conditions, the frozen plan, the numbers of blocks.
"""

from datetime import datetime

from encbench.api.campaign import CampaignStatus, Progress
from encbench.reconcile.objects import Campaign

TOGETHER = 5.0
"""Seconds that a change may wait for others, at most."""


class CampaignPacing:
    """How far a campaign is may wait while its trials follow each other."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], float] = {}
        """Since when something waits, Unix time."""

    def delay(self, subject: Campaign, status: CampaignStatus, now: datetime) -> float:
        """Seconds for which this status, which differs from the campaign's, may wait."""
        place, moment = (subject.namespace, subject.name), now.timestamp()
        if _is_only_progress(subject.status, status):
            waited = moment - self._since.setdefault(place, moment)
            if 0 <= waited < TOGETHER:
                return TOGETHER - waited
        self._since.pop(place, None)
        return 0.0


def _is_only_progress(before: CampaignStatus, after: CampaignStatus) -> bool:
    """Whether it differs only by what shows people how far it is, while trials are under way."""
    one, other = before.progress, after.progress
    if not (one.active and other.active) or one.planned != other.planned:
        return False
    bare = {"progress": Progress(), "step": "", "estimated_completion_time": None}
    return before.model_copy(update=bare) == after.model_copy(update=bare)
