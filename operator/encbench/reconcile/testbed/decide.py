"""What to do next with a testbed: provision, load, prove, keep ready.

Each step has a deadline and ends with a reason that says what kept it. A mode that is not in force
is no fault of the testbed: it becomes ready with `Proven=False`, and its trials are Invalid.
"""

from dataclasses import dataclass

from encbench.api.base import parse_duration
from encbench.api.conditions import format_time
from encbench.api.testbed import TestbedStatus
from encbench.reconcile import pods
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Testbed
from encbench.reconcile.patience import patience
from encbench.reconcile.testbed.facts import Seen

PROVISIONED, LOADED, PROVEN, READY, FAILED = "Provisioned", "Loaded", "Proven", "Ready", "Failed"

POLL = 1.0
STORE_RETRY = 5.0
SETTLED_POLL = 30.0


@dataclass(frozen=True)
class Decision:
    """The status to write, and what to do after it is written."""

    status: TestbedStatus
    create_credentials: bool = False
    apply_database: bool = False
    create_load: bool = False
    requeue: float | None = None


def decide(testbed: Testbed, seen: Seen) -> Decision:
    """The next step; pure."""
    draft = Draft(testbed.status, now=seen.now, generation=testbed.generation)
    if testbed.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if draft.is_true(FAILED):
        return _decision(draft)
    if not draft.is_true(PROVISIONED):
        return _provision(testbed, draft, seen)
    if not draft.is_true(LOADED):
        return _load(testbed, draft, seen)
    if not draft.known(PROVEN):
        return _prove(testbed, draft, seen)
    return _keep_ready(draft, seen)


def phase(draft: Draft[TestbedStatus]) -> str:
    """The phase for eyes, from the conditions."""
    if draft.is_true(FAILED):
        return "Failed"
    if draft.is_true(READY):
        return "Ready"
    if draft.is_true(LOADED):
        return "Proving"
    return "Loading" if draft.is_true(PROVISIONED) else "Provisioning"


def _decision(
    draft: Draft[TestbedStatus],
    *,
    create_credentials: bool = False,
    apply_database: bool = False,
    create_load: bool = False,
    requeue: float | None = None,
) -> Decision:
    draft.set(phase=phase(draft))
    return Decision(draft.status, create_credentials, apply_database, create_load, requeue)


def _fail(draft: Draft[TestbedStatus], reason: str, message: str) -> Decision:
    draft.condition(FAILED, True, reason, message)
    draft.condition(READY, False, reason, message)
    return _decision(draft)


def _provision(testbed: Testbed, draft: Draft[TestbedStatus], seen: Seen) -> Decision:
    limit = parse_duration(testbed.spec.step_deadlines.provision)
    late = draft.age(draft.status.start_time) > limit
    if not (seen.has_credentials and seen.has_stateful_set):
        if late:
            message = f"its objects could not be created: is something else named {testbed.name}?"
            return _fail(draft, "ProvisionTimeout", message)
        draft.condition(PROVISIONED, False, "Creating", "the database is being created")
        if seen.has_credentials:
            return _decision(draft, apply_database=True, requeue=POLL)
        return _decision(draft, create_credentials=True, requeue=0.0)
    wanted = testbed.spec.instance.version
    if seen.server_version and not is_version(seen.server_version, wanted):
        return _fail(
            draft,
            "WrongVersion",
            f"the image holds version {seen.server_version} but the template says {wanted}: "
            "correct the template's version or image",
        )
    if seen.database is not None and seen.database.ready and seen.server_started is not None:
        draft.condition(PROVISIONED, True, "Answering", "the database answers queries")
        draft.set(server_started=seen.server_started)
        return _decision(draft, requeue=0.0)
    found = pods.trouble([seen.database]) if seen.database else None
    reason = found.reason if found else "Starting"
    message = found.message if found else (seen.problem or "the database is starting")
    if found and seen.log_tail:
        message = f"{message}; its log ends: {seen.log_tail}"
    draft.condition(PROVISIONED, False, reason, message)
    if late:
        return _fail(draft, reason if found else "ProvisionTimeout", message)
    return _decision(draft, requeue=POLL)


def is_version(found: str, wanted: str) -> bool:
    """Whether a server's version string such as 10.11.19-MariaDB is of the wanted series."""
    numbers = found.split("-", 1)[0].split(".")
    return numbers[: len(wanted.split("."))] == wanted.split(".")


def _load(testbed: Testbed, draft: Draft[TestbedStatus], seen: Seen) -> Decision:
    load = seen.load
    if load is None:
        draft.condition(LOADED, False, "Loading", "the dataset is being loaded")
        return _decision(draft, create_load=True, requeue=POLL)
    found = pods.trouble(list(load.pods))
    if load.succeeded:
        # The Job stays as long as the testbed: while its name is taken nobody loads a second time.
        draft.condition(LOADED, True, "Loaded", "the dataset is loaded")
        return _decision(draft, requeue=0.0)
    if load.failed:
        return _fail(draft, "LoadFailed", found.message if found else "the load Job failed")
    if found is not None:
        draft.condition(LOADED, False, found.reason, found.message)
    if draft.since(PROVISIONED) > parse_duration(testbed.spec.step_deadlines.load):
        message = found.message if found else "loading the dataset took too long"
        return _fail(draft, found.reason if found else "LoadTimeout", message)
    return _decision(draft, requeue=POLL)


def _prove(testbed: Testbed, draft: Draft[TestbedStatus], seen: Seen) -> Decision:
    if seen.proof is not None and seen.proof_digest is not None:
        reason = "ModeInForce" if seen.proof.ok else "ModeNotInForce"
        draft.condition(PROVEN, seen.proof.ok, reason, seen.proof.summary)
        draft.set(proof_digest=seen.proof_digest)
        return _keep_ready(draft, seen)
    deadlines, waited = testbed.spec.step_deadlines, draft.since(LOADED)
    if seen.store_problem:
        if waited > parse_duration(deadlines.archive):
            return _fail(draft, "ArchiveTimeout", f"no proof could be stored: {seen.store_problem}")
        return _decision(draft, requeue=patience(waited, STORE_RETRY))
    if waited > parse_duration(deadlines.proof):
        return _fail(
            draft,
            "ProofTimeout",
            f"the mode could not be proven in time: {seen.problem or 'no answer'}",
        )
    return _decision(draft, requeue=POLL)


def _keep_ready(draft: Draft[TestbedStatus], seen: Seen) -> Decision:
    if seen.database is not None and seen.database.ready:
        if draft.status.ready_time is None:
            draft.set(ready_time=format_time(seen.now))
        draft.condition(READY, True, "Ready", "ready for trials")
    else:
        draft.condition(READY, False, "PodNotReady", "the database pod is not ready")
    return _decision(draft, requeue=SETTLED_POLL if draft.is_true(READY) else POLL)
