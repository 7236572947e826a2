"""What to do next with a testbed: provision, load, prove, keep ready.

Each step has a deadline and ends with a reason that says what kept it. A mode that is not in force
is not the testbed's fault: it becomes ready with `Proven=False`, and its trials are Invalid.
"""

from dataclasses import replace

from encbench.api import lifecycle as life
from encbench.api.conditions import find, format_time
from encbench.api.kinds import STATEFUL_SET
from encbench.api.scalars import parse_duration
from encbench.api.testbed import TestbedStatus
from encbench.core.starts import GOLDEN, Start
from encbench.reconcile import checks, pods
from encbench.reconcile.draft import PATIENCE, Decision, backoff
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import JobFacts, PodFacts, Trouble
from encbench.reconcile.starts import current_start, wanted_start
from encbench.reconcile.testbed import solitude
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.testbed.starting import TestbedDraft, bring, ending
from encbench.tools.context import load_job_name

BEFORE_PROOF = (life.COPIED, life.CONSISTENT, life.LOADED)
"""What the proof may have waited for, the last of them first."""

POLL = 1.0
STORE_RETRY = 5.0
SETTLED_POLL = 30.0
NODE_POLL = 2.0
"""Seconds between looks at a node that another campaign has, at most."""


TestbedDecision = Decision[TestbedStatus, do.TestbedEffect]


def decide(testbed: Testbed, seen: TestbedSeen) -> TestbedDecision:
    """The next step; pure."""
    decision = _next(testbed, seen)
    first = solitude.effects(testbed, seen, decision.status)
    last = _news(testbed, decision.status)
    return replace(decision, effects=(*first, *decision.effects, *last))


def _next(testbed: Testbed, seen: TestbedSeen) -> TestbedDecision:
    draft = TestbedDraft(testbed, seen)
    if testbed.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if seen.machine is not None:
        draft.set(machine=seen.machine)
    if draft.is_true(life.FAILED):
        return _decision(draft)
    if not draft.is_true(life.PROVISIONED):
        return _provision(draft)
    if draft.is_false(life.ALONE) and (draft.known(life.PROVEN) or not solitude.must_wait(seen)):
        draft.condition(life.ALONE, True, "Leased", "no other measurement runs on its node")
    if not draft.is_true(life.LOADED):
        return _load(draft)
    if checks.due(testbed.spec) is not None and not draft.known(life.CONSISTENT):
        return _check(draft)
    if testbed.spec.reset != "none" and not draft.is_true(life.COPIED):
        return _copy(draft)
    if not draft.known(life.PROVEN):
        return _prove(draft)
    return _serve(draft)


def _decision(
    draft: TestbedDraft, *effects: do.TestbedEffect, requeue: float | None = None
) -> TestbedDecision:
    draft.note_hindrance(over=draft.is_true(life.FAILED))
    draft.set(phase=life.TESTBED_LIFE.phase(draft.conditions))
    return Decision(draft.status, effects, requeue)


def _news(testbed: Testbed, status: TestbedStatus) -> list[do.Announce]:
    """Events for what a person wants to know: a failure, a mode not in force, a lost database."""
    news: list[do.Announce] = []
    watched = ((life.FAILED, "True"), (life.PROVEN, "False"), (life.READY, "False"))
    for kind, bad in watched:
        now, before = find(status.conditions, kind), find(testbed.status.conditions, kind)
        if kind == life.READY and (now is None or now.reason != life.NOT_READY):
            continue
        if now is not None and now.status == bad and (before is None or before.status != bad):
            news.append(do.Announce(now.reason, now.message, warning=True))
    return news


def _fail(draft: TestbedDraft, reason: str, message: str) -> TestbedDecision:
    draft.condition(life.FAILED, True, reason, message)
    draft.condition(life.READY, False, reason, message)
    return _decision(draft)


