"""What keeps a campaign from going on: whatever keeps one of its testbeds or trials from it."""

from dataclasses import dataclass

from encbench.api.conditions import Condition, find, is_true, parse_time
from encbench.api.lifecycle import FAILED, HINDERED
from encbench.reconcile.campaign.facts import CampaignSeen, is_archived
from encbench.reconcile.draft import PATIENCE
from encbench.reconcile.objects import Testbed, Trial


@dataclass(frozen=True)
class Hindrance:
    """Something that has lasted for longer than is usual."""

    reason: str
    message: str


def hindrance(seen: CampaignSeen) -> Hindrance | float | None:
    """The oldest one; or the seconds until what is in the way now becomes one."""
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
        return None
    age, fact, one = max(found, key=lambda entry: (entry[0], entry[2].name))
    if age < PATIENCE:
        return PATIENCE - age
    return Hindrance(fact.reason, f"{one.kind.kind} {one.name}: {fact.message}")
