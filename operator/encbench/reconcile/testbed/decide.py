"""What to do next with a testbed: provision, load, prove, keep ready.

Each step has a deadline and ends with a reason that says what kept it. A mode that is not in force
is not the testbed's fault: it becomes ready with `Proven=False`, and its trials are Invalid.
"""

from dataclasses import replace

from encbench.api.conditions import find, format_time
from encbench.api.kinds import STATEFUL_SET
from encbench.api.lifecycle import (
    CHECK_TIMEOUT,
    CHECKING,
    CONSISTENT,
    COPIED,
    FAILED,
    IDLE,
    IN_FORCE,
    LOADED,
    NOT_IN_FORCE,
    PROVEN,
    PROVING,
    PROVISIONED,
    READY,
    SETTINGS_REFUSED,
    STARTING,
    TESTBED_LIFE,
)
from encbench.api.scalars import parse_duration
from encbench.api.testbed import TestbedStatus
from encbench.core.starts import GOLDEN, Start
from encbench.reconcile import checks, pods
from encbench.reconcile.backoff import backoff
from encbench.reconcile.checks import Checked
from encbench.reconcile.decision import Decision
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import (
    Announce,
    Apply,
    ApplyDatabase,
    AskChecks,
    CopyCredentials,
    CreateLoad,
    IssueCredentials,
    ProveFully,
    TestbedEffect,
)
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.starts import current_start, wanted_start
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.testbed.starting import StartStep, bring

BEFORE_PROOF = (COPIED, CONSISTENT, LOADED)
"""What the proof may have waited for, the last of them first."""

POLL = 1.0
STORE_RETRY = 5.0
SETTLED_POLL = 30.0


TestbedDecision = Decision[TestbedStatus, TestbedEffect]


def decide(testbed: Testbed, seen: TestbedSeen) -> TestbedDecision:
    """The next step; pure."""
    decision = _next(testbed, seen)
    return replace(decision, effects=(*decision.effects, *_news(testbed, decision.status)))


def _next(testbed: Testbed, seen: TestbedSeen) -> TestbedDecision:
    draft = Draft(testbed.status, now=seen.now, generation=testbed.generation)
    if testbed.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if draft.is_true(FAILED):
        return _decision(draft)
    if not draft.is_true(PROVISIONED):
        return _provision(testbed, draft, seen)
    if not draft.is_true(LOADED):
        return _load(testbed, draft, seen)
    if checks.due(testbed.spec) is not None and not draft.known(CONSISTENT):
        return _check(testbed, draft, seen)
    if testbed.spec.reset != "none" and not draft.is_true(COPIED):
        return _copy(testbed, draft, seen)
    if not draft.known(PROVEN):
        return _prove(testbed, draft, seen)
    return _serve(testbed, draft, seen)


def _decision(
    draft: Draft[TestbedStatus], *effects: TestbedEffect, requeue: float | None = None
) -> TestbedDecision:
    draft.set(phase=TESTBED_LIFE.phase(draft.status.conditions))
    return Decision(draft.status, effects, requeue)


def _news(testbed: Testbed, status: TestbedStatus) -> list[Announce]:
    """Events for what a person wants to know: a failure, or a mode that is not in force."""
    news: list[Announce] = []
    for kind, bad in ((FAILED, "True"), (PROVEN, "False")):
        now, before = find(status.conditions, kind), find(testbed.status.conditions, kind)
        changed = now is not None and (before is None or before.status != now.status)
        if now is not None and changed and now.status == bad:
            news.append(Announce(now.reason, now.message, warning=True))
    return news


def _fail(draft: Draft[TestbedStatus], reason: str, message: str) -> TestbedDecision:
    draft.condition(FAILED, True, reason, message)
    draft.condition(READY, False, reason, message)
    return _decision(draft)


