"""How a campaign ends: complete, given up, past its deadline, deleted."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.admission import gather
from encbench.api.conditions import find, is_true
from encbench.api.kinds import TRIAL
from encbench.core import plan
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.cleanup import CLIENT_GRACE, FINALIZER
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.decision import CampaignDecision
from encbench.reconcile.campaign.facts import CampaignFound, CampaignSeen
from encbench.reconcile.campaign.resolve import Resolution
from encbench.reconcile.effects.effect import (
    Publish,
    RemoveIfThere,
    RemoveUnfinished,
    SetFinalizers,
)
from tests.support import manifests
from tests.unit.reconcile import campaigns
from tests.unit.reconcile.campaigns import (
    ACCEPTED,
    ALL,
    PROVEN,
    RESOLVED,
    a_campaign,
    deleted,
    in_short,
    made,
    saw,
    the_cell,
    the_testbeds,
    the_trials,
)
from tests.unit.reconcile.seen import NOW, absent, ago, status_of, wants, with_status


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
    of = a_campaign({**ACCEPTED, "Reported": ("False", 5.0)})
    seen = saw(
        of, *["Succeeded"] * 3, testbeds={}, found=CampaignFound(problem="the store is away")
    )
    decision = decide(of, seen)
    found = find(decision.status.conditions, "Reported")
    assert found is not None
    assert found.message == "the store is away"


def test_why_an_earlier_report_is_late_is_none_of_the_next_ones() -> None:
    of = a_campaign()
    seen = saw(of, *ALL, testbeds={}, found=CampaignFound(problem="the store is away"))
    decision = decide(of, seen)
    found = find(decision.status.conditions, "Reported")
    assert found is not None
    assert found.message == "the report is being rendered"
    assert status_of(decision, "Hindered") == ("", "")


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
    resolved = gather.frozen(RESOLVED.instances, RESOLVED.modes, {"oltp": alone}, {})
    monkeypatch.setattr(campaigns, "RESOLVED", resolved)
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
