"""The ledger of a campaign: what it takes in, when it is filled, and that nothing falls through."""

import copy
from dataclasses import replace

import pytest

from encbench.api.kinds import TRIAL
from encbench.kube.labels import ACTIVE
from encbench.reconcile.campaign.catchup import AGAIN
from encbench.reconcile.campaign.cleanup import remove_unfinished
from encbench.reconcile.campaign.ledger import Ledger
from encbench.reconcile.campaign.pace import Between, gaps
from tests.unit.reconcile.campaigns import a_campaign
from tests.unit.reconcile.ledgers import in_the_middle, ledger_of
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.seen import a_trial
from tests.unit.reconcile.world import SPACE


async def test_trials_enter_it_as_they_retire() -> None:
    world = await in_the_middle()
    await world.settle(5)
    over = {t.name for t in world.trials() if ACTIVE not in t.labels}
    assert len(over) >= 3
    assert ledger_of(world).lines.keys() == over
    lists = [call for call in world.cluster.calls if (call.verb, call.kind) == ("list", TRIAL)]
    assert len(lists) < 10, "it is not listed in every pass"


async def test_a_new_process_fills_it_and_goes_on_where_the_last_one_was() -> None:
    world = await in_the_middle()
    world.restart()
    await world.run(world.ended)
    await world.settle()
    assert_sound(world)
    assert len(world.trials()) == 6


async def test_a_trial_that_comes_and_goes_between_two_passes_is_not_missed() -> None:
    world = await in_the_middle()
    ledger = ledger_of(world)
    missed = next(t for t in world.trials() if t.name in ledger.lines)
    # As if it had retired before the campaign was looked at again.
    line = ledger.lines.pop(missed.name)
    ledger.awaited.add(missed.name)
    await world.settle(20)
    assert ledger.lines[missed.name] == line


async def test_a_deleted_trial_is_measured_again_once_that_is_noticed() -> None:
    world = await in_the_middle()
    gone = next(name for name in sorted(ledger_of(world).lines))
    world.cluster.remove(TRIAL, SPACE, gone)
    ledger = ledger_of(world)
    assert ledger.filled is not None
    ledger.filled -= AGAIN
    await world.run(world.ended)
    assert world.cluster.created[TRIAL.kind, gone] == 2
    assert len(world.trials()) == 6


async def test_what_a_deleted_trial_left_unfinished_goes_before_the_report() -> None:
    world = await in_the_middle()
    prefix = f"{world.campaign().status.storage_prefix}/trials"
    for folder in ("one", "other"):
        world.store.objects[f"{prefix}/{folder}/client-0/output.log"] = b"half"
    world.store.objects[f"{prefix}/other/trial.json"] = b"{}"

    def folders() -> set[str]:
        own = [key for key in world.store.objects if key.startswith(prefix)]
        return {key.removeprefix(f"{prefix}/").split("/")[0] for key in own}

    await world.run(world.ended)
    uids = {trial.uid for trial in world.trials()}
    assert folders() == uids | {"other"}, "a record counts"
    del world.store.objects[f"{prefix}/other/trial.json"]
    await remove_unfinished(world.store, world.campaign(), {"other"})
    assert "other" in folders(), "so does a Trial"


async def test_trials_of_an_earlier_campaign_of_that_name_never_enter_it() -> None:
    """They stay for a while, or for good where they were orphaned."""
    world = await in_the_middle()
    ledger = ledger_of(world)
    known = set(ledger.lines)
    body = copy.deepcopy(world.cluster.one(TRIAL, SPACE, min(known)))
    body["metadata"] |= {"name": "of-an-earlier-one", "uid": "its-own"}
    body["metadata"]["ownerReferences"][0]["uid"] = "an-earlier-one"
    body["metadata"].pop("resourceVersion")
    world.cluster.add(TRIAL, body)
    assert ledger.filled is not None
    ledger.filled -= AGAIN
    await world.settle(20)
    assert known <= ledger.lines.keys()
    assert "of-an-earlier-one" not in ledger.lines


async def test_of_a_campaign_that_is_over_nothing_is_kept_or_read() -> None:
    world = await in_the_middle()
    await world.run(world.ended)
    await world.settle(30)
    calls = len(world.cluster.calls)
    await world.settle(600)
    asked = [(c.verb, c.kind.kind) for c in world.cluster.calls[calls:] if c.name != ""]
    assert asked == []
    effects = world.operators[0].loop._reconcilers[world.campaign().kind].effects  # type: ignore[attr-defined]
    assert effects._ledgers == {}


def test_a_line_is_entered_once() -> None:
    ledger, trial = Ledger(), a_trial(outcome="Succeeded", releaseAt=1000.0)
    ledger.add(trial)
    ledger.add(trial)
    assert ledger.outcomes == {"Succeeded": 1}
    assert len(ledger.starts(trial.spec.cell)) == 1
    assert not ledger.starts("another cell")


@pytest.mark.parametrize(("each", "whole"), [(40, 120), (150, 150)])
def test_the_pace_is_that_of_the_last_block_numbers(each: int, whole: int) -> None:
    """With many conditions 100 trials are a part of one, which need not have a restore."""
    ledger, usual, at = Ledger(), a_trial(outcome="Succeeded"), 10_000.0
    for number in range(2 * whole):
        block, place = divmod(number, each)
        at += 80 + (1200 if place < 3 else 0)
        spec = usual.spec.model_copy(update={"block": 1 + block, "concurrency": 1 + place // 3})
        status = usual.status.model_copy(update={"release_at": at})
        ledger.add(replace(usual, name=f"run-{number}", spec=spec, status=status))
    starts = ledger.starts(usual.spec.cell)
    assert list(starts) == sorted(starts)
    assert starts[-1].at == at
    assert len(starts) == whole + 1
    of = a_campaign(reset="block")
    restoring = Between(gaps(starts, of.spec)).restoring(usual.spec.cell, in_turns=False)
    assert restoring == pytest.approx(1200)
