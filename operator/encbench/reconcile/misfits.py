"""Objects that this version does not understand, such as those of a newer one before a downgrade.

Fields of a later version are ignored where that is safe (`kube.parsing`). Nothing else is guessed:
such an object gets a condition that says so, and can be deleted.
"""

import logging
from typing import Any

from encbench.api.conditions import Condition, format_time, with_condition
from encbench.api.kinds import CAMPAIGN, Kind
from encbench.api.lifecycle import MALFORMED, READY, UNDERSTOOD
from encbench.kube.parsing import Malformed
from encbench.logs import about, named
from encbench.ports import Body, Clock, Cluster
from encbench.reconcile.campaign.cleanup import FINALIZER, without_ours
from encbench.reconcile.objects import is_over
from encbench.wire.foreign import printable

LOOK_AGAIN = 60.0
"""Seconds until another version may have taken over, or the object is another one."""

log = logging.getLogger(__name__)


async def handle(cluster: Cluster, clock: Clock, kind: Kind, body: Body, why: Malformed) -> float:
    """Let a deleted one go, or else say what is wrong; seconds after which to look again."""
    meta = body["metadata"]
    if meta.get("deletionTimestamp") is not None:
        finalizers = meta.get("finalizers") or ()
        if FINALIZER in finalizers:
            await cluster.patch_metadata(
                kind,
                meta["namespace"],
                meta["name"],
                finalizers=without_ours(finalizers),
                resource_version=meta["resourceVersion"],
            )
        return LOOK_AGAIN
    status = dict(body.get("status") or {})
    kinds = [UNDERSTOOD]
    if kind == CAMPAIGN and not is_over(body):
        # By these, tools that use kstatus tell that it is not what they wait for.
        status["observedGeneration"] = meta.get("generation", 1)
        kinds.append(READY)
        status["step"] = printable(f"stopped; {why}", 512)
    is_known = (_own(status.get("conditions"), UNDERSTOOD) or {}).get("status") == "False"
    for one in kinds:
        status["conditions"] = _with(status.get("conditions"), one, clock, meta, str(why))
    if status != body.get("status"):
        await cluster.apply_status(kind, {**body, "status": status})
    if not is_known:
        place = (kind, meta["namespace"], meta["name"])
        text = "%s is not understood and stands still: %s"
        log.warning(text, named(*place), why, extra=about(*place))
        await cluster.event(kind, body, MALFORMED, printable(str(why), 1000), warning=True)
    return LOOK_AGAIN


def _with(before: Any, kind: str, clock: Clock, meta: Body, why: str) -> list[Any]:
    """The conditions as they were, of whatever form they are, but for this one, which is False."""
    kept = before if isinstance(before, list) else []
    own, now = _own(before, kind), clock.now()
    old = []
    if own is not None and own.get("status") == "False":
        since = own.get("lastTransitionTime") or format_time(now)
        old = [Condition(type=kind, status="False", reason=MALFORMED, last_transition_time=since)]
    (made,) = with_condition(
        old, kind, False, MALFORMED, why, now=now, generation=meta.get("generation")
    )
    return [*(c for c in kept if c is not own), made.to_dict()]


def _own(conditions: Any, kind: str) -> Body | None:
    """The condition of that type, whatever form the others have."""
    kept = conditions if isinstance(conditions, list) else []
    return next((c for c in kept if isinstance(c, dict) and c.get("type") == kind), None)
