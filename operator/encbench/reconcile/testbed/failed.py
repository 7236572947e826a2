"""A testbed that has failed: its database gives its room back.

A pod takes room for as long as its StatefulSet wants it. One that fits no node takes the room of
the next campaign as soon as that is free, or has an autoscaler add a node for it. So the database
stops:

- at once where its server never ran: no log says more than the condition `Failed`;
- else `KEPT` seconds after the end of its campaign. Until then its logs say why it failed. A drain
  need not wait for it, because nothing is measured there any more.

A load that has not ended goes before that. It takes room too, and the next one into the same
external database waits for it.

The volume stays until the campaign is deleted.
"""

from contextlib import suppress
from dataclasses import replace

from encbench.api.conditions import parse_time
from encbench.api.kinds import CAMPAIGN, POD_DISRUPTION_BUDGET
from encbench.kube.parsing import Malformed
from encbench.reconcile import objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.effects.effect import Delete
from encbench.reconcile.objects import Testbed, belongs_to, has_ended
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.testbed.decision import POLL, TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.testbed.starting import scaled

KEPT = 12 * 3600.0
"""Seconds: a working day for the logs, and the room is free in the next night."""
SELDOM = 3600.0
"""Seconds between looks at one that is kept, at most."""


async def observe(read: Reads, testbed: Testbed, seen: TestbedSeen) -> TestbedSeen:
    """What was seen, with the end of its campaign and then its budget, where a pod has logs."""
    if not _has_logs(seen.database):
        return seen
    ref, ended = testbed.spec.campaign_ref, None
    body = await read.cluster.get(CAMPAIGN, testbed.namespace, ref.name)
    # One of another version may not have ended.
    with suppress(Malformed):
        campaign = None if body is None else objects.campaign(body)
        if campaign is not None and campaign.uid == ref.uid and has_ended(campaign):
            ended = campaign.status.completion_time
    if ended is None:
        return seen
    budget = await read.cluster.get(POD_DISRUPTION_BUDGET, testbed.namespace, testbed.name)
    uid = budget["metadata"]["uid"] if budget and belongs_to(budget, testbed.uid) else None
    return replace(seen, campaign_ended=parse_time(ended), budget=uid)


def rest(draft: TestbedDraft) -> TestbedDecision:
    """Stop its load and its database, or keep the pods that have logs."""
    seen, testbed = draft.seen, draft.subject
    if seen.load is not None and not seen.load.has_ended:
        # It was to go with the failure, but then the API server was away, or this process ended.
        return draft.decide(draft.delete_load(seen.load), requeue=POLL)
    found, ended = seen.stateful_set, seen.campaign_ended
    if found is None or not found.replicas:
        return draft.decide()
    left = 0.0
    if _has_logs(seen.database):
        if ended is None:
            return draft.decide()
        left = KEPT - (seen.now - ended).total_seconds()
    if left <= 0:
        return draft.decide(*scaled(draft, (0, found.start)))
    kind, uid = POD_DISRUPTION_BUDGET, seen.budget
    gone = [Delete(kind, testbed.namespace, testbed.name, uid)] if uid is not None else []
    return draft.decide(*gone, requeue=min(left, SELDOM))


def _has_logs(pod: PodFacts | None) -> bool:
    """Whether its server ran, or a container of it failed."""
    if pod is None:
        return False
    server, known = pod.container("server"), pod.containers.values()
    has_run = server.running or server.exit_code is not None or server.restarts > 0
    return has_run or any(one.exit_code or one.last_exit_code for one in known)
