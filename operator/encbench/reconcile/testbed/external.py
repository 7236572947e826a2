"""Gathering what a decision over the testbed of an external database needs.

There is no pod to look at: who else uses the database, and how to log in, is all there is to see.
"""

import contextlib

from encbench.api.conditions import is_true
from encbench.api.instancetemplate import External
from encbench.api.kinds import CAMPAIGN, SECRET
from encbench.api.lifecycle import COMPLETE, FAILED
from encbench.database.connection import connection
from encbench.engines.external import PASSWORD, USERNAME, entries_of
from encbench.engines.facts import facts
from encbench.kube.parsing import Malformed
from encbench.reconcile import objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Campaign, Testbed
from encbench.reconcile.testbed.facts import TestbedSeen


async def observe(read: Reads, testbed: Testbed, *, has_credentials: bool) -> TestbedSeen:
    """What a pass needs of the database and its other users."""
    external = testbed.spec.instance.external
    assert external is not None  # noqa: S101 - the caller chose us by it
    rival, login, problem = "", None, ""
    if not has_credentials and not is_true(testbed.status.conditions, FAILED):
        rival = await _rival(read, testbed)
        login, problem = await _login(read, testbed, external)
    return TestbedSeen(
        now=read.clock.now(),
        has_credentials=has_credentials,
        has_stateful_set=False,
        database=None,
        load=None,
        problem=problem,
        rival=rival,
        login=login,
    )


async def _login(
    read: Reads, testbed: Testbed, external: External
) -> tuple[dict[str, str] | None, str]:
    """The user's Secret, which `resolve` has found right; what is wrong if it has changed since."""
    name = external.credentials_secret_ref.name
    secret = await read.cluster.get(SECRET, testbed.namespace, name)
    if secret is None:
        return None, f"there is no Secret {name} any more: create it again"
    found = entries_of(secret)
    missing = [entry for entry in (USERNAME, PASSWORD) if not found.get(entry)]
    if missing:
        return None, f"Secret {name} has no {' and no '.join(missing)} any more: add it again"
    return found, ""


async def _rival(read: Reads, testbed: Testbed) -> str:
    """The first campaign on this database, if it is not the testbed's own: it goes first."""
    found = [
        campaign
        for campaign in await _campaigns(read, testbed.namespace)
        if _place_of(testbed) in _places(campaign)
    ]
    order = {one.uid: (one.status.start_time or "", one.uid) for one in found}
    first = min(found, key=lambda one: order[one.uid], default=None)
    own = testbed.spec.campaign_ref.uid
    return "" if first is None or first.uid == own else f"campaign {first.name}"


async def _campaigns(read: Reads, namespace: str) -> list[Campaign]:
    """Those that are under way."""
    found = []
    for body in await read.cluster.list(CAMPAIGN, namespace, {}):
        with contextlib.suppress(Malformed):
            one = objects.campaign(body)
            ended = any(is_true(one.status.conditions, kind) for kind in (COMPLETE, FAILED))
            if not ended:
                found.append(one)
    return found


DatabasePlace = tuple[str, int, str]
"""Host, port and database."""


def _place_of(testbed: Testbed) -> DatabasePlace:
    where = connection(testbed.name, testbed.spec)
    return where.host.lower(), where.port, where.database


def _places(campaign: Campaign) -> set[DatabasePlace]:
    """The external databases that a campaign may write to."""
    resolved = campaign.status.resolved
    if resolved is None:
        return set()
    return {
        (
            one.external.host.lower(),
            one.external.port or facts(one.engine).port,
            one.external.database,
        )
        for one in resolved.instances.values()
        if one.external is not None
    }