def _provision(draft: TestbedDraft) -> TestbedDecision:
    seen, name = draft.seen, draft.subject.name
    limit, waited = parse_duration(draft.spec.step_deadlines.provision), _provisioning(draft)
    late = waited > limit
    if seen.unmarked:
        draft.hold(life.PROVISIONED, life.NOT_MARKED, seen.unmarked)
        if late:
            return _fail(draft, life.NOT_MARKED, seen.unmarked)
        return _decision(draft, requeue=SETTLED_POLL)
    if draft.spec.instance.is_external:
        return _take_over(draft, late=late)
    if not seen.has_credentials or seen.stateful_set is None:
        if late:
            why = seen.found.refused or f"is something else named {name}?"
            message = f"its objects could not be created: {why}"
            return _fail(draft, "ProvisionTimeout", message)
        waits_for_ca = not seen.has_credentials and seen.authority is None
        what = "the campaign's CA" if waits_for_ca else "the database"
        draft.condition(life.PROVISIONED, False, "Creating", f"{what} is being created")
        if seen.has_credentials:
            return _decision(draft, do.ApplyDatabase(), requeue=POLL)
        if seen.authority is None:
            return _decision(draft, requeue=POLL)
        return _decision(draft, do.IssueCredentials(seen.authority), requeue=0.0)
    wanted = draft.spec.instance.version
    if seen.server_version and not is_version(seen.server_version, wanted):
        return _fail(
            draft,
            "WrongVersion",
            f"the image holds version {seen.server_version} but the template says {wanted}: "
            "correct the template's version or image",
        )
    needed = draft.spec.max_connections
    if seen.connections is not None and seen.connections < needed:
        return _fail(
            draft,
            "TooFewConnections",
            f"the server allows {seen.connections:,} connections where {needed:,} are needed, "
            "because it may not open as many files: raise the limit of open files (nofile) of the "
            "node's container runtime, or lower load.concurrency",
        )
    if seen.database is not None and seen.database.ready and seen.server_started is not None:
        draft.condition(life.PROVISIONED, True, "Answering", "the database answers queries")
        draft.set(server_started=seen.server_started)
        return _decision(draft, requeue=0.0)
    found = pods.trouble([seen.database]) if seen.database else None
    if found is not None and found.reason == life.UNSCHEDULABLE and draft.spec.avoid:
        return _await_room(draft, found)
    _hinder(draft, found, waited)
    reason = found.reason if found else life.STARTING
    message = found.message if found else (seen.problem or "the database is starting")
    refused = reason == life.SETTINGS_REFUSED
    draft.condition(life.PROVISIONED, False, reason, message)
    if late or refused:
        return _fail(draft, *_not_provisioned(draft, found, message))
    return _decision(draft, requeue=POLL)


def _not_provisioned(draft: TestbedDraft, found: Trouble | None, message: str) -> tuple[str, str]:
    """Why a database did not come up in time; one that was up before is lost."""
    was_up = draft.status.server_started is not None
    if was_up and (found is None or found.reason != life.SETTINGS_REFUSED):
        return life.NOT_READY, _not_ready(draft)[1]
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
    return _decision(draft, requeue=SETTLED_POLL)


def _take_over(draft: TestbedDraft, *, late: bool) -> TestbedDecision:
    """Of a database that is there already a testbed needs but a login, and to have it to itself."""
    seen, name = draft.seen, draft.subject.name
    if seen.has_credentials:
        message = "encbench does not run the database: the load is the first to connect to it"
        draft.condition(life.PROVISIONED, True, "External", message)
        return _decision(draft, requeue=0.0)
    if seen.rival:
        # Its turn may take a day, of which nothing counts towards the step's deadline.
        draft.set(start_time=format_time(seen.now))
        message = f"waiting for {seen.rival} to end, which uses the same database"
        draft.hold(life.PROVISIONED, life.IN_USE, message)
        return _decision(draft, requeue=SETTLED_POLL)
    if seen.login is None:
        message = seen.problem or "the login is being read"
        draft.hold(life.PROVISIONED, life.NO_LOGIN, message)
        return _fail(draft, life.NO_LOGIN, message) if late else _decision(draft, requeue=POLL)
    if late:
        why = seen.found.refused or f"is something else named {name}?"
        message = f"its Secret could not be created: {why}"
        return _fail(draft, "ProvisionTimeout", message)
    what = "the campaign's CA is being created" if seen.authority is None else "the login is copied"
    draft.condition(life.PROVISIONED, False, "Creating", what)
    if seen.authority is None:
        return _decision(draft, requeue=POLL)
    return _decision(draft, do.CopyCredentials(seen.login, seen.authority), requeue=0.0)


