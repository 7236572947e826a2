"""Objects that this version does not understand, such as those of a newer one before a downgrade.

Nothing is guessed about them. They get a condition that says so, and can be deleted.
"""

from typing import Any

from encbench.api.conditions import Condition, format_time, with_condition
from encbench.api.kinds import Kind
from encbench.api.lifecycle import UNDERSTOOD
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Clock, Cluster
from encbench.reconcile.campaign.cleanup import FINALIZER, without_ours

LOOK_AGAIN = 60.0
"""Seconds until another version may have taken over, or the object is another one."""


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
    status["conditions"] = _conditions(status.get("conditions"), clock, str(why))
    if status != body.get("status"):
        await cluster.apply_status(kind, {**body, "status": status})
    return LOOK_AGAIN


def _conditions(before: Any, clock: Clock, why: str) -> list[Any]:
    """As they were, of whatever form they are, with ours among them."""
    kept = before if isinstance(before, list) else []
    own = next((c for c in kept if isinstance(c, dict) and c.get("type") == UNDERSTOOD), None)
    now = clock.now()
    old = []
    if own is not None and own.get("status") == "False":
        since = own.get("lastTransitionTime") or format_time(now)
        old = [
            Condition(
                type=UNDERSTOOD, status="False", reason="Malformed", last_transition_time=since
            )
        ]
    (made,) = with_condition(old, UNDERSTOOD, False, "Malformed", why, now=now)
    return [*(c for c in kept if c is not own), made.to_dict()]
