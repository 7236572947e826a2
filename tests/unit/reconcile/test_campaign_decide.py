"""What a campaign does next, from what it sees: one step at a time, and when it waits."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.admission import gather
from encbench.api.campaign import Resolved
from encbench.api.conditions import find
from encbench.api.kinds import CAMPAIGN, SECRET, TRIAL
from encbench.core import plan
from encbench.core.problem import Problem, Reason
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.cleanup import FINALIZER
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.decision import CampaignDecision
from encbench.reconcile.campaign.facts import CampaignFound, CampaignSeen
from encbench.reconcile.campaign.ledger import ClientStay, Ledger, line, stay_key
from encbench.reconcile.campaign.resolve import Resolution
from encbench.reconcile.effects.effect import Announce, Create, SetFinalizers
from encbench.reconcile.objects import Testbed, Trial
from tests.support import manifests
from tests.unit.reconcile.campaigns import (
    ALL,
    RESOLVED,
    a_campaign,
    in_short,
    made,
    saw,
    the_testbeds,
    the_trials,
)
from tests.unit.reconcile.seen import NOW, ago, status_of, with_status

WRONG = (
    Problem(SECRET, Reason.NOT_FOUND, "one thing", "key"),
    Problem(CAMPAIGN, Reason.RESET_REQUIRED, "another", "study"),
)


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


def test_a_solo_block_is_named_in_the_step() -> None:
    of = a_campaign(blocks={"min": 1, "solo": 1, "interleave": {"slice": "3s"}})
    trials = the_trials(of, *ALL)
    assert decide(of, saw(of, trials=trials)).status.step.startswith("block solo 1, oltp at ")


def two_cells(
    parallelism: int,
    *places: str,
    clients: str = "",
    ends: Sequence[str | None] = (),
    deleted: int = 0,
    **spec: Any,
) -> CampaignDecision:
    """Of two cells with three trials each; `ends` are those of the second one's first trials.

    So many of these, the first ones, were `deleted`.

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
    for name in [*trials][:deleted]:
        del trials[name]
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


def test_so_does_an_interleaved_block_whose_first_trial_was_deleted() -> None:
    turns = {"min": 4, "perTestbed": 0, "interleave": {"slice": "3s"}}
    decision = two_cells(2, "n0", "n1", clients="n9", ends=[None, None], deleted=1, blocks=turns)
    assert len(made(decision)) == 3 + 2
    assert "waits for node n9" not in (decision.status.step or "")


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
