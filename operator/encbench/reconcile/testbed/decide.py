"""What to do next with a testbed: `provision`, `load`, `prove`, `serve`, each in its own file.

Each step has a deadline and ends with a reason that says what kept it. A mode that is not in force
is not the testbed's fault: it becomes ready with `Proven=False`, and its trials are Invalid.
"""

from dataclasses import replace

from encbench.api import lifecycle as life
from encbench.api.conditions import find, format_time
from encbench.api.testbed import TestbedStatus
from encbench.reconcile import checks
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Testbed
from encbench.reconcile.testbed import solitude
from encbench.reconcile.testbed.decision import TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.testbed.failed import rest
from encbench.reconcile.testbed.load import check_dataset, load_dataset
from encbench.reconcile.testbed.prove import copy_dataset, prove_mode
from encbench.reconcile.testbed.provision import provision
from encbench.reconcile.testbed.serve import serve


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
        return rest(draft)
    if not draft.is_true(life.PROVISIONED):
        return provision(draft)
    if draft.is_false(life.ALONE) and (draft.known(life.PROVEN) or not solitude.must_wait(seen)):
        draft.condition(life.ALONE, True, "Leased", "no other measurement runs on its node")
    if not draft.is_true(life.LOADED):
        return load_dataset(draft)
    if checks.due(testbed.spec) is not None and not draft.known(life.CONSISTENT):
        return check_dataset(draft)
    if testbed.spec.reset != "none" and not draft.is_true(life.COPIED):
        return copy_dataset(draft)
    if not draft.known(life.PROVEN):
        return prove_mode(draft)
    return serve(draft)


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
