"""What a campaign does next, from what it sees: one step at a time, and when it waits."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.admission import gather
from encbench.api.campaign import BlockPlan, Resolved
from encbench.api.conditions import find, is_true, parse_time
from encbench.api.kinds import CAMPAIGN, SECRET, TESTBED, TRIAL
from encbench.core import plan
from encbench.core.problem import Problem, Reason
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.campaign import children, estimate
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.cleanup import CLIENT_GRACE, FINALIZER
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.decision import CampaignDecision
from encbench.reconcile.campaign.facts import CampaignFound, CampaignSeen
from encbench.reconcile.campaign.ledger import ClientStay, Ledger, Misfit, line, stay_key
from encbench.reconcile.campaign.resolve import Resolution
from encbench.reconcile.effects.effect import (
    Announce,
    Create,
    Delete,
    Publish,
    RemoveIfThere,
    RemoveUnfinished,
    SetFinalizers,
)
from encbench.reconcile.objects import Campaign, Testbed, Trial
from encbench.tools.gathering import gather_alone
from tests.support import manifests
from tests.unit.reconcile.seen import NOW, Facts, absent, ago, wants, with_status

WRONG = (
    Problem(SECRET, Reason.NOT_FOUND, "one thing", "key"),
    Problem(CAMPAIGN, Reason.RESET_REQUIRED, "another", "study"),
)

RESOLVED = gather.frozen(
    {"small": manifests.SPECS[TESTBED]["instance"]},
    {"plain": {}, "tde": {"atRest": {"method": "engine"}}},
    {"oltp": manifests.SPECS[TRIAL]["workload"]},
    {},
)
ACCEPTED = {"Accepted": ("True", 600.0)}
ALL = ("Succeeded",) * 3
PROVEN = {"Measured": ("True", 9.0), "ProvenAfter": ("True", 5.0)}


def a_campaign(facts: Facts | None = None, resolved: bool = True, **spec: Any) -> Campaign:
    body = manifests.body(CAMPAIGN, "study", "ns", **{"blocks": {"min": 1}, **spec})
    body["metadata"]["finalizers"] = [FINALIZER]
    status: dict[str, Any] = {"startTime": ago(600)}
    if resolved:
        status |= {"resolved": RESOLVED.to_dict(), "storagePrefix": "ns/study"}
    known = ACCEPTED if facts is None else facts
    return objects.campaign(with_status(body, known, **status))


def resolved_of(of: Campaign) -> Resolved:
    return of.status.resolved or RESOLVED


def the_cell(of: Campaign) -> plan.Cell:
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
    usual = CampaignSeen(
        now=NOW, resolution=None, testbeds=the_testbeds(of), trials=the_trials(of, *ends)
    )
    return replace(usual, **fields)


def made(decision: CampaignDecision) -> list[str]:
    """Kinds of what it wants created."""
    return [e.kind.kind for e in decision.effects if isinstance(e, Create)]


def deleted(decision: CampaignDecision) -> list[str]:
    return [e.name for e in decision.effects if isinstance(e, Delete)]


def status_of(decision: CampaignDecision, kind: str) -> tuple[str, str]:
    found = find(decision.status.conditions, kind)
    return (found.status, found.reason) if found else ("", "")


def in_short(decision: CampaignDecision) -> tuple[str, str, str]:
    """Ready with its reason, and Stalled."""
    return *status_of(decision, "Ready"), status_of(decision, "Stalled")[0]


# -- acceptance


@pytest.mark.parametrize("reason", Reason)
def test_what_may_arrive_is_waited_for_before_it_is_said_to_stand_still(reason: Reason) -> None:
    found = Resolution(Resolved(), (), (Problem(SECRET, reason, "one thing", "key"), *WRONG))
    fresh, before = a_campaign({}, resolved=False), ("False", "Refused")
    seen = CampaignSeen(NOW, found, {}, {})
    at_first = decide(fresh, seen)
    refused = replace(fresh, status=at_first.status)
    soon, later = (
        decide(refused, replace(seen, now=NOW + timedelta(seconds=seconds))) for seconds in (59, 60)
    )
    waits = reason == "NamespaceFull"
    stalled = "" if waits or reason in ("NotFound", "NotMarked", "EntryMissing") else "True"
    assert in_short(at_first) == in_short(soon) == (*before, stalled)
    assert in_short(later) == (*before, "" if waits else "True")
    assert soon.requeue == 10.0
    assert status_of(soon, "Accepted") == ("False", reason)


def test_problems_refuse_it_and_are_told_once() -> None:
    fresh = a_campaign({}, resolved=False)
    wrong = Resolution(Resolved(), (), WRONG[::-1])
    seen = CampaignSeen(NOW, wrong, {}, {})
    decision = decide(fresh, seen)
    assert status_of(decision, "Accepted") == ("False", "ResetRequired"), "the first one's reason"
    for kind, status in (("Accepted", "False"), ("Ready", "False"), ("Stalled", "True")):
        fact = find(decision.status.conditions, kind)
        assert fact is not None
        assert (fact.status, fact.message) == (status, "another; one thing")
    corrected = CampaignSeen(NOW, Resolution(RESOLVED, (), ()), {}, {})
    goes_on = decide(replace(fresh, status=decision.status), corrected)
    assert in_short(goes_on) == ("False", "Progressing", "False")
    assert decision.status.resolved is None
    assert [type(effect) for effect in decision.effects] == [Announce]
    again = decide(replace(fresh, status=decision.status), seen)
    assert again.effects == ()
    assert again.requeue == 10.0
    refused = replace(fresh, status=again.status)
    for later, requeue in ((90, 10.0), (300, 30.0), (6000, 60.0)):
        looked = replace(seen, now=NOW + timedelta(seconds=later))
        assert decide(refused, looked).requeue == requeue, "ever more seldom"
    assert "its own fields are fixed" in decision.status.step
    assert "delete the campaign and apply it again" in decision.status.step


def test_past_its_deadline_a_refusal_counts_once_it_has_been_told() -> None:
    """What was accepted until the operator was away, or has just been corrected, is not over."""
    fresh = a_campaign({}, resolved=False, activeDeadlineSeconds=60)
    seen = CampaignSeen(NOW, Resolution(Resolved(), (), WRONG[1:]), {}, {})
    first = decide(fresh, seen)
    assert status_of(first, "Failed") == ("", "")
    told = replace(fresh, status=first.status)
    other = Resolution(
        Resolved(), (), (Problem(CAMPAIGN, Reason.NAMES_ALIKE, "one more", "study"),)
    )
    assert status_of(decide(told, replace(seen, resolution=other)), "Failed") == ("", "")
    assert status_of(decide(told, seen), "Failed") == ("True", "DeadlineExceeded")


def test_scripts_are_copied_before_the_plan_is_frozen() -> None:
    fresh = a_campaign({}, resolved=False)
    copy = manifests.config_map("study-script-1", "ns")
    first = decide(fresh, CampaignSeen(NOW, Resolution(RESOLVED, (copy,), ()), {}, {}))
    assert made(first) == ["ConfigMap"]
    assert first.status.resolved is None
    second = decide(fresh, CampaignSeen(NOW, Resolution(RESOLVED, (), ()), {}, {}))
    assert second.status.resolved == RESOLVED
    assert status_of(second, "Accepted")[0] == "True"
    unclaimed = replace(fresh, finalizers=())
    both = decide(unclaimed, CampaignSeen(NOW, Resolution(RESOLVED, (copy,), ()), {}, {}))
    assert both.effects == (SetFinalizers((FINALIZER,)), *first.effects), "it is claimed with them"
    assert both.status == unclaimed.status, "another one would make its version old"


# -- measuring


def test_all_testbeds_of_a_cell_are_made_at_once() -> None:
    of = a_campaign()
    decision = decide(of, saw(of, testbeds={}))
    assert made(decision) == ["Testbed"] * 3
    assert decision.status.progress.planned == 3
    assert decision.status.estimated_completion_time is None


def test_trials_wait_for_every_testbed() -> None:
    of = a_campaign()
    decision = decide(of, saw(of, testbeds=the_testbeds(of, tde="False")))
    assert made(decision) == []
    assert decision.status.step == "preparing testbeds: tde (loading)"


def test_nothing_is_begun_on_a_testbed_that_is_being_deleted() -> None:
    of = a_campaign()
    (name, going), *others = the_testbeds(of).items()
    seen = saw(of, testbeds={name: replace(going, deleting=True), **dict(others)})
    assert made(decide(of, seen)) == []
    assert made(decide(of, saw(of))) == ["Trial"]


def test_a_step_is_never_longer_than_the_api_takes() -> None:
    modes = [f"{n:02d}-{'x' * 50}" for n in range(16)]
    of = a_campaign(matrix=[{"instanceRefs": ["small"], "modeRefs": modes, "workloadRefs": ["w"]}])
    frozen = gather.frozen(
        RESOLVED.instances,
        {**RESOLVED.modes, **{mode: {} for mode in modes}},
        {"w": RESOLVED.workloads["oltp"]},
        {},
    )
    of = replace(of, status=of.status.model_copy(update={"resolved": frozen}))
    (cell,) = plan.cells(of.spec, frozen.workloads)
    beds = [
        objects.testbed(with_status(children.testbed(CellPlan(of, frozen, cell), arm), {}))
        for arm in cell.arms
    ]
    decision = decide(of, CampaignSeen(NOW, None, {bed.name: bed for bed in beds}, {}))
    assert decision.status.step.startswith("preparing testbeds")
    assert len(decision.status.step) == 512


def test_one_trial_at_a_time() -> None:
    of = a_campaign()
    first = decide(of, saw(of))
    assert made(first) == ["Trial"]
    assert made(decide(of, saw(of, None))) == []
    proven = the_trials(of, None, running={"ProvenAfter": ("True", 1.0)})
    assert made(decide(of, saw(of, trials=proven))) == ["Trial"], "archiving overlaps the next"
    both = the_trials(of, None, None, running={"ProvenAfter": ("True", 1.0)})
    assert made(decide(of, saw(of, trials=both))) == [], "but they do not pile up"


def test_progress_counts_by_outcome_and_what_is_left() -> None:
    of = a_campaign(blocks={"min": 2, "maxReplacements": 1})
    counts = decide(of, saw(of, "Succeeded", "Invalid", None)).status.progress
    assert (counts.succeeded, counts.invalid, counts.failed, counts.active) == (1, 1, 0, 1)
    assert counts.planned == 3 + 5, "the broken block's last trial is not run any more"


def test_the_end_is_estimated_once_testbeds_are_ready() -> None:
    of = a_campaign()
    eta = decide(of, saw(of)).status.estimated_completion_time
    assert eta == ago(-3 * (30 + 60 + 5))


def test_the_end_of_an_interleaved_block_is_estimated_before_and_while_it_begins() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 1, "interleave": turns})
    block = 30 + 20 * 3 * 3.05 + 5
    first = decide(of, saw(of))
    assert made(first) == ["Trial"] * 3
    assert first.status.estimated_completion_time == ago(-block)
    created = [e.body for e in first.effects if isinstance(e, Create)]
    begun = {body["metadata"]["name"]: objects.trial(with_status(body, {})) for body in created}
    again = decide(of, saw(of, trials=begun)).status.estimated_completion_time
    assert again is not None
    late = (parse_time(again) - parse_time(ago(-block))).total_seconds()
    assert 0 <= late < 5, "clients gather before they begin"


TURNS = {"slice": "3s", "settle": "500ms", "rounds": 20}


def test_solo_blocks_have_a_pace_of_their_own() -> None:
    """They run one trial after the other, and an interleaved block all of its own at once."""
    of = a_campaign(blocks={"min": 2, "solo": 4, "interleave": TURNS})
    in_turns, solo = 2 * (30 + 20 * 3 * 3.05 + 5), 4 * 3 * TRIAL_TAKES
    assert decide(of, saw(of)).status.estimated_completion_time == ago(-in_turns - solo)
    took = 400.0
    trials = began(the_trials(of, *ALL, *ALL), [took] * 3 + [0.0] * 3)
    measured = decide(of, saw(of, trials=trials)).status.estimated_completion_time
    assert measured == ago(-took - solo)


def test_a_block_of_fewer_arms_takes_less() -> None:
    of = a_campaign(blocks={"min": 2, "interleave": TURNS})
    few = the_cell(of)
    more = replace(few, name="c2", arms=(*few.arms, few.arms[-1]))
    seen = saw(of, trials=began(the_trials(of, *ALL, *ALL), [300.0] * 3 + [0.0] * 3))
    (level,) = few.conditions
    left = {
        cell.name: plan.CellState(None, (), (), plan.Left({level: len(cell.arms)}))
        for cell in (few, more)
    }
    end = estimate.estimate(of, seen, left, (few, more), RESOLVED)
    arm = 20 * 3.05
    assert end == ago(-300 - 300 - (300 + arm))


def test_a_trial_that_has_not_begun_is_still_to_be_waited_for() -> None:
    of = a_campaign(blocks={"min": 1})
    found = decide(of, saw(of, None)).status.estimated_completion_time
    assert found == ago(-3 * 95)


def test_the_end_counts_the_time_that_new_testbeds_take() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 6, "perTestbed": 1, "interleave": turns})
    block, seen = 30 + 20 * 3 * 3.05 + 5, saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    first = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert first == ago(-6 * (block + 40) + 40), "none after the last block"


def began(trials: dict[str, Trial], seconds_ago: list[float]) -> dict[str, Trial]:
    """The same trials, each released so long ago."""
    at = NOW.timestamp()
    return {
        name: replace(one, status=one.status.model_copy(update={"release_at": at - seconds}))
        for (name, one), seconds in zip(trials.items(), seconds_ago, strict=True)
    }


TRIAL_TAKES, ANEW = 95.0, 2400.0


def test_new_testbeds_take_their_time_once_for_each_set_of_sequential_blocks() -> None:
    """Of 6 blocks with 3 arms 4 are left, each with testbeds of its own: 12 trials and 4 sets."""
    of = a_campaign(blocks={"min": 6, "perTestbed": 1})
    second = [2 * TRIAL_TAKES, TRIAL_TAKES, 0.0]
    first = [3 * TRIAL_TAKES + ANEW + one for one in second]
    trials = began(the_trials(of, *["Succeeded"] * 6), [*first, *second])
    seen = saw(of, trials=trials)
    whole = TRIAL_TAKES + 12 * TRIAL_TAKES + 4 * ANEW
    assert decide(of, seen).status.estimated_completion_time == ago(-whole), "3 h, not 20 min"
    # While the next testbeds are made the end stays.
    made_for = TRIAL_TAKES + 1000
    later = replace(seen, now=NOW + timedelta(seconds=made_for))
    assert decide(of, later).status.estimated_completion_time == ago(-whole)


def test_a_set_of_testbeds_serves_blocks_of_every_condition() -> None:
    """Of 8 blocks at 2 concurrencies with 3 arms, 2 of each on a set: 48 trials and 3 more sets."""
    of, oltp = a_campaign(blocks={"min": 8, "perTestbed": 2}), RESOLVED.workloads["oltp"]
    load = oltp.load.model_copy(update={"concurrency": [2, 8]})
    twice = oltp.model_copy(update={"load": load})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": twice}})
    of = replace(of, status=of.status.model_copy(update={"resolved": resolved}))
    seen = saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    found = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert found == ago(-(48 * TRIAL_TAKES + 3 * 40))


def test_the_condition_with_the_most_blocks_decides_how_many_sets_are_built() -> None:
    """Pilots asked for 8 and 24 blocks, 2 of each on a set: 96 trials and 11 more sets."""
    precision = {"targetHalfWidth": 0.01}
    of = a_campaign(blocks={"min": 8, "max": 40, "perTestbed": 2}, precision=precision)
    oltp = RESOLVED.workloads["oltp"]
    load = oltp.load.model_copy(update={"concurrency": [2, 8]})
    twice = oltp.model_copy(update={"load": load})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": twice}})
    (cell,) = plan.cells(of.spec, resolved.workloads)
    plans = [
        BlockPlan(
            cell=cell.name,
            instance="small",
            workload="oltp",
            concurrency=concurrency,
            pilot_blocks=8,
            planned_blocks=count,
        )
        for concurrency, count in ((2, 8), (8, 24))
    ]
    update = {"resolved": resolved, "block_plans": plans}
    of = replace(of, status=of.status.model_copy(update=update))
    seen = saw(of)
    slow = {bed.name: replace(bed, created=ago(9 + 40)) for bed in seen.testbeds.values()}
    found = decide(of, replace(seen, testbeds=slow)).status.estimated_completion_time
    assert found == ago(-(96 * TRIAL_TAKES + 11 * 40))


def test_an_interleaved_block_whose_trials_retire_one_by_one_began_once() -> None:
    turns = {"slice": "3s", "settle": "500ms", "rounds": 20}
    of = a_campaign(blocks={"min": 4, "interleave": turns})
    trials = began(the_trials(of, *ALL, *ALL), [600.0, 599.9, 599.8, 300.0, 299.9, 299.8])
    retired, *others = trials
    ledger = Ledger()
    ledger.begin(plan.Attempts(of.spec.blocks, [the_cell(of)]))
    ledger.add(trials[retired])
    seen = saw(of, trials={name: trials[name] for name in others}, found=CampaignFound(ledger))
    first, second = estimate._starts(the_cell(of).name, seen)
    assert (first.block, second.block) == (1, 2)


def test_a_solo_block_is_named_in_the_step() -> None:
    of = a_campaign(blocks={"min": 1, "solo": 1, "interleave": {"slice": "3s"}})
    trials = the_trials(of, *ALL)
    assert decide(of, saw(of, trials=trials)).status.step.startswith("block solo 1, oltp at ")


def test_clients_that_gather_first_are_part_of_the_end() -> None:
    oltp = RESOLVED.workloads["oltp"]
    client = oltp.client.model_copy(update={"replicas": 4})
    several = oltp.model_copy(update={"client": client})
    resolved = RESOLVED.model_copy(update={"workloads": {"oltp": several}})
    alone = gather_alone(several, max(oltp.load.concurrency))
    assert alone > 1
    of = a_campaign()
    of = replace(of, status=of.status.model_copy(update={"resolved": resolved}))
    found = decide(of, saw(of)).status.estimated_completion_time
    assert found == ago(-3 * (TRIAL_TAKES + alone))


@pytest.mark.parametrize("interleave", [{}, {"slice": "3s", "settle": "500ms", "rounds": 20}])
@pytest.mark.parametrize("kept", [(), ("Succeeded",), ("Succeeded",) * 6])
def test_the_end_stays_while_testbeds_are_made_anew(
    kept: tuple[str, ...], interleave: dict[str, Any]
) -> None:
    turns = {"interleave": interleave} if interleave else {}
    of = a_campaign(blocks={"min": 6, "perTestbed": 1, **turns})
    seen = saw(of, *kept)
    assert decide(of, seen).status.estimated_completion_time is not None
    between = decide(of, replace(seen, testbeds={})).status.estimated_completion_time
    assert (between is not None) == (len(kept) > 1)


def two_cells(
    parallelism: int, *places: str, clients: str = "", ends: Sequence[str | None] = (), **spec: Any
) -> CampaignDecision:
    """Of two cells with three trials each; `ends` are those of the second one's first trials.

    `places` has the node of all of a cell's databases, `?` where one of them has none yet, and
    nothing where there are none; the first clients of both cells ran on the node `clients`.
    """
    matrix = [{"instanceRefs": ["small"], "modeRefs": ["tde"], "workloadRefs": ["oltp", "more"]}]
    oltp = manifests.SPECS[TRIAL]["workload"]
    more = {**oltp, "sysbench": {**oltp["sysbench"], "tables": 77}}
    found = gather.frozen(RESOLVED.instances, RESOLVED.modes, {"oltp": oltp, "more": more}, {})
    of = a_campaign(matrix=matrix, parallelism=parallelism, **spec)
    of = replace(of, status=of.status.model_copy(update={"resolved": found}))
    cells, ledger = plan.cells(of.spec, found.workloads), Ledger()
    ledger.begin(plan.Attempts(of.spec.blocks, cells))
    beds: dict[str, Testbed] = {}
    for cell, place in zip(cells, places, strict=False):
        for arm in cell.arms if place else ():
            is_placed = arm.role != "control" or not place.endswith("?")
            body = with_status(
                children.testbed(CellPlan(of, found, cell), arm),
                {"Ready": ("True" if is_placed else "False", 9.0)},
                readyTime=ago(9),
                **({"machine": {"node": place.rstrip("?")}} if is_placed else {}),
            )
            beds[body["metadata"]["name"]] = objects.testbed(body)
    for cell in cells if clients else ():
        stay = ClientStay((cell.name, "", 0, 0, ""), (clients,), 1.0, "")
        client = found.workloads[cell.dataset_workload].client
        ledger.stays[stay_key(cell.name, client)].by_nodes[stay.nodes] = stay
    trials: dict[str, Trial] = {}
    for end in ends:
        planned = plan.next_trial(of.spec, cells[1], [line(one).past for one in trials.values()])
        assert planned.next_trial is not None
        own = CellPlan(of, found, cells[1])
        bed = beds[children.testbed_name(own, planned.next_trial.arm)]
        body = with_status(
            children.trial(own, planned.next_trial, bed),
            {"Archived": ("True", 5.0)} if end else {},
            **({"outcome": end} if end else {}),
        )
        trials[body["metadata"]["name"]] = objects.trial(body)
    return decide(of, CampaignSeen(NOW, None, beds, trials, CampaignFound(ledger)))


@pytest.mark.parametrize(
    ("places", "clients", "made_now", "first", "second"),
    [
        (("", ""), "", 3, "creating", "until another cell's databases have nodes"),
        (("n0", ""), "", 1, "block 1", "until the clients of the cell before it have nodes"),
        (("n0", ""), "n9", 1 + 3, "block 1", "creating"),
        (("", "n1?"), "n9", 0, "until another cell's databases have nodes", "preparing"),
        (("", ""), "n9", 3, "creating", "until another cell's databases have nodes"),
        (("n0?", "n1"), "n9", 1, "preparing", "block 1"),
        (("n0", "n1"), "n9", 1, "block 1", "waits for node n9, until a cell before it is done"),
    ],
    ids=["start", "no-clients", "clients", "later-first", "both-anew", "waits", "shared"],
)
def test_one_cell_at_a_time_is_placed_and_none_where_an_earlier_one_may_need_the_room(
    places: tuple[str, str], clients: str, made_now: int, first: str, second: str
) -> None:
    decision = two_cells(2, *places, clients=clients)
    assert len(made(decision)) == made_now
    one, other = decision.status.step.split("; cell 2: ")
    assert first in one
    assert second in other


@pytest.mark.parametrize(
    ("ends", "turns", "made_now"),
    [
        ([], {}, 0),
        (["Succeeded"], {}, 1),
        (["Succeeded"] * 2, {}, 1),
        (["Succeeded"] * 3, {}, 0),
        ([], {"interleave": {"slice": "3s"}}, 0),
        ([None], {"interleave": {"slice": "3s"}}, 2),
    ],
)
def test_a_block_that_has_begun_goes_on_on_a_shared_node(
    ends: Sequence[str | None], turns: dict[str, Any], made_now: int
) -> None:
    """The other cell makes a trial, or all of its block's, in the same pass."""
    decision = two_cells(
        2, "n0", "n1", clients="n9", ends=ends, blocks={"min": 4, "perTestbed": 0, **turns}
    )
    assert len(made(decision)) == made_now + (3 if turns else 1)
    assert ("waits for node n9" in decision.status.step) == (made_now == 0)