def is_version(found: str, wanted: str) -> bool:
    """Whether a server's version string such as 10.11.19-MariaDB is of the wanted series."""
    numbers = found.split("-", 1)[0].split(".")
    return numbers[: len(wanted.split("."))] == wanted.split(".")


def _load(draft: TestbedDraft) -> TestbedDecision:
    load = draft.seen.load
    if draft.spec.instance.is_external and draft.spec.arm.role != "baseline":
        # Testbeds of an external database are made one after the other, the baseline's first.
        message = "the dataset is that which the baseline's testbed has loaded"
        draft.condition(life.LOADED, True, "Shared", message)
        return _decision(draft, requeue=0.0)
    if load is None and not draft.spec.instance.is_external:
        if not _up(draft.seen):
            # Nothing is lost with it yet: it is provisioned again, wherever it may run.
            draft.condition(life.PROVISIONED, False, life.STARTING, _not_ready(draft)[1])
            return _provision(draft)
        if solitude.must_wait(draft.seen):
            return _await_node(draft)
    limit = parse_duration(draft.spec.step_deadlines.load)
    if load is None:
        draft.condition(life.LOADED, False, "Loading", "the dataset is being loaded")
        if _loading(draft) > limit:
            why = draft.seen.found.refused or "it is not there"
            return _fail(draft, "LoadTimeout", f"the load's Job could not be created: {why}")
        return _decision(draft, do.CreateLoad(), requeue=POLL)
    found = pods.trouble(list(load.pods))
    if load.succeeded:
        # The Job stays as long as the testbed: while its name is taken, nothing is loaded again.
        draft.condition(life.LOADED, True, "Loaded", "the dataset is loaded")
        return _decision(draft, requeue=0.0)
    if load.failed:
        taken = _taken_from_load(draft, load)
        if taken is not None:
            return _fail(draft, life.LOAD_DISRUPTED, f"{taken} was deleted during the load")
        return _fail(draft, "LoadFailed", found.message if found else "the load Job failed")
    if found is not None:
        draft.hold(life.LOADED, found.reason, found.message)
    elif not load.pods and draft.since(life.LOADED) > PATIENCE:
        draft.hinder(life.NO_POD, pods.no_pod("job", load_job_name(draft.subject.name)))
    if _loading(draft) > limit:
        message = found.message if found else "loading the dataset took too long"
        return _fail(draft, found.reason if found else "LoadTimeout", message)
    return _decision(draft, requeue=POLL)


def _loading(draft: TestbedDraft) -> float:
    """Seconds for which the database has been there to be loaded."""
    return draft.without_waits(min(draft.since(life.LOADED), draft.since(life.PROVISIONED)))


def _taken_from_load(draft: TestbedDraft, load: JobFacts) -> str | None:
    """What a failed load missed, as a drained node takes it; None if it failed by itself."""
    pod, database = next(iter(load.pods), None), draft.seen.database
    if pod is None or pod.deleting:
        return "the load's pod"
    if draft.spec.instance.is_external:
        return None
    if database is None or database.deleting or database.created > pod.created:
        return "the database's pod"
    return None


def _await_node(draft: TestbedDraft) -> TestbedDecision:
    """The next step is heavy work for its node, on which another campaign may be measuring."""
    waits = draft.seen.found.nodes.waits
    if waits:
        draft.hold(life.ALONE, life.NODE_IN_USE, waits)
    return _decision(draft, requeue=backoff(draft.since(life.PROVISIONED), POLL, NODE_POLL))


