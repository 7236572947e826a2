"""The stage: one trial after the other is measured, and is alone with the databases until proven.

The next trial's clients may start outside the measured window: during the warm-up of the trial
before it if that is long enough, else while that one is proven the second time. They are pods in
which only a shell waits at the barrier: the tool, and with it every connection, starts when the
trial is released. Its own first proof may be made during the other's second proof, if it asks
another server. Its release waits for the stage.

A trial that ends early holds the stage until its clients have stopped: they would be a load beside
the next one.
"""

from datetime import datetime

from encbench.api.conditions import find, is_false, is_true
from encbench.api.lifecycle import ARCHIVED, CHECKING, CONSISTENT, MEASURED, PROVEN_AFTER, RELEASED
from encbench.reconcile.objects import Trial

AHEAD = 4.0
"""Seconds that a client's pod takes to start on a busy machine, at most."""


def holds_the_stage(trial: Trial) -> bool:
    """Whether the next trial must wait: until this client has ended and the second proof is made.

    A dataset that is checked after each trial is asked then, which is work for its server.

    What follows (collecting, archiving) needs neither the database nor much of the client's CPU.
    """
    if trial.status.outcome is not None:
        return may_load_on(trial)
    facts = trial.status.conditions
    proven = is_true(facts, PROVEN_AFTER) or is_false(facts, PROVEN_AFTER)
    has_checks = trial.spec.workload.tpcc is not None and not is_false(facts, MEASURED)
    checks = find(facts, CONSISTENT)
    checked = not has_checks or (checks is not None and checks.reason != CHECKING)
    return not (proven and checked)


def may_load_on(trial: Trial) -> bool:
    """Whether it ended early, and its clients are not known to have stopped."""
    facts = trial.status.conditions
    was_cut_short = trial.status.outcome is not None and is_true(facts, RELEASED)
    return was_cut_short and find(facts, MEASURED) is None and not is_true(facts, ARCHIVED)


def has_begun(trial: Trial) -> bool:
    """Whether its clients were released, or are about to be."""
    return trial.status.release_at is not None or is_true(trial.status.conditions, RELEASED)


def may_stop_its_server(trial: Trial) -> bool:
    """Whether its server is stopped on purpose, or may yet be; the trial's own deadlines hold."""
    is_under_way = trial.status.outcome is None or may_load_on(trial)
    is_recovery = trial.spec.workload.recovery is not None
    return is_recovery and is_under_way and is_true(trial.status.conditions, RELEASED)


def is_leaving(trial: Trial) -> bool:
    """Whether its clients have ended as planned, and only its own server is still asked."""
    return trial.spec.turns is None and is_true(trial.status.conditions, MEASURED)


def is_measured(trial: Trial) -> bool:
    """Whether its clients run or are about to, so that nothing else may happen."""
    return holds_the_stage(trial) and not is_leaving(trial)


def is_warming_up(trial: Trial, now: datetime) -> bool:
    """Whether clients that start now wait at the barrier before its measured window begins."""
    released, spec = trial.status.release_at, trial.spec
    if released is None or spec.turns is not None or find(trial.status.conditions, MEASURED):
        return False
    window = released + spec.workload.load.warmup_seconds
    return now.timestamp() + AHEAD * spec.workload.client.replicas <= window


def keeps_from_proving(before: Trial, trial: Trial) -> bool:
    """Whether the first proof of `trial` must wait: a server answers one proof at a time."""
    is_same = before.spec.testbed_ref == trial.spec.testbed_ref
    return is_measured(before) or (is_same and holds_the_stage(before))


def waits(trial: Trial) -> bool:
    """Whether its clients stand at the barrier, or soon will, until the trial before it is over."""
    return trial.spec.after is not None and trial.status.release_at is None