def _provision(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    limit = parse_duration(testbed.spec.step_deadlines.provision)
    late = draft.age(draft.status.start_time) > limit
    if testbed.spec.instance.is_external:
        return _take_over(testbed, draft, seen, late=late)
    if not (seen.has_credentials and seen.has_stateful_set):
        if late:
            message = f"its objects could not be created: is something else named {testbed.name}?"
            return _fail(draft, "ProvisionTimeout", message)
        draft.condition(PROVISIONED, False, "Creating", "the database is being created")
        if seen.has_credentials:
            return _decision(draft, ApplyDatabase(), requeue=POLL)
        if seen.authority is None:
            draft.condition(PROVISIONED, False, "Creating", "the campaign's CA is being created")
            return _decision(draft, requeue=POLL)
        return _decision(draft, IssueCredentials(seen.authority), requeue=0.0)
    wanted = testbed.spec.instance.version
    if seen.server_version and not is_version(seen.server_version, wanted):
        return _fail(
            draft,
            "WrongVersion",
            f"the image holds version {seen.server_version} but the template says {wanted}: "
            "correct the template's version or image",
        )
    needed = testbed.spec.max_connections
    if seen.connections is not None and seen.connections < needed:
        return _fail(
            draft,
            "TooFewConnections",
            f"the server allows {seen.connections:,} connections where {needed:,} are needed, "
            "because it may not open as many files: raise the limit of open files (nofile) of the "
            "node's container runtime, or lower load.concurrency",
        )
    if seen.database is not None and seen.database.ready and seen.server_started is not None:
        draft.condition(PROVISIONED, True, "Answering", "the database answers queries")
        draft.set(server_started=seen.server_started)
        return _decision(draft, requeue=0.0)
    found = pods.trouble([seen.database]) if seen.database else None
    reason = found.reason if found else "Starting"
    message = found.message if found else (seen.problem or "the database is starting")
    refused = reason == SETTINGS_REFUSED
    if found and seen.log_tail and not refused:
        message = f"{message}; its log ends: {seen.log_tail}"
    draft.condition(PROVISIONED, False, reason, message)
    if late or refused:
        return _fail(draft, reason if found else "ProvisionTimeout", message)
    return _decision(draft, requeue=POLL)


def _take_over(
    testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen, *, late: bool
) -> TestbedDecision:
    """Of a database that is there already a testbed needs but a login, and to have it to itself."""
    if seen.has_credentials:
        message = "encbench does not run the database: the load is the first to connect to it"
        draft.condition(PROVISIONED, True, "External", message)
        return _decision(draft, requeue=0.0)
    if seen.rival:
        # Its turn may take a day, of which nothing counts towards the step's deadline.
        draft.set(start_time=format_time(seen.now))
        message = f"waiting for {seen.rival} to end, which uses the same database"
        draft.condition(PROVISIONED, False, "DatabaseInUse", message)
        return _decision(draft, requeue=SETTLED_POLL)
    if seen.login is None:
        message = seen.problem or "the login is being read"
        draft.condition(PROVISIONED, False, "NoLogin", message)
        return _fail(draft, "NoLogin", message) if late else _decision(draft, requeue=POLL)
    if late:
        message = f"its Secret could not be created: is something else named {testbed.name}?"
        return _fail(draft, "ProvisionTimeout", message)
    draft.condition(PROVISIONED, False, "Creating", "the login is being copied")
    return _decision(draft, CopyCredentials(seen.login), requeue=0.0)


def is_version(found: str, wanted: str) -> bool:
    """Whether a server's version string such as 10.11.19-MariaDB is of the wanted series."""
    numbers = found.split("-", 1)[0].split(".")
    return numbers[: len(wanted.split("."))] == wanted.split(".")


def _load(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    load = seen.load
    if testbed.spec.instance.is_external and testbed.spec.arm.role != "baseline":
        # Testbeds of an external database are made one after the other, the baseline's first.
        message = "the dataset is that which the baseline's testbed has loaded"
        draft.condition(LOADED, True, "Shared", message)
        return _decision(draft, requeue=0.0)
    if load is None:
        draft.condition(LOADED, False, "Loading", "the dataset is being loaded")
        return _decision(draft, CreateLoad(), requeue=POLL)
    found = pods.trouble(list(load.pods))
    if load.succeeded:
        # The Job stays as long as the testbed: while its name is taken, nothing is loaded again.
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


def _check(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    """Nothing that is measured on a dataset with something missing could be right."""
    found = seen.found.checked
    if found is None and draft.since(LOADED) > parse_duration(testbed.spec.step_deadlines.proof):
        why = seen.found.problem or "stepDeadlines.proof is too short for them"
        message = f"the consistency queries did not come to an end in time: {why}"
        found = Checked(False, CHECK_TIMEOUT, message)
    if found is None:
        draft.condition(CONSISTENT, None, CHECKING, "the agent checks the loaded tables")
        ask = [AskChecks(testbed, pod, testbed.uid, loaded=True) for pod in _up(seen)]
        return _decision(draft, *ask, requeue=POLL)
    draft.condition(CONSISTENT, found.ok, found.reason, found.message)
    if not found.ok:
        return _fail(draft, found.reason, f"the loaded dataset is of no use: {found.message}")
    return _decision(draft, requeue=0.0)


def _up(seen: TestbedSeen) -> list[PodFacts]:
    """The database's pod, if its agent and server answer."""
    return [seen.database] if seen.database is not None and seen.database.ready else []


def _copy(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    """Of what was loaded and of nothing else; the proof is of a server that was started from it."""
    step = _bring(testbed, draft, seen, Start(GOLDEN, GOLDEN))
    if step.failed is not None:
        return _fail(draft, *step.failed)
    run = draft.status.run
    if not step.ready or run is None:
        draft.condition(COPIED, False, "Copying", f"making the golden copy: {step.message}")
        return _decision(draft, *_scaled(seen, step.scale), requeue=POLL)
    if run.restored is None:
        return _fail(draft, "CopyFailed", "the golden copy left no account of itself")
    draft.set(golden=run.restored)
    size, seconds = run.restored.size_bytes / 2**20, run.restored.seconds
    draft.condition(COPIED, True, "Copied", f"{size:.0f} MiB were copied in {seconds:.1f} s")
    return _decision(draft, requeue=0.0)


def _bring(
    testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen, wanted: Start
) -> StartStep:
    return bring(
        testbed,
        draft,
        wanted,
        pod=seen.database,
        stateful_set=seen.stateful_set,
        server_started=seen.server_started,
    )


def _prove(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    made = seen.found.proof
    if made.proof is not None and made.digest is not None:
        reason = IN_FORCE if made.proof.ok else NOT_IN_FORCE
        draft.condition(PROVEN, made.proof.ok, reason, made.proof.summary)
        draft.set(proof_digest=made.digest)
        return _serve(testbed, draft, seen)
    deadlines = testbed.spec.step_deadlines
    waited = draft.since(next(kind for kind in BEFORE_PROOF if draft.known(kind)))
    if made.store_problem and waited > parse_duration(deadlines.archive):
        return _fail(draft, "ArchiveTimeout", f"no proof could be stored: {made.store_problem}")
    if not made.store_problem and waited > parse_duration(deadlines.proof):
        why = seen.found.problem or "no answer"
        return _fail(draft, "ProofTimeout", f"the mode could not be proven in time: {why}")
    draft.condition(PROVEN, None, PROVING, "all files are being searched for a marker")
    external = testbed.spec.instance.is_external
    prove = [ProveFully(pod) for pod in ([None] if external else _up(seen))]
    wait = backoff(waited, STORE_RETRY) if made.store_problem else POLL
    return _decision(draft, *prove, requeue=wait)


def _serve(testbed: Testbed, draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    """Have the server run as the trial needs it; without one as it is, or not at all."""
    if testbed.spec.instance.is_external:
        if draft.status.ready_time is None:
            draft.set(ready_time=format_time(seen.now))
        draft.condition(READY, True, "Ready", "ready for trials, as far as encbench can know")
        return _decision(draft, requeue=SETTLED_POLL)
    if not testbed.spec.follows_trials:
        return _keep_ready(draft, seen)
    if seen.trial is None and testbed.spec.residency == "OnDemand":
        return _rest(draft, seen)
    wanted = wanted_start(testbed, seen.trial) if seen.trial else current_start(testbed)
    if wanted == current_start(testbed) and draft.status.run is None:
        return _keep_ready(draft, seen)
    if seen.neighbours and wanted != current_start(testbed):
        message = f"waiting for {', '.join(seen.neighbours)} to stop"
        draft.condition(READY, False, STARTING, message)
        return _decision(draft, requeue=POLL)
    step = _bring(testbed, draft, seen, wanted)
    if step.failed is not None:
        return _fail(draft, *step.failed)
    if step.ready:
        return _keep_ready(draft, seen)
    why = f"for trial {seen.trial.name}" if seen.trial else "anew"
    draft.condition(READY, False, STARTING, f"starting {why}: {step.message}")
    return _decision(draft, *_scaled(seen, step.scale), requeue=POLL)


def _scaled(seen: TestbedSeen, scale: tuple[int, Start] | None) -> list[Apply]:
    """The StatefulSet with so many pods, the next of which is made for that start."""
    if scale is None or seen.stateful_set is None:
        return []
    return [Apply(STATEFUL_SET, seen.stateful_set.scaled(*scale))]


def _rest(draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    """The server is not needed: it stops, and the testbed is ready once its pod is gone."""
    found = seen.stateful_set
    if found is not None and found.replicas:
        return _decision(draft, *_scaled(seen, (0, found.start)), requeue=POLL)
    if seen.database is not None:
        return _decision(draft, requeue=POLL)
    if draft.status.ready_time is None:
        draft.set(ready_time=format_time(seen.now))
    draft.condition(READY, True, IDLE, "stopped until a trial needs it")
    return _decision(draft, requeue=SETTLED_POLL)


def _keep_ready(draft: Draft[TestbedStatus], seen: TestbedSeen) -> TestbedDecision:
    if seen.database is not None and seen.database.ready:
        if draft.status.ready_time is None:
            draft.set(ready_time=format_time(seen.now))
        draft.condition(READY, True, "Ready", "ready for trials")
    else:
        draft.condition(READY, False, "PodNotReady", "the database pod is not ready")
    return _decision(draft, requeue=SETTLED_POLL if draft.is_true(READY) else POLL)
