"""A trial while its clients run: whether all of them are there, and how they end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from encbench.api import lifecycle as life
from encbench.api.scalars import parse_duration
from encbench.api.trial import TrialSpec
from encbench.reconcile import fullness
from encbench.reconcile.draft import backoff
from encbench.reconcile.effects.effect import (
    DisarmServer,
    NoteClocks,
    ReleaseClients,
    StopServer,
    TrialEffect,
)
from encbench.reconcile.trial import block, decision, placed
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft, until
from encbench.reconcile.trial.ended import after_run, cut_by_its_node, why_it_restarted
from encbench.reconcile.trial.facts import ClientPod
from encbench.reconcile.trial.recovery import LATE
from encbench.reconcile.troubles import raise_memory, why_deleted
from encbench.tools.registry import tool
from encbench.tools.turns import MARGIN, load_seconds
from encbench.wire.recorder import termination_error

TOGETHER = 2.0
"""Seconds that a start may be late; a later one is put off for all, or was missed by some. Clients
need no more to hear of theirs in time."""
FOREVER = 1e9
"""Seconds, some 30 years. A trial's nodes are leased for as long as it may last, and a Lease's
duration has 32 bits."""
SAME_START = 2.0
"""Seconds by which the kubelet and the agent may differ about one start: each leaves out the parts
of a second, of a clock of its own."""


def while_running(draft: TrialDraft) -> TrialDecision:
    """The next step of a trial that was released and has not ended."""
    seen, wanted = draft.seen, draft.spec.workload.client.replicas
    ended, changed = seen.clients_in("finished", "uploaded"), placed.changed(draft)
    disturbance = _gone(draft) or changed
    failed = None if seen.lost_its_pod or changed else _failed_client(draft)
    if failed is not None and (disturbance is not None or len(ended) < wanted):
        return _failed_early(draft, failed)
    if disturbance is not None:
        return _disrupted(draft, disturbance)
    _note_recovery(draft)
    is_recovery = draft.spec.workload.recovery is not None
    planned = _planned(draft)
    left = planned - seen.now.timestamp()
    if len(ended) == wanted:
        codes = [client.run.exit_code for client in ended if client.run]
        if is_recovery:
            return _cut_off(draft, codes, max(0.0, overdue(draft)))
        if all(code == 0 for code in codes):
            draft.condition(life.MEASURED, True, "Measured", "every client ended normally")
        else:
            draft.condition(life.MEASURED, False, *_why_the_tool_failed(draft, codes))
        return _ended(draft, ended)
    lost = next((c for c in seen.clients if c.is_lost), None)
    if lost is not None:
        said = termination_error(lost.pod.container("recorder").termination_message)
        why = lost.pod.ended_by or said
        message = (
            f"the recorder of pod {lost.pod.name} died while the trial ran{why and f' ({why})'}"
        )
        return _disrupted(draft, message)
    _note_lost_nodes(draft)
    unreleased = seen.clients_in("waiting")
    unsettled = _settle_start(draft, unreleased)
    if unsettled is not None:
        return unsettled
    if overdue(draft) > _overrun(draft.spec):
        return _overdue(draft)
    # Clients that do not know the start yet, and the agent that is to stop its server.
    orders: list[TrialEffect] = []
    if unreleased:
        orders += _releases(draft, unreleased)
    if seen.database is not None and _may_stop(draft):
        if -left > LATE:
            return _disrupted(draft, "operator or agent was away when the server was to be stopped")
        orders.append(StopServer(seen.database, planned))
    return draft.decide(*orders, requeue=decision.POLL if unreleased else until(left))


def _ended(draft: TrialDraft, clients: tuple[ClientPod, ...]) -> TrialDecision:
    """What follows the run, and the clients' clocks while their recorders still answer."""
    after = after_run(draft)
    return replace(after, effects=(NoteClocks(clients), *after.effects))


def _gone(draft: TrialDraft) -> str | None:
    """Which pod is not there any more, or ended before its time, as a sentence; None if all are."""
    seen, cut = draft.seen, cut_by_its_node(draft.seen)
    if seen.lost_its_pod:
        return f"the database pod was deleted{why_deleted(seen.database)} while the trial ran"
    if cut is not None and not draft.known(life.RECOVERED):
        return cut
    is_complete = len(seen.clients) == draft.spec.workload.client.replicas
    deleting = [client.pod for client in seen.clients if client.pod.deleting]
    if not is_complete or deleting:
        why = next(filter(None, map(why_deleted, deleting)), "")
        return f"a client pod was deleted or replaced{why} while the trial ran"
    return None


