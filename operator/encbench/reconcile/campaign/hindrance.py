"""What keeps a campaign from going on: whatever keeps one of its testbeds or trials from it."""

from dataclasses import dataclass

from encbench.api.conditions import Condition, find, is_true, parse_time
from encbench.api.lifecycle import FAILED, HELD, HINDERED, IN_USE, NODE_IN_USE
from encbench.reconcile.campaign.facts import CampaignSeen, is_archived
from encbench.reconcile.draft import PATIENCE
from encbench.reconcile.objects import Testbed, Trial

GOING = 60.0
"""Seconds that a deleted testbed or trial may take to go. It has no finalizer of ours, and those of
a deletion in the foreground wait for its pods."""

TURNS = (NODE_IN_USE, IN_USE)
"""Reasons of what waits for its turn, as is usual where campaigns share nodes or a database."""


@dataclass(frozen=True)
class Hindrance:
    """Something that has lasted for longer than is usual."""

    reason: str
    message: str

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong."""
        return self.reason not in TURNS


def hindrance(seen: CampaignSeen) -> Hindrance | float | None:
    """The oldest one; or the seconds until what is in the way now becomes one.

    A wait for a turn, which may be hours old, is named only where nothing is wrong.
    """
    beds = [t for t in seen.testbeds.values() if not is_true(t.status.conditions, FAILED)]
    trials = [t for t in seen.trials.values() if not is_archived(t)]
    children: list[Testbed | Trial] = [*beds, *trials]
    found: list[tuple[float, Condition, Testbed | Trial]] = []
    for one in children:
        fact = find(one.status.conditions, HINDERED)
        if fact is not None and fact.status == "True" and not one.deleting:
            age = (seen.now - parse_time(fact.last_transition_time)).total_seconds()
            found.append((age, fact, one))
    if not found:
        return _held(seen)
    lasting = [entry for entry in found if entry[0] >= PATIENCE]
    if not lasting:
        return PATIENCE - max(age for age, _, _ in found)
    _, fact, one = max(lasting, key=lambda it: (it[1].reason not in TURNS, it[0], it[2].name))
    waits = Hindrance(fact.reason, f"{one.kind.kind} {one.name}: {fact.message}")
    held = None if waits.is_fault else _held(seen)
    return held if isinstance(held, Hindrance) else waits


def _held(seen: CampaignSeen) -> Hindrance | float | None:
    """The child that has been deleted for the longest; or the seconds until it hinders."""
    children: list[Testbed | Trial] = [*seen.testbeds.values(), *seen.trials.values()]
    going = [one for one in children if one.deleting and one.finalizers]
    if not going:
        return None
    one = min(going, key=lambda one: one.body["metadata"]["deletionTimestamp"])
    age = (seen.now - parse_time(one.body["metadata"]["deletionTimestamp"])).total_seconds()
    if age < GOING:
        return GOING - age
    names = ", ".join(one.finalizers)
    message = f"{one.kind.kind} {one.name} was deleted and does not go (finalizers: {names})"
    return Hindrance(HELD, message)
