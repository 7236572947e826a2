"""The nodes that a trial needs to itself: its database's and its clients'.

It asks for them once all its pods have one, and with an interleaved block once no other trial of it
waits for room, so that it never waits for a node while others wait for what it has. Until then its
first proof may be made on a node that its cell has anyway: the clients' pods start meanwhile, and
nothing is lost between two trials.
"""

from dataclasses import replace

from encbench.api import lifecycle as life
from encbench.api.trial import TrialSpec, TrialStatus
from encbench.kube.leases import Holder, Unit
from encbench.reconcile.claims import Use
from encbench.reconcile.effects.effect import LeaveNodes, NodeEffect, TakeNodes
from encbench.reconcile.objects import Trial
from encbench.reconcile.stage import holds_the_stage, is_leaving
from encbench.reconcile.trial import placed
from encbench.reconcile.trial.decision import TrialDraft
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.running import longest
from encbench.tools.turns import load_seconds

AROUND = 5.0
"""Seconds that a trial is expected to need its nodes for before and after its load."""


def member(name: str) -> str:
    """The name by which its unit knows the trial."""
    return f"trial {name}"


def unit(trial: Trial) -> Unit:
    """The trial itself, or its interleaved block, which has the name of its first trial."""
    holder, turns = Holder.of(trial.namespace, trial.spec), trial.spec.turns
    return Unit(holder, member(turns.trials[0] if turns else trial.name))


def must_leave(seen: TrialSeen) -> bool:
    """Whether a trial of its block waits for room, which others may fill who wait for its nodes."""
    return any(sibling.has_no_room for sibling in seen.siblings)


def may_prove(seen: TrialSeen, spec: TrialSpec) -> bool:
    """Whether the database's node is its cell's. Of an external database nothing is known."""
    if seen.is_external or placed.has_all(seen, spec):
        return True
    node = seen.database.node if seen.database is not None else None
    return node in seen.found.nodes.free and not seen.found.nodes.waits


def note(draft: TrialDraft) -> None:
    """Write down whether the trial has its nodes to itself, if it ever had to wait for that."""
    seen, spec = draft.seen, draft.spec
    if seen.found.nodes.waits and not placed.has_all(seen, spec):
        draft.hold(life.ALONE, life.NODE_IN_USE, seen.found.nodes.waits)
    elif not may_prove(seen, spec):
        draft.condition(life.ALONE, False, life.STARTING, "not all of its pods have a node yet")
    else:
        placed.note_leased(draft)


def effects(trial: Trial, seen: TrialSeen, status: TrialStatus) -> tuple[NodeEffect, ...]:
    """Take the nodes from when they are known until the trial has left the stage."""
    known, wanted = seen.found.nodes, placed.needs(seen, trial.spec)
    leave = (LeaveNodes(unit(trial), member(trial.name)),) if known.joined else ()
    if holds_the_stage(replace(trial, status=status)):
        if must_leave(seen) and status.release_at is None:
            return leave
        if wanted is None or wanted <= known.used:
            return ()
        before = seen.before
        held = before is not None and holds_the_stage(before)
        # Its cell's nodes are this one's next, unless another cell waits by then.
        may_join = before is not None and is_leaving(before) and wanted <= known.free
        if held and not may_join:
            return ()
        lasts = expected(trial, is_external=seen.is_external)
        use = Use(unit(trial), member(trial.name), wanted, longest(trial.spec), lasts)
        return (TakeNodes(use),)
    return leave


def expected(trial: Trial, *, is_external: bool) -> float | None:
    """Seconds for which a trial needs its nodes, as planned.

    None where the longest part comes after the load, and depends on the data: a recovery, or the
    consistency queries of TPC-C, which an external database is not asked.
    """
    workload = trial.spec.workload
    if workload.recovery is not None or (workload.tpcc is not None and not is_external):
        return None
    return load_seconds(trial.spec) + AROUND