def _failed_client(draft: TrialDraft) -> ClientPod | None:
    """One whose tool has failed and whose log is stored.

    Until the log is stored its pod has not failed, and so neither has the Job, whose controller
    then deletes the other clients.
    """
    if draft.spec.workload.recovery is not None:
        return None
    # One that Kubernetes ends, as by an eviction, has its tool stopped.
    stored = (
        one
        for one in draft.seen.clients_in("uploaded")
        if not one.pod.deleting and not one.pod.ended_by
    )
    return next((one for one in stored if one.pod.container("tool").exit_code), None)


def _failed_early(draft: TrialDraft, failed: ClientPod) -> TrialDecision:
    """One of several tools has failed: the trial ends, and with it the other clients.

    There is no second proof, because they may still load the database. So it is asked here whether
    the server was why.
    """
    database = draft.seen.database
    if database is not None:
        server = database.container("server")
        # Both by the database's node, whose clock may not be ours.
        before = draft.status.server_started or draft.status.release_at or 0.0
        is_back = (server.running_since or 0.0) > before + SAME_START
        if is_back or not server.running:
            return draft.end("Invalid", *why_it_restarted(database))
    code = failed.pod.container("tool").exit_code
    return draft.end("Failed", *_why_the_tool_failed(draft, [code]))


def longest(spec: TrialSpec) -> float:
    """Seconds after its release within which a trial ends, whatever happens."""
    limit = _overrun(spec)
    if spec.workload.recovery is not None:
        recovery = parse_duration(spec.step_deadlines.recovery)
        limit = max(limit, recovery + decision.UPLOAD_AFTER_FAILURE)
    ahead = decision.TAKE_TURNS if spec.turns is None else decision.FARTHEST
    return min(ahead + load_seconds(spec) + limit, FOREVER)


def overdue(draft: TrialDraft) -> float:
    """Seconds that the trial's end was waited for since it was due; negative before.

    The kubelet, too, says what has ended only once the API server is back.
    """
    began, planned = (
        datetime.fromtimestamp(moment, UTC)
        for moment in (draft.status.release_at or 0.0, _planned(draft))
    )
    absences, now = draft.seen.absences, draft.seen.now
    return absences.beyond(planned, now) + absences.set_back(began, now)


def _planned(draft: TrialDraft) -> float:
    """When the trial's end is due, by the operator's clock."""
    return (draft.status.release_at or 0.0) + load_seconds(draft.spec)


def _overrun(spec: TrialSpec) -> float:
    """Seconds beyond the planned end after which nothing more is expected of the tool."""
    margin = MARGIN if spec.workload.recovery is not None else 0.0
    overrun = parse_duration(spec.step_deadlines.overrun)
    return overrun + margin + decision.UPLOAD_AFTER_FAILURE


def _note_lost_nodes(draft: TrialDraft) -> None:
    """A node may come back with everything that ran on it, so it alone ends no trial."""
    for pod in (*(client.pod for client in draft.seen.clients), draft.seen.database):
        draft.note_lost(pod)


def _overdue(draft: TrialDraft) -> TrialDecision:
    """The tool did not end, or it ended on a node of which nothing is known any more."""
    gone = next((one.pod for one in draft.seen.clients if one.pod.is_lost), None)
    if gone is not None:
        message = f"node {gone.node} of pod {gone.name} was lost while the trial ran"
        return _disrupted(draft, message)
    return draft.end("Failed", "Overrun", "the tool did not end in time")


def _releases(draft: TrialDraft, unreleased: tuple[ClientPod, ...]) -> list[TrialEffect]:
    """Tell these clients when to start, and the agent of an interleaved block as well."""
    reading = draft.seen.database if draft.spec.turns is not None else None
    return [ReleaseClients(unreleased, draft.status.release_at or 0.0, reading)]


def _note_recovery(draft: TrialDraft) -> None:
    """What came of an intended stop, as soon as its record counts."""
    record = draft.seen.found.recovery
    if record is not None and not draft.known(life.RECOVERED):
        draft.condition(life.RECOVERED, record.ok, record.reason, record.message)
        if record.facts is not None:
            draft.set(server_restarted=record.facts.after.started_at)


def _may_stop(draft: TrialDraft) -> bool:
    """Once no other start can be agreed on, and while there is a load to stop under."""
    seen = draft.seen
    if draft.known(life.RECOVERED) or seen.stopped is None or seen.stopped.state != "unknown":
        return False
    loading, over = seen.clients_in("released", "running"), seen.clients_in("finished", "uploaded")
    return bool(loading) and len(loading) + len(over) == draft.spec.workload.client.replicas


