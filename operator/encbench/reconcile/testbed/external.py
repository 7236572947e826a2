"""Gathering what a decision over the testbed of an external database needs.

There is no pod to look at: who else uses the database, and how to log in, is all there is to see.
"""

from contextlib import suppress
from dataclasses import replace

from encbench.api.conditions import is_true
from encbench.api.kinds import SECRET, TESTBED
from encbench.api.lifecycle import FAILED, PROVISIONED
from encbench.core.naming import credentials_name
from encbench.database.connection import connection
from encbench.engines.external import entries_of, faults, wanted
from encbench.engines.facts import facts
from encbench.kube.labels import CREDENTIALS
from encbench.kube.parsing import Malformed
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Campaign, Testbed, belongs_to, under_way
from encbench.reconcile.testbed.consent import marked
from encbench.reconcile.testbed.facts import TestbedSeen

Place = tuple[str, int, str]
"""Host, port and database of an external database."""


async def observe(read: Reads, testbed: Testbed, seen: TestbedSeen) -> TestbedSeen:
    """What was seen, with the database's other users and the login, as far as they are needed."""
    if seen.has_credentials or is_true(testbed.status.conditions, FAILED):
        return seen
    rival = await _rival(read, testbed)
    login, problem = await _login(read, testbed)
    return replace(seen, rival=rival, login=login, problem=problem)


async def _login(read: Reads, testbed: Testbed) -> tuple[dict[str, str] | None, str]:
    """The user's Secret, which `resolve` has found right; what is wrong if it has changed since."""
    external = testbed.spec.instance.external
    assert external is not None  # noqa: S101 - the caller chose us by it
    name = external.credentials_secret_ref.name
    secret, why = await marked(read, SECRET, testbed.namespace, name, CREDENTIALS)
    if secret is None:
        return None, why
    for _, text in faults(secret, wanted(testbed.spec.mode)):
        return None, f"Secret {name}{text}"
    return entries_of(secret), ""


async def _rival(read: Reads, testbed: Testbed) -> str:
    """The first campaign under way on this database, if it is not the testbed's own.

    One that has it goes first, because the time of a campaign's start is that of a clock that may
    have been set, or of another process. A campaign has one such database at a time and does not
    need the next one to leave it, so that no two wait for each other.
    """
    place = _place(testbed)
    running = await under_way(read.cluster, testbed.namespace)
    found = [one for one in running if place in _places(one)]
    at_work = await _at_work(read, testbed.namespace, place)
    first = min(
        found,
        key=lambda one: (one.uid not in at_work, one.status.start_time or "", one.uid),
        default=None,
    )
    own = testbed.spec.campaign_ref.uid
    return "" if first is None or first.uid == own else f"campaign {first.name}"


async def _at_work(read: Reads, namespace: str, place: Place) -> set[str]:
    """The campaigns that have the database there, by uid."""
    found = set()
    for body in await read.cluster.list(TESTBED, namespace):
        with suppress(Malformed):
            one = objects.testbed(body)
            is_here = one.spec.instance.is_external and _place(one) == place
            if is_here and await _may_log_in(read, one):
                found.add(one.spec.campaign_ref.uid)
    return found


async def _may_log_in(read: Reads, testbed: Testbed) -> bool:
    """Whether a testbed has its login, and still has a use for it."""
    facts = testbed.status.conditions
    if is_true(facts, FAILED) or is_true(facts, PROVISIONED):
        return not is_true(facts, FAILED)
    secret = await read.cluster.get(SECRET, testbed.namespace, credentials_name(testbed.name))
    return belongs_to(secret, testbed.uid)


async def has_left(read: Reads, body: Body, testbed: Testbed) -> bool:
    """Whether one that was read is going, or has no login to the database of `testbed` to use.

    It has failed, or it waits for its turn under the name of an earlier one that had the database.
    """
    if body["metadata"].get("deletionTimestamp") is not None:
        return True
    with suppress(Malformed):
        one = objects.testbed(body)
        return _place(one) == _place(testbed) and not await _may_log_in(read, one)
    return False


def _place(testbed: Testbed) -> Place:
    where = connection(testbed.name, testbed.spec)
    return where.host.lower(), where.port, where.database


def _places(campaign: Campaign) -> set[Place]:
    """All external databases that a campaign may write to."""
    resolved = campaign.status.resolved
    found = [] if resolved is None else resolved.instances.values()
    return {
        (at.host.lower(), at.port or facts(one.engine).port, at.database)
        for one in found
        if (at := one.external) is not None
    }
