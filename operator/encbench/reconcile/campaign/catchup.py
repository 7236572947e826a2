"""Keeping a ledger up with the API server: every trial is in it, or was seen in this pass.

A trial that was there and is no longer among the active ones has retired, or was deleted: one look
at it says which. Trials that this process makes are awaited from before their creation, so none can
come and go unseen between two passes. What another operator makes is found by the same names,
because both follow one plan.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from encbench.api.kinds import TRIAL, Kind
from encbench.core import plan
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.campaign.facts import is_archived
from encbench.reconcile.campaign.ledger import Ledger, Misfit
from encbench.reconcile.deps import Reads
from encbench.reconcile.misfits import LOOK_AGAIN
from encbench.reconcile.objects import Campaign, Trial, belongs_to
from encbench.reconcile.strangers import stores_elsewhere

AGAIN = 3600.0
"""Seconds after which a ledger is filled anew, because people may delete Trials that are over."""

BREATH = 25
"""Trials that are parsed at once; clients of another campaign may have to be released meanwhile."""

AT_ONCE = 200
"""Trials that are deleted in one pass after their time to live: about a second of a worker."""

Misfits = dict[str, Misfit]
"""By name."""


async def catch_up(
    read: Reads, campaign: Campaign, ledger: Ledger, active: dict[str, Trial], misfits: Misfits
) -> dict[str, Trial]:
    """Those of the trials that are not in the ledger; `active` are the ones that bear the label.

    With misfits the campaign stands still, so the others need not be counted.
    """
    if not misfits:
        await _keep_filled(read, campaign, ledger)
        misfits |= ledger.misfits
    found = {name: trial for name, trial in active.items() if name not in ledger.lines}
    if not misfits:
        found |= await _retired(read, campaign, ledger, active, misfits)
    ledger.awaited |= active.keys() - ledger.lines.keys()
    return {name: trial for name, trial in found.items() if not stores_elsewhere(trial)}


async def _keep_filled(read: Reads, campaign: Campaign, ledger: Ledger) -> None:
    now = read.clock.now().timestamp()
    # Of a misfit nothing is kept, so it is looked for until there is none.
    lasts = LOOK_AGAIN if ledger.misfits else AGAIN
    if ledger.filled is None or not 0 <= now - ledger.filled < lasts:
        ledger.filled = None
        await _fill(read, campaign, ledger)
        ledger.filled = now


async def _retired(
    read: Reads, campaign: Campaign, ledger: Ledger, active: dict[str, Trial], misfits: Misfits
) -> dict[str, Trial]:
    """Trials that are awaited and bear the label no more; those that are over enter the ledger."""
    found: dict[str, Trial] = {}
    for name in sorted(ledger.awaited - active.keys()):
        body = await read.cluster.get(TRIAL, campaign.namespace, name)
        if body is None or not belongs_to(body, campaign.uid):
            ledger.awaited.discard(name)
            continue
        with noting(misfits, TRIAL, body):
            trial = objects.trial(body)
            if is_archived(trial):
                ledger.add(trial)
            else:
                found[name] = trial
    return found


async def _fill(read: Reads, campaign: Campaign, ledger: Ledger) -> None:
    """Read all trials, and enter those that are over. Unavailable when the API server is away."""
    resolved = campaign.status.resolved
    cells = plan.cells(campaign.spec, resolved.workloads) if resolved is not None else ()
    ledger.begin(plan.Attempts(campaign.spec.blocks, cells))
    own = {labels.CAMPAIGN: campaign.name}
    async for page in read.cluster.pages(TRIAL, campaign.namespace, own):
        for number, body in enumerate(page):
            if number % BREATH == 0:
                await asyncio.sleep(0)
            name = body["metadata"]["name"]
            if not belongs_to(body, campaign.uid):
                continue
            ledger.awaited.add(name)
            if labels.ACTIVE not in (body["metadata"].get("labels") or {}):
                with noting(ledger.misfits, TRIAL, body):
                    trial = objects.trial(body)
                    if is_archived(trial):
                        ledger.add(trial)


async def to_go(read: Reads, campaign: Campaign) -> tuple[dict[str, Trial], bool]:
    """The first succeeded trials of a campaign that is over, and whether none is left.

    They are not given all at once: each is a request, and other campaigns wait for the worker.
    """
    found, is_cleared = dict[str, Trial](), True
    own = {labels.CAMPAIGN: campaign.name}
    async for page in read.cluster.pages(TRIAL, campaign.namespace, own):
        for number, body in enumerate(page):
            if len(found) == AT_ONCE:
                return found, False
            if number % BREATH == 0:
                await asyncio.sleep(0)
            is_going = body["metadata"].get("deletionTimestamp") is not None
            if is_going or not belongs_to(body, campaign.uid):
                continue
            try:
                trial = objects.trial(body)
            except Malformed:
                is_cleared = False  # Whatever it is, it may be understood later.
                continue
            if trial.status.outcome in ("Invalid", "Failed"):
                continue
            is_cleared = False
            is_retired = is_archived(trial) and labels.ACTIVE not in trial.labels
            if is_retired and trial.status.outcome == "Succeeded":
                found[trial.name] = trial
    return found, is_cleared


@contextmanager
def noting(misfits: Misfits, kind: Kind, body: Body) -> Iterator[None]:
    """What this version does not understand joins the misfits."""
    try:
        yield
    except Malformed as error:
        meta = body["metadata"]
        misfits[meta["name"]] = Misfit(kind, meta["name"], meta["uid"], str(error))