def may_yet_stop(draft: TrialDraft) -> bool:
    """Whether the server may be stopped yet, or is not back, of a trial that has ended early.

    An agent that does not answer, or one of an earlier version that cannot be disarmed, is waited
    for until all must be over.
    """
    seen = draft.seen
    if draft.spec.workload.recovery is None or seen.found.recovery is not None:
        return False
    if seen.testbed is None or seen.testbed.deleting or seen.lost_its_pod:
        return False
    if seen.database is None or seen.database.is_silent:
        return False
    if seen.now.timestamp() > (draft.status.release_at or 0.0) + longest(draft.spec):
        return False
    return seen.stopped is None or seen.stopped.state in ("armed", "stopping", "starting")


def disarm(draft: TrialDraft) -> list[TrialEffect]:
    """The order to the agent that still has to stop its server, if there is one."""
    seen = draft.seen
    is_armed = seen.stopped is not None and seen.stopped.state == "armed"
    return [DisarmServer(seen.database)] if is_armed and seen.database is not None else []


def _cut_off(draft: TrialDraft, codes: Sequence[int | None], waited: float) -> TrialDecision:
    """Every client has ended, as the server's stop should have it `waited` seconds ago."""
    state = draft.seen.stopped.state if draft.seen.stopped else ""
    if not draft.known(life.RECOVERED) and state not in ("armed", "disarmed", "unknown"):
        limit = parse_duration(draft.spec.step_deadlines.recovery) + decision.UPLOAD_AFTER_FAILURE
        if waited <= limit:
            return draft.decide(requeue=backoff(waited, decision.POLL, decision.SLOW_POLL))
        why = draft.seen.stop_problem or "it does not say that the server is back"
        message = f"the agent cannot be asked: {why}"
        draft.condition(life.RECOVERED, False, life.RECOVERY_FAILED, message)
    if state == "armed" and not all(code == 0 for code in codes):
        # Else the server would be stopped while another trial is measured beside it.
        return draft.decide(*disarm(draft), requeue=decision.SLOW_POLL)
    if all(code == 0 for code in codes) or (0 in codes and draft.known(life.RECOVERED)):
        message = "the load ended by itself, so that the server was not stopped under it"
        return draft.end("Invalid", "NotUnderLoad", message)
    if draft.known(life.RECOVERED):
        message = "the server's stop has cut off every client"
        draft.condition(life.MEASURED, True, "Measured", message)
    else:
        draft.condition(life.MEASURED, False, *_why_the_tool_failed(draft, codes))
    return _ended(draft, draft.seen.clients)


def _why_the_tool_failed(draft: TrialDraft, codes: Sequence[int | None]) -> tuple[str, str]:
    known = tool(draft.spec.workload).why_it_failed
    why = ""
    for client in draft.seen.clients:
        container = client.pod.container("tool")
        if container.exit_reason == life.OOM:
            what = f"the tool in pod {client.pod.name} ran out of memory"
            return life.OOM, f"{what}: {raise_memory('tool')}"
        why = why or known(container.termination_message)
    failed = next(code for code in codes if code != 0)
    message = f"the tool ended with code {failed}{why and f': {why}'}"
    return life.TOOL_FAILED, fullness.after(message, draft.seen.full)


def _settle_start(draft: TrialDraft, unreleased: tuple[ClientPod, ...]) -> TrialDecision | None:
    """The next step while the start may yet become another; None once it is what it is."""
    agreeing = block.agree(draft) if draft.spec.turns is not None else None
    if agreeing is not None:
        return agreeing
    late = draft.seen.now.timestamp() - (draft.status.release_at or 0.0)
    return _missed_start(draft, unreleased) if unreleased and late > TOGETHER else None


def _missed_start(draft: TrialDraft, unreleased: tuple[ClientPod, ...]) -> TrialDecision:
    """The operator was away between the release and telling the clients: agree on a new moment.

    They hear of it in the same pass, because what kept it from the last one may still be there.
    """
    wanted = draft.spec.workload.client.replicas
    if len(unreleased) < wanted:
        return _disrupted(draft, "the clients did not start together")
    if not placed.has_all(draft.seen, draft.spec):
        return placed.await_nodes(draft)
    placed.note_leased(draft)
    waited = draft.without_waits(draft.since(life.RELEASED))
    if waited > parse_duration(draft.spec.step_deadlines.start):
        return draft.end("Failed", "StartTimeout", "the clients could not be released in time")
    draft.set(release_at=draft.seen.now.timestamp() + decision.ahead(wanted))
    return draft.decide(*_releases(draft, unreleased), requeue=decision.POLL)


def _disrupted(draft: TrialDraft, message: str) -> TrialDecision:
    """The trial ends: something came between that has nothing to do with its mode."""
    return draft.end("Invalid", life.DISRUPTED, message)