def _check(draft: TestbedDraft) -> TestbedDecision:
    """Nothing that is measured on a dataset with something missing could be right."""
    found, limit = draft.seen.found.checked, parse_duration(draft.spec.step_deadlines.proof)
    if found is None and solitude.must_wait(draft.seen):
        return _await_node(draft)
    if found is None and draft.without_waits(draft.since(life.LOADED)) > limit:
        found = checks.overdue(draft.seen.found.problem)
    if found is None:
        draft.condition(life.CONSISTENT, None, life.CHECKING, "the agent checks the loaded tables")
        bed = draft.subject
        ask = [do.AskChecks(bed, pod, bed.uid, loaded=True) for pod in _up(draft.seen)]
        if draft.seen.found.problem:
            draft.hinder(life.NO_ANSWER, draft.seen.found.problem)
        return _decision(draft, *ask, requeue=POLL)
    draft.condition(life.CONSISTENT, found.ok, found.reason, found.message)
    if not found.ok:
        return _fail(draft, found.reason, f"the loaded dataset is of no use: {found.message}")
    return _decision(draft, requeue=0.0)


def _up(seen: TestbedSeen) -> list[PodFacts]:
    """The database's pod, if its agent and server answer."""
    return [seen.database] if seen.database is not None and seen.database.ready else []


def _copy(draft: TestbedDraft) -> TestbedDecision:
    """Of what was loaded and of nothing else; the proof is of a server that was started from it."""
    if solitude.must_wait(draft.seen):
        return _await_node(draft)
    step = bring(draft, Start(GOLDEN, GOLDEN))
    if step.failed is not None:
        return _fail(draft, step.failed.reason, step.failed.message)
    run = draft.status.run
    if not step.ready or run is None:
        draft.condition(life.COPIED, False, "Copying", f"making the golden copy: {step.message}")
        _hinder(draft, step.trouble)
        return _decision(draft, *_scaled(draft, step.scale), requeue=POLL)
    if run.restored is None:
        return _fail(draft, "CopyFailed", "the golden copy left no account of itself")
    draft.set(golden=run.restored)
    size, seconds = run.restored.size_bytes / 2**20, run.restored.seconds
    draft.condition(life.COPIED, True, "Copied", f"{size:.0f} MiB were copied in {seconds:.1f} s")
    return _decision(draft, requeue=0.0)


def _prove(draft: TestbedDraft) -> TestbedDecision:
    seen, made = draft.seen, draft.seen.found.proof
    if made.proof is not None and made.digest is not None:
        reason = life.IN_FORCE if made.proof.ok else life.NOT_IN_FORCE
        draft.condition(life.PROVEN, made.proof.ok, reason, made.proof.summary)
        draft.set(proof_digest=made.digest)
        return _serve(draft)
    if solitude.must_wait(seen):
        return _await_node(draft)
    deadlines = draft.spec.step_deadlines
    before = next(kind for kind in BEFORE_PROOF if draft.known(kind))
    waited = draft.without_waits(draft.since(before))
    if made.store_problem and waited > parse_duration(deadlines.archive):
        return _fail(draft, "ArchiveTimeout", f"no proof could be stored: {made.store_problem}")
    external = draft.spec.instance.is_external
    ask: list[PodFacts | None] = [None] if external else [*_up(seen)]
    # Other databases may be scanned first; one that cannot be asked has no turn.
    asked = draft.without_waits(draft.age(seen.found.asked))
    if not ask and seen.found.asked is None and draft.is_true(life.HINDERED):
        asked = min(waited, draft.since(life.HINDERED))
    if not made.store_problem and asked > parse_duration(deadlines.proof):
        why = seen.found.problem or ("no answer" if ask else _not_ready(draft)[1])
        return _fail(draft, "ProofTimeout", f"the mode could not be proven in time: {why}")
    draft.condition(life.PROVEN, None, life.PROVING, "all files are being searched for a marker")
    if made.store_problem:
        draft.hinder(life.NOT_STORED, made.store_problem)
    elif seen.found.problem:
        draft.hinder(life.NO_ANSWER, seen.found.problem)
    if not ask:
        draft.hinder(*_not_ready(draft))
    prove = [do.ProveFully(pod) for pod in ask]
    wait = backoff(waited, STORE_RETRY) if made.store_problem else POLL
    return _decision(draft, *prove, requeue=wait)


