"""A testbed's first step: a database that answers, or a login to one that is there already."""

from encbench.api import lifecycle as life
from encbench.api.conditions import format_time
from encbench.api.scalars import parse_duration
from encbench.reconcile import troubles
from encbench.reconcile.effects import effect as do
from encbench.reconcile.testbed.decision import POLL, SETTLED_POLL, TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.troubles import Trouble


def provision(draft: TestbedDraft) -> TestbedDecision:
    """Until the server answers, in the version and with the connections that are wanted."""
    seen = draft.seen
    limit, waited = parse_duration(draft.spec.step_deadlines.provision), _provisioning(draft)
    late = waited > limit
    missing = _missing(seen)
    if missing is not None:
        draft.hold(life.PROVISIONED, missing.reason, missing.message)
        if late:
            return draft.fail(missing.reason, missing.message)
        return draft.decide(requeue=SETTLED_POLL)
    if draft.spec.instance.is_external:
        return _take_over(draft, waited, late=late)
    if not seen.has_credentials or seen.stateful_set is None:
        return _create(draft, waited, late=late)
    unfit = _unfit(draft)
    if unfit is not None:
        return draft.fail(*unfit)
    if seen.database is not None and seen.database.ready and seen.server_started is not None:
        draft.condition(life.PROVISIONED, True, "Answering", "the database answers queries")
        draft.set(server_started=seen.server_started)
        return draft.decide(requeue=0.0)
    found = troubles.trouble([seen.database], seen.now) if seen.database else None
    found = found or draft.rejected
    if found is not None and found.reason == life.UNSCHEDULABLE and draft.spec.avoid:
        return _await_room(draft, found)
    draft.note_trouble(found, waited)
    reason = found.reason if found else life.STARTING
    message = found.message if found else (seen.problem or "the database is starting")
    refused = reason == life.SETTINGS_REFUSED
    draft.condition(life.PROVISIONED, False, reason, message)
    if late or refused:
        return draft.fail(*_not_provisioned(draft, found, message))
    return draft.decide(requeue=POLL)


def _create(draft: TestbedDraft, waited: float, *, late: bool) -> TestbedDecision:
    """Certificates and password first, then the database that mounts them."""
    seen = draft.seen
    if late:
        why = seen.found.refused or f"is something else named {draft.subject.name}?"
        message = f"its objects could not be created: {why}"
        return draft.fail("ProvisionTimeout", message)
    draft.note_refusal(waited)
    waits_for_ca = not seen.has_credentials and seen.authority is None
    what = "the campaign's CA" if waits_for_ca else "the database"
    draft.condition(life.PROVISIONED, False, "Creating", f"{what} is being created")
    if seen.has_credentials:
        return draft.decide(do.ApplyDatabase(), requeue=POLL)
    if seen.authority is None:
        return draft.decide(requeue=POLL)
    return draft.decide(do.IssueCredentials(seen.authority, seen.keys), requeue=0.0)


def _unfit(draft: TestbedDraft) -> tuple[str, str] | None:
    """Reason and message if the server is another than the one that was asked for."""
    seen, wanted = draft.seen, draft.spec.instance.version
    if seen.server_version and not is_version(seen.server_version, wanted):
        return (
            "WrongVersion",
            f"the image holds version {seen.server_version} but the template says {wanted}: "
            "correct the template's version or image",
        )
    needed = draft.spec.max_connections
    if seen.connections is not None and seen.connections < needed:
        return (
            "TooFewConnections",
            f"the server allows {seen.connections:,} connections where {needed:,} are needed, "
            "because it may not open as many files: raise the limit of open files (nofile) of the "
            "node's container runtime, or lower load.concurrency",
        )
    return None


def _missing(seen: TestbedSeen) -> Trouble | None:
    """What a person has to put there before a pod may start."""
    if seen.missing is not None:
        return seen.missing
    if seen.lacking and seen.stateful_set is None:
        return Trouble(life.NOT_INSTALLED, seen.lacking)
    return None


def _not_provisioned(draft: TestbedDraft, found: Trouble | None, message: str) -> tuple[str, str]:
    """Why a database did not come up in time; one that was up before is lost."""
    was_up = draft.status.server_started is not None
    if was_up and (found is None or found.reason != life.SETTINGS_REFUSED):
        return life.NOT_READY, draft.not_ready[1]
    if draft.seen.database is None and found is None:
        message = draft.no_pod
    return (found.reason if found else "ProvisionTimeout"), message


def _provisioning(draft: TestbedDraft) -> float:
    """Seconds since the work began, or since there was room for it; none while there is not."""
    waited = draft.age(draft.status.start_time)
    if draft.fact(life.PROVISIONED) is None:
        return waited
    return min(waited, draft.since(life.PROVISIONED)) if draft.known(life.PROVISIONED) else 0.0


def _await_room(draft: TestbedDraft, found: Trouble) -> TestbedDecision:
    """Other cells of the campaign are on the nodes that it may not use, and will be done one day.

    The campaign then makes another testbed in its place, which may use them.
    """
    message = f"waits until another cell of its campaign is done: {found.message}"
    draft.condition(life.PROVISIONED, None, life.NODE_IN_USE, message)
    return draft.decide(requeue=SETTLED_POLL)


def _take_over(draft: TestbedDraft, waited: float, *, late: bool) -> TestbedDecision:
    """Of a database that is there already a testbed needs but a login, and to have it to itself."""
    seen, name = draft.seen, draft.subject.name
    if seen.has_credentials:
        message = "encbench does not run the database: the load is the first to connect to it"
        draft.condition(life.PROVISIONED, True, "External", message)
        return draft.decide(requeue=0.0)
    if seen.rival:
        # Its turn may take a day, of which nothing counts towards the step's deadline.
        draft.set(start_time=format_time(seen.now))
        message = f"waiting for {seen.rival} to end, which uses the same database"
        draft.hold(life.PROVISIONED, life.IN_USE, message)
        return draft.decide(requeue=SETTLED_POLL)
    if seen.login is None:
        message = seen.problem or "the login is being read"
        draft.hold(life.PROVISIONED, life.NO_LOGIN, message)
        return draft.fail(life.NO_LOGIN, message) if late else draft.decide(requeue=POLL)
    if late:
        why = seen.found.refused or f"is something else named {name}?"
        message = f"its Secret could not be created: {why}"
        return draft.fail("ProvisionTimeout", message)
    draft.note_refusal(waited)
    what = "the campaign's CA is being created" if seen.authority is None else "the login is copied"
    draft.condition(life.PROVISIONED, False, "Creating", what)
    if seen.authority is None:
        return draft.decide(requeue=POLL)
    copy = do.CopyCredentials(seen.login, seen.authority, seen.keys)
    return draft.decide(copy, requeue=0.0)


def is_version(found: str, wanted: str) -> bool:
    """Whether a server's version string such as 10.11.19-MariaDB is of the wanted series."""
    numbers = found.split("-", 1)[0].split(".")
    return numbers[: len(wanted.split("."))] == wanted.split(".")
