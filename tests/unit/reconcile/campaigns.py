"""Campaigns with their testbeds and trials, as a pass of a campaign sees them."""

from dataclasses import replace
from typing import Any

from encbench.admission import gather
from encbench.api.campaign import Resolved
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL
from encbench.core import plan
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.cleanup import FINALIZER
from encbench.reconcile.campaign.decision import CampaignDecision
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import line
from encbench.reconcile.effects.effect import Create, Delete
from encbench.reconcile.objects import Campaign, Testbed, Trial
from tests.support import manifests
from tests.unit.reconcile.seen import NOW, Facts, ago, status_of, with_status

RESOLVED = gather.frozen(
    {"small": manifests.SPECS[TESTBED]["instance"]},
    {"plain": {}, "tde": {"atRest": {"method": "engine"}}},
    {"oltp": manifests.SPECS[TRIAL]["workload"]},
    {},
)
ACCEPTED = {"Accepted": ("True", 600.0)}
ALL = ("Succeeded",) * 3
TURNS = {"slice": "3s", "settle": "500ms", "rounds": 20}
PROVEN = {"Measured": ("True", 9.0), "ProvenAfter": ("True", 5.0)}


def a_campaign(facts: Facts | None = None, resolved: bool = True, **spec: Any) -> Campaign:
    """An accepted campaign of one cell and one block; `spec` replaces fields."""
    body = manifests.body(CAMPAIGN, "study", "ns", **{"blocks": {"min": 1}, **spec})
    body["metadata"]["finalizers"] = [FINALIZER]
    status: dict[str, Any] = {"startTime": ago(600)}
    if resolved:
        status |= {"resolved": RESOLVED.to_dict(), "storagePrefix": "ns/study"}
    known = ACCEPTED if facts is None else facts
    return objects.campaign(with_status(body, known, **status))


def resolved_of(of: Campaign) -> Resolved:
    """What it measures, as it is frozen."""
    return of.status.resolved or RESOLVED


def the_cell(of: Campaign) -> plan.Cell:
    """Its only cell."""
    (cell,) = plan.cells(of.spec, resolved_of(of).workloads)
    return cell


def the_testbeds(of: Campaign, **ready: str) -> dict[str, Testbed]:
    """All of the cell's testbeds, ready but for the arms named."""
    cell, found = the_cell(of), {}
    for arm in cell.arms:
        body = children.testbed(CellPlan(of, resolved_of(of), cell), arm)
        state = ready.get(arm.name, "True")
        found[body["metadata"]["name"]] = objects.testbed(
            with_status(body, {"Ready": (state, 9.0)}, phase="Loading", readyTime=ago(9))
        )
    return found


def the_trials(of: Campaign, *ends: str | None, **facts: Any) -> dict[str, Trial]:
    """The first trials of the plan with their outcomes; None is under way."""
    found: dict[str, Trial] = {}
    beds = the_testbeds(of)
    for end in ends:
        so_far = [line(one).past for one in found.values()]
        planned = plan.next_trial(of.spec, the_cell(of), so_far).next_trial
        assert planned is not None
        own = CellPlan(of, resolved_of(of), the_cell(of))
        bed = beds[children.testbed_name(own, planned.arm)]
        body = children.trial(own, planned, bed)
        known = {"Archived": ("True", 5.0)} if end else facts.get("running", {})
        status: dict[str, Any] = {"startTime": ago(30)}
        status |= {"outcome": end, "releaseAt": NOW.timestamp() - 30} if end else {}
        found[body["metadata"]["name"]] = objects.trial(with_status(body, known, **status))
    return found


def saw(of: Campaign, *ends: str | None, **fields: Any) -> CampaignSeen:
    """A pass that saw its testbeds ready, and its first trials with these outcomes."""
    usual = CampaignSeen(
        now=NOW, resolution=None, testbeds=the_testbeds(of), trials=the_trials(of, *ends)
    )
    return replace(usual, **fields)


def made(decision: CampaignDecision) -> list[str]:
    """Kinds of what it wants created."""
    return [e.kind.kind for e in decision.effects if isinstance(e, Create)]


def deleted(decision: CampaignDecision) -> list[str]:
    """Names of what it wants deleted."""
    return [e.name for e in decision.effects if isinstance(e, Delete)]


def in_short(decision: CampaignDecision) -> tuple[str, str, str]:
    """Ready with its reason, and Stalled."""
    return *status_of(decision, "Ready"), status_of(decision, "Stalled")[0]


def began(trials: dict[str, Trial], seconds_ago: list[float]) -> dict[str, Trial]:
    """The same trials, each released so long ago."""
    at = NOW.timestamp()
    return {
        name: replace(one, status=one.status.model_copy(update={"release_at": at - seconds}))
        for (name, one), seconds in zip(trials.items(), seconds_ago, strict=True)
    }


def with_workloads(reset: str = "none", **changes: dict[str, Any]) -> Campaign:
    """A campaign of one instance whose workloads each differ from the usual one as said."""
    usual = manifests.SPECS[TRIAL]["workload"]
    workloads = {name: {**usual, **change} for name, change in changes.items()}
    found = gather.frozen(RESOLVED.instances, RESOLVED.modes, workloads, {})
    entry = {"instanceRefs": ["small"], "modeRefs": ["tde"], "workloadRefs": [*workloads]}
    of = a_campaign(blocks={"min": 2}, matrix=[entry], reset=reset)
    return replace(of, status=of.status.model_copy(update={"resolved": found}))