def _serve(draft: TestbedDraft) -> TestbedDecision:
    """Have the server run as the trial needs it; without one as it is, or not at all."""
    testbed, trial, neighbours = draft.subject, draft.seen.trial, draft.seen.neighbours
    if testbed.spec.instance.is_external:
        return _ready(draft, "Ready", "ready for trials, as far as encbench can know")
    if not testbed.spec.follows_trials:
        return _keep_ready(draft)
    if trial is None and testbed.spec.residency == "OnDemand":
        return _rest(draft)
    wanted = wanted_start(testbed, trial) if trial else current_start(testbed)
    if wanted == current_start(testbed) and draft.status.run is None:
        return _keep_ready(draft)
    if neighbours and wanted != current_start(testbed):
        message = f"waiting for {', '.join(neighbours)} to stop"
        draft.condition(life.READY, False, life.STARTING, message)
        return _decision(draft, requeue=POLL)
    step = bring(draft, wanted)
    if step.failed is not None:
        return _fail(draft, step.failed.reason, step.failed.message)
    if step.ready:
        return _keep_ready(draft)
    why = f"for trial {trial.name}" if trial else "anew"
    draft.condition(life.READY, False, life.STARTING, f"starting {why}: {step.message}")
    _hinder(draft, step.trouble)
    return _decision(draft, *_scaled(draft, step.scale), requeue=POLL)


def _hinder(draft: TestbedDraft, found: Trouble | None, waited: float = 0.0) -> None:
    """Name what keeps the database's pod from running, or that there is none."""
    seen = draft.seen
    if found is not None:
        draft.hinder(found.reason, found.message)
    elif seen.stateful_set is not None and seen.database is None and waited > PATIENCE:
        draft.hinder(life.NO_POD, pods.no_pod("statefulset", draft.subject.name))


def _scaled(draft: TestbedDraft, scale: tuple[int, Start] | None) -> list[do.Apply]:
    """The StatefulSet with so many pods, the next of which is made for that start."""
    found, machine = draft.seen.stateful_set, draft.status.machine
    if scale is None or found is None:
        return []
    return [do.Apply(STATEFUL_SET, found.scaled(*scale, node=machine.node if machine else None))]


def _rest(draft: TestbedDraft) -> TestbedDecision:
    """The server is not needed: it stops, and the testbed is ready once its pod is gone."""
    found = draft.seen.stateful_set
    if found is not None and found.replicas:
        return _decision(draft, *_scaled(draft, (0, found.start)), requeue=POLL)
    end = ending(draft)
    if end.failed is not None:
        return _fail(draft, end.failed.reason, end.failed.message)
    if draft.seen.database is not None:
        _hinder(draft, end.trouble)
        # Until the first trial nothing else has a deadline.
        limit = parse_duration(draft.spec.step_deadlines.reset)
        if draft.status.ready_time is None and draft.since(life.PROVEN) > limit:
            return _fail(draft, "ResetTimeout", "the database did not stop within the step's time")
        return _decision(draft, requeue=POLL)
    return _ready(draft, life.IDLE, "stopped until a trial needs it")


def _not_ready(draft: TestbedDraft) -> tuple[str, str]:
    """What keeps the database's pod from being ready: a reason, and all of it in words."""
    pod = draft.seen.database
    found = pods.trouble([pod]) if pod else None
    where = f" on node {pod.node}" if pod is not None and pod.node else ""
    message = f"the database pod {draft.subject.name}-0{where} is not ready"
    message += f": {found.message}" if found else ""
    return (found.reason if found else life.NOT_READY), message


def _keep_ready(draft: TestbedDraft) -> TestbedDecision:
    if _up(draft.seen):
        return _ready(draft, "Ready", "ready for trials")
    run, (reason, message) = draft.status.run, _not_ready(draft)
    draft.condition(life.READY, False, life.NOT_READY, message)
    draft.hinder(reason, message)
    # A start that took long is no part of it.
    lost = draft.since(life.READY)
    lost = min(lost, draft.age(run.ready_time)) if run and run.ready_time else lost
    if lost > parse_duration(draft.spec.step_deadlines.provision):
        return _fail(draft, life.NOT_READY, message)
    return _decision(draft, requeue=backoff(lost, POLL))


def _ready(draft: TestbedDraft, reason: str, message: str) -> TestbedDecision:
    if draft.status.ready_time is None:
        draft.set(ready_time=format_time(draft.seen.now))
    draft.condition(life.READY, True, reason, message)
    return _decision(draft, requeue=SETTLED_POLL)
