"""Passes over an object that fail again and again: an Event about the object says so.

A status cannot, because writing it is what a failed pass did not come to.
"""

import traceback
from collections import Counter
from contextlib import suppress
from pathlib import PurePath
from typing import Final

from encbench.ports import Cluster, Conflict, Rejected, Unavailable, WebhookFailed
from encbench.reconcile.background import Subject
from encbench.reconcile.draft import Fault
from encbench.reconcile.effects.cluster import NotOurs

REASON: Final = "ReconcileFailed"
FIRST: Final = 3
"""Failed passes in a row after which the Event is written; one or two may be a race."""
AGAIN: Final = 120
"""Further ones until it is written again: about an hour, after which Events are gone."""


class Failures:
    """Counts the failed passes, or slow effects, of every object since its last good one."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._in_a_row: Counter[Subject] = Counter()

    def passed(self, subject: Subject) -> None:
        """A pass went well."""
        self._in_a_row.pop(subject, None)

    async def failed(self, subject: Subject, error: Exception) -> None:
        """A pass raised this. What is away for a while, or has just changed, does not count."""
        if isinstance(error, (Unavailable, Conflict)) and not isinstance(error, WebhookFailed):
            return
        self._in_a_row[subject] += 1
        if (self._in_a_row[subject] - FIRST) % AGAIN:
            return
        with suppress(Unavailable, Rejected):
            body = await self._cluster.get(*subject)
            if body is not None:
                await self._cluster.event(subject[0], body, REASON, _note(error), warning=True)


def _note(error: Exception) -> str:
    return f"the operator cannot go on with it: {said(error)}"


def said(error: Exception) -> str:
    """In words of ours, as a `Fault`, unless it is an error of a port.

    The text of any other exception may hold what no object should show.
    """
    if isinstance(error, (Unavailable, Conflict, Rejected, NotOurs)):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Fault(
        f"a fault of the operator's own, {type(error).__name__}{where}. It keeps trying. Its log "
        "has the details; please report them"
    )