def test_cells_side_by_side_take_a_step_each_and_end_sooner() -> None:
    one, both = two_cells(1, "n0"), two_cells(2, "n0", "n1")
    assert (made(one), made(both)) == (["Trial"], ["Trial"] * 2)
    assert one.status.step.startswith("block 1, oltp at ")
    first, second = both.status.step.split("; ")
    assert first.startswith("cell 1: block 1, oltp at ")
    assert second.startswith("cell 2: block 1, more at ")
    prepared = 3600 - 9  # as the first cell's testbeds were
    assert one.status.estimated_completion_time == ago(-6 * (30 + 60 + 5) - prepared)
    assert both.status.estimated_completion_time == ago(-3 * (30 + 60 + 5))
    avoided = [e.body["spec"].get("avoid", []) for e in both.effects if isinstance(e, Create)]
    assert avoided == [["n1"], ["n0"]]


def test_an_end_beyond_the_calendar_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A duration may have 32 letters: 999999h are 114 years, which thousands of trials repeat."""
    monkeypatch.setattr(estimate, "planned_seconds", lambda *_: 4 * 999_999 * 3600.0)
    of = a_campaign(blocks={"min": 1000})
    assert decide(of, saw(of)).status.estimated_completion_time is None


# -- suspension


def test_suspended_it_starts_nothing_more() -> None:
    of = a_campaign(suspend=True)
    for seen in (saw(of), saw(of, testbeds={}), saw(of, "Succeeded"), saw(of, None)):
        decision = decide(of, seen)
        assert made(decision) == []
        assert status_of(decision, "Suspended")[0] == "True"
        assert decision.status.phase == "Suspended"
        assert in_short(decision) == ("False", "Suspended", "")


def test_suspended_it_puts_off_what_has_not_begun() -> None:
    of = a_campaign(suspend=True)
    begun = the_trials(of, None, running={"Released": ("True", 5.0)})
    decision = decide(of, saw(of, trials=begun))
    assert deleted(decision) == []
    assert decision.status.step == "suspended once the running trial is done"
    waiting = the_trials(of, None)
    decision = decide(of, saw(of, trials=waiting))
    assert deleted(decision) == list(waiting)
    assert decision.status.step == "suspended"
    ended = the_trials(of, "Invalid")
    assert deleted(decide(of, saw(of, trials=ended))) == []


def test_suspended_it_ends_no_interleaved_block_that_has_begun() -> None:
    of = a_campaign(suspend=True, blocks={"min": 1, "interleave": TURNS})
    trials = the_trials(of, None, None, None)
    assert deleted(decide(of, saw(of, trials=trials))) == list(trials)
    begun = the_trials(of, None, running={"Released": ("True", 5.0)})
    assert deleted(decide(of, saw(of, trials=trials | begun))) == []


@pytest.mark.parametrize("facts", [{}, {"Complete": ("True", 5.0)}])
@pytest.mark.parametrize("misfits", [(), (Misfit(TRIAL, "odd", "uid", "Trial odd: spec"),)])
def test_what_is_said_of_suspension_is_what_the_spec_says_even_with_no_trial_left(
    facts: Facts, misfits: tuple[Misfit, ...]
) -> None:
    """It was suspended during the last trial, and resumed once that was over."""
    known = {**ACCEPTED, "Suspended": ("True", 60.0), **facts}
    for suspend, said in ((False, ("False", "Resumed")), (True, ("True", "Suspended"))):
        of = a_campaign(known, suspend=suspend)
        decision = decide(of, saw(of, *ALL, testbeds={}, misfits=misfits))
        assert status_of(decision, "Suspended") == said
        ended = {True: "Succeeded", False: "Suspended" if suspend else "Running"}
        assert decision.status.phase == ended[bool(facts)]


def test_suspended_time_does_not_count_for_the_deadline() -> None:
    """Else an upgrade, before which all campaigns are suspended, could end one."""
    suspended = {**ACCEPTED, "Suspended": ("True", 300.0)}
    for limit, stops in ((300, False), (299, True)):
        limited: dict[str, Any] = {"activeDeadlineSeconds": limit}
        asleep = a_campaign(suspended, suspend=True, **limited)
        assert bool(deleted(decide(asleep, saw(asleep)))) == stops
        later = replace(saw(asleep), now=NOW + timedelta(days=1))
        assert bool(deleted(decide(asleep, later))) == stops
        awake = a_campaign(suspended, **limited)
        resumed = decide(awake, saw(awake))
        assert resumed.status.suspended_seconds == 300
        assert bool(deleted(resumed)) == stops
        again = replace(awake, status=resumed.status)
        assert decide(again, saw(again)).status.suspended_seconds == 300
        late = replace(saw(again), now=NOW + timedelta(seconds=1))
        assert deleted(decide(again, late)), "it counts again"


def test_each_suspension_counts_beside_those_before_it() -> None:
    known = {**ACCEPTED, "Suspended": ("True", 100.0)}
    for limit, stops in ((300, False), (299, True)):
        of = a_campaign(known, suspend=True, activeDeadlineSeconds=limit)
        again = replace(of, status=of.status.model_copy(update={"suspended_seconds": 200}))
        assert bool(deleted(decide(again, saw(again)))) == stops


# -- the end


def test_testbeds_go_when_the_last_trial_is_archived() -> None:
    of = a_campaign()
    before = the_trials(of, "Succeeded", "Succeeded", None)
    assert deleted(decide(of, saw(of, trials=before))) == []
    decision = decide(of, saw(of, "Succeeded", "Succeeded", "Succeeded"))
    assert len(deleted(decision)) == 3
    assert in_short(decision) == ("False", "Progressing", "")
    assert wants(decision, Publish)
    assert status_of(decision, "Reported") == ("False", "Rendering")


def test_it_is_complete_once_the_report_is_there() -> None:
    of = a_campaign()
    seen = saw(of, "Succeeded", "Succeeded", "Succeeded", testbeds={}, verdict="Overhead")
    decision = decide(of, seen)
    assert status_of(decision, "Complete") == ("True", "AllBlocksMeasured")
    assert in_short(decision) == ("True", "Complete", "")
    assert not wants(decision, Publish)
    assert decision.status.completion_time == ago(0)
    assert decision.status.report_ref == "study"
    assert decision.status.verdict == "Overhead"


def test_the_reason_why_a_report_is_late_is_shown() -> None:
    of = a_campaign()
    seen = saw(
        of, *["Succeeded"] * 3, testbeds={}, found=CampaignFound(problem="the store is away")
    )
    decision = decide(of, seen)
    found = find(decision.status.conditions, "Reported")
    assert found is not None
    assert found.message == "the store is away"


def test_a_report_is_given_up_only_while_something_prevents_it() -> None:
    """However long the operator was away since it began to render."""
    of = a_campaign({**ACCEPTED, "Reported": ("False", 24 * 3600 + 1.0)})
    seen = saw(of, *ALL, testbeds={})
    late = decide(of, seen)
    assert status_of(late, "Failed") == ("", "")
    assert wants(late, Publish)
    prevented = decide(of, replace(seen, found=CampaignFound(problem="the store is away")))
    assert status_of(prevented, "Failed") == ("True", "ReportFailed")


def test_a_report_that_ends_the_operator_is_given_up_by_its_deadline() -> None:
    """A new process knows of no problem, and that another one was at it: it tries once more."""
    of, day = a_campaign(), 24 * 3600.0

    def later(before: Any, seconds: float, **found: Any) -> CampaignDecision:
        now = NOW + timedelta(seconds=seconds)
        seen = saw(of, *ALL, testbeds={}, now=now, found=CampaignFound(**found))
        return decide(replace(of, status=before), seen)

    begun = decide(of, saw(of, *ALL, testbeds={})).status
    second = later(begun, day + 1)
    same = later(second.status, day + 2, has_begun=True)
    for going_on in (later(begun, day + 1, has_begun=True), second, same):
        assert status_of(going_on, "Failed") == ("", "")
        assert wants(going_on, Publish)
    assert wants(later(second.status, day - 1), Publish), "within the deadline"
    given_up = later(same.status, day + 3)
    assert status_of(given_up, "Failed") == ("True", "ReportFailed")
    assert not wants(given_up, Publish)
    fact = find(given_up.status.conditions, "Failed")
    assert fact is not None
    assert "the operator ended twice while it wrote the report" in fact.message
    assert "operator.resources.limits.memory" in fact.message
    refused = later(second.status, day - 1, problem="the store is away")
    assert status_of(refused, "Reported") == ("False", "Rendering"), "nothing has cut that one off"
    prevented = later(second.status, day + 3, problem="the store is away")
    fact = find(prevented.status.conditions, "Failed")
    assert fact is not None
    assert fact.message.endswith("within stepDeadlines.archive: the store is away")


def test_too_many_broken_blocks_end_it() -> None:
    of = a_campaign(blocks={"min": 1, "maxReplacements": 1})
    first = decide(of, saw(of, "Invalid"))
    assert made(first) == ["Trial"]
    seen = saw(of, "Invalid", "Failed", testbeds={}, verdict="Overhead")
    assert status_of(decide(of, seen), "Failed") == ("True", "TooManyInvalidTrials")
    assert in_short(decide(of, seen)) == ("False", "Failed", "True")


def test_one_thread_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = {**manifests.SPECS[TRIAL]["workload"], "load": {"concurrency": [1]}}
    resolved = gather.frozen(
        {"small": manifests.SPECS[TESTBED]["instance"]},
        {"plain": {}, "tde": {"atRest": {"method": "engine"}}},
        {"oltp": alone},
        {},
    )
    monkeypatch.setitem(globals(), "RESOLVED", resolved)
    of = a_campaign(blocks={"min": 1, "maxReplacements": 1})
    for ends in ((), (None,)):
        assert decide(of, saw(of, *ends)).status.step.startswith("block 1, oltp at 1 thread: ")
    failed = decide(of, saw(of, "Invalid", "Failed", testbeds={}, verdict="Overhead"))
    found = find(failed.status.conditions, "Failed")
    assert found is not None
    assert "oltp at 1 thread on small" in found.message


def test_a_child_that_is_held_by_others_is_named() -> None:
    of = a_campaign(blocks={"min": 9, "perTestbed": 1})
    beds = the_testbeds(of)
    name = min(beds)
    for waited, told in ((59.0, ""), (61.0, "Held")):
        body = {**beds[name].body, "metadata": {**beds[name].body["metadata"]}}
        body["metadata"] |= {"deletionTimestamp": ago(waited), "finalizers": ["backup.io/keep"]}
        held = decide(of, saw(of, testbeds={**beds, name: objects.testbed(body)}))
        assert status_of(held, "Hindered")[1] == told
    assert f"Testbed {name} was deleted and does not go (finalizers: backup.io/keep)" in (
        held.status.step
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_set_goes_before_another_one_is_made(number: int) -> None:
    """Whichever of them has the higher number."""
    of = a_campaign(blocks={"min": 9, "perTestbed": 1})
    cell, trials = the_cell(of), the_trials(of, *["Succeeded"] * 3)
    bodies = [children.testbed(CellPlan(of, RESOLVED, cell), arm, number) for arm in cell.arms]
    beds = [objects.testbed(with_status(body, {"Ready": ("True", 9.0)})) for body in bodies]
    decision = decide(of, saw(of, trials=trials, testbeds={bed.name: bed for bed in beds}))
    is_planned = number == 2
    assert len(deleted(decision)) == (0 if is_planned else 3)
    assert made(decision) == (["Trial"] if is_planned else [])


@pytest.mark.parametrize("suspend", [False, True])
def test_a_failed_testbed_gives_its_cell_up_and_alone_stays(suspend: bool) -> None:
    of = a_campaign(suspend=suspend)
    beds = the_testbeds(of)
    name, broken = next(iter(beds.items()))
    body = with_status(broken.body, {"Failed": ("True", 9.0)})
    beds[name] = objects.testbed(body)
    assert deleted(decide(of, saw(of, None, testbeds=beds))) == [], "its record needs the server"
    decision = decide(of, saw(of, testbeds=beds))
    assert made(decision) == []
    assert sorted(deleted(decision)) == sorted(beds.keys() - {name}), "they hold room"
    (publish,) = [effect for effect in decision.effects if isinstance(effect, Publish)]
    ended = decide(of, saw(of, testbeds=beds, verdict="Overhead"))
    assert status_of(ended, "Failed") == ("True", "TestbedFailed")
    failed = find(ended.status.conditions, "Failed")
    assert failed is not None
    assert (publish.end.reason, publish.end.message) == (failed.reason, failed.message)


@pytest.mark.parametrize(
    ("ends", "reason"),
    [(ALL, "AllBlocksMeasured"), (("Invalid",), "TestbedFailed")],
    ids=["measured", "exhausted"],
)
def test_a_testbed_that_fails_once_its_cell_is_measured_costs_nothing(
    ends: tuple[str, ...], reason: str
) -> None:
    of = a_campaign(blocks={"min": 1, "maxReplacements": 0})
    beds = the_testbeds(of)
    name, broken = next(iter(beds.items()))
    beds[name] = objects.testbed(with_status(broken.body, {"Failed": ("True", 9.0)}))
    decision = decide(of, saw(of, *ends, testbeds=beds))
    assert (name in deleted(decision)) == (ends == ALL)
    ended = decide(of, saw(of, *ends, testbeds=beds, verdict="Overhead"))
    assert status_of(ended, "Ready")[1] == ("Complete" if ends == ALL else "Failed")
    assert reason in {fact.reason for fact in ended.status.conditions}


@pytest.mark.parametrize("ends", [(), (None,), ("Succeeded", None)])
def test_past_its_deadline_it_stops_everything(ends: tuple[str | None, ...]) -> None:
    of = a_campaign(activeDeadlineSeconds=599)
    decision = decide(of, saw(of, *ends))
    assert made(decision) == []
    assert len(deleted(decision)) == 3
    same = decide(of, saw(of, *ends, absences=absent(300)))
    assert deleted(same) == deleted(decision), "that deadline goes by the clock"
    ended = decide(of, saw(of, "Succeeded", testbeds={}, verdict="Overhead"))
    assert status_of(ended, "Failed") == ("True", "DeadlineExceeded")


def test_a_deadline_that_passes_after_the_last_block_costs_nothing() -> None:
    of = a_campaign(activeDeadlineSeconds=599)
    last = saw(of, trials=the_trials(of, *ALL[1:], None, running=PROVEN))
    assert deleted(decide(of, last)) == [], "its record needs the server"
    running = decide(of, saw(of, *ALL[1:], None))
    assert len(deleted(running)) == 3
    assert wants(decide(of, saw(of, *ALL)), Publish)
    ended = decide(of, saw(of, *ALL, verdict="Overhead"))
    assert status_of(ended, "Complete") == ("True", "AllBlocksMeasured")
    lost = decide(of, saw(of, *ALL[1:], "Invalid", testbeds={}, verdict="Overhead"))
    assert status_of(lost, "Failed") == ("True", "DeadlineExceeded")


def test_a_deadline_is_not_why_a_cell_was_given_up() -> None:
    of = a_campaign(activeDeadlineSeconds=599)
    beds = the_testbeds(of)
    name, broken = next(iter(beds.items()))
    beds[name] = objects.testbed(with_status(broken.body, {"Failed": ("True", 9.0)}))
    decision = decide(of, saw(of, testbeds=beds))
    assert wants(decision, Publish)
    assert name not in deleted(decision), "it stays to be looked at"
    ended = decide(of, saw(of, testbeds=beds, verdict="Overhead"))
    assert status_of(ended, "Failed") == ("True", "TestbedFailed")


def test_past_its_deadline_what_is_proven_still_gets_its_record() -> None:
    of = a_campaign(activeDeadlineSeconds=599)
    trials = the_trials(of, None, running=PROVEN)
    (bed,) = (one.spec.testbed_ref.name for one in trials.values())
    stopped = decide(of, saw(of, trials=trials))
    assert set(deleted(stopped)) == the_testbeds(of).keys() - {bed}
    left = {bed: the_testbeds(of)[bed]}
    reports = decide(of, saw(of, "Succeeded", testbeds=left))
    assert deleted(reports) == [bed]
    assert wants(reports, Publish)


def test_after_the_end_only_time_to_live_matters() -> None:
    of = a_campaign({**ACCEPTED, "Complete": ("True", 50.0)})
    told = {"completion_time": ago(50), "report_ref": "study"}
    ended = replace(of, status=of.status.model_copy(update=told))
    seen = saw(of, "Succeeded", "Invalid", "Failed", "Succeeded")
    assert decide(ended, seen).effects == (SetFinalizers(()),), "first it is let go"
    ended = replace(ended, finalizers=())
    quiet = decide(ended, seen)
    assert (quiet.effects, quiet.requeue) == ((), None)
    for ttl, left, gone in ((86_400, 3600.0, 0), (60, 10.0, 0), (49, 0.0, 2)):
        spec = ended.spec.model_copy(update={"ttl_seconds_after_finished": ttl})
        decision = decide(replace(ended, spec=spec), seen)
        assert (decision.requeue, len(deleted(decision))) == (left, gone)
    over = replace(ended, spec=spec)
    for is_cleared in (False, True):
        decision = decide(over, CampaignSeen(NOW, None, {}, {}, is_cleared=is_cleared))
        assert (decision.requeue, decision.effects) == (None, ())
        assert is_true(decision.status.conditions, "Cleared") == is_cleared
    cleared = replace(over, status=decision.status)
    again = decide(cleared, CampaignSeen(NOW, None, {}, {}))
    assert again.status == cleared.status
    spec = ended.spec.model_copy(update={"ttl_seconds_after_finished": 49})
    status = ended.status.model_copy(update={"report_ref": None})
    without = decide(replace(ended, spec=spec, status=status), seen)
    assert (without.requeue, without.effects) == (None, ()), "they name what is in the bucket"


def test_it_claims_its_finalizer_before_its_plan_is_frozen() -> None:
    of = replace(a_campaign({}, resolved=False), finalizers=("other",))
    seen = CampaignSeen(NOW, Resolution(RESOLVED, (), ()), {}, {}, installation="here")
    decision = decide(of, seen)
    claimed = SetFinalizers(("other", FINALIZER), {labels.OPERATOR: "here"})
    assert decision.effects == (claimed,)
    assert decision.status == of.status


def test_trials_keep_the_names_that_their_campaign_was_accepted_with() -> None:
    """Those of an interleaved block name each other, and may be made by two operators."""
    night = "nightly-orders-db-encryption-overhead-2026-11-28"
    new = replace(a_campaign({}, resolved=False), name=night)
    frozen = decide(new, CampaignSeen(NOW, Resolution(RESOLVED, (), ()), {}, {})).status
    assert frozen.resolved is not None
    cell = the_cell(new)
    first = plan.next_trial(new.spec, cell, []).next_trial
    assert first is not None
    earlier = frozen.model_copy(update={"name_digits": None})
    for status, digits in ((frozen, 16), (earlier, 8)):
        name = children.trial_name(replace(new, status=status), first)
        assert len(name.rpartition("-")[2]) == digits


def test_once_taken_off_its_finalizer_is_not_claimed_again() -> None:
    of = replace(a_campaign(), finalizers=())
    assert not wants(decide(of, saw(of)), SetFinalizers)


def test_a_deleted_one_goes_once_nothing_can_be_uploaded_any_more() -> None:
    of = replace(a_campaign(), deleting=True, finalizers=("other", FINALIZER))

    def left(seconds: float, **fields: Any) -> CampaignDecision:
        of.body["metadata"]["deletionTimestamp"] = ago(seconds)
        return decide(of, saw(of, None, **fields))

    waits = left(299, at_work=("run-0",))
    assert len(deleted(waits)) == 4
    assert not wants(waits, SetFinalizers)
    assert waits.status.step == "deleted; waiting at most 300 s for the end of run-0"
    cleans = left(299)
    assert cleans.effects[-1] == RemoveUnfinished()
    assert not wants(cleans, SetFinalizers), "only when that has come about"
    waits_for = "deleted; waiting at most 300 s for the store, to remove what is unfinished"
    assert cleans.status.step == waits_for
    assert left(299, away="the store is away").status.step == f"{waits_for}: the store is away"
    assert left(299, found=CampaignFound(is_clean=True)).effects[-1] == SetFinalizers(("other",))
    late = left(301, at_work=("run-0",)).effects
    assert late == (SetFinalizers(("other",)), RemoveIfThere())
    of = replace(of, finalizers=("other",))
    assert decide(of, saw(of)).effects == ()


def test_of_a_deleted_namespace_the_last_upload_is_waited_for() -> None:
    """What a client stores after the finalizer is gone would stay in the bucket."""
    of = replace(a_campaign(), deleting=True)
    runs = of.status.progress.model_copy(update={"active": 1})
    running = replace(of, status=of.status.model_copy(update={"progress": runs}))
    of.body["metadata"]["deletionTimestamp"] = ago(1)
    seen = CampaignSeen(NOW, None, {}, {}, is_blind=True)
    gone = (SetFinalizers(()), RemoveIfThere())
    waits = decide(running, seen)
    assert (waits.effects, waits.requeue) == ((), CLIENT_GRACE - 1)
    over = replace(seen, now=NOW + timedelta(seconds=CLIENT_GRACE))
    assert decide(running, over).effects == gone
    assert decide(of, seen).effects == gone, "none of its clients runs"
