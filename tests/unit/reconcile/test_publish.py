"""What the index of a report names, and in which order."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import LostSet
from encbench.core.artefact import RecordError, digest_of, encode
from encbench.core.naming import INDEX, storage_prefix
from encbench.core.records import (
    MEASURED,
    CampaignEnd,
    CampaignId,
    IndexEarlier,
    IndexRecord,
    IndexStorage,
)
from encbench.ports import Unavailable
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.ledger import LedgerLine, line
from encbench.reconcile.campaign.publish import _earlier, _entry, _sets, _when
from encbench.reconcile.effects import campaign as effects
from encbench.reconcile.effects.effect import Publish
from encbench.reconcile.objects import Campaign
from tests.unit.reconcile.campaigns import RESOLVED, a_campaign, the_cell
from tests.unit.reconcile.seen import NOW, a_trial, ago
from tests.unit.reconcile.world import World


def ended(name: str, created: float, released: float | None = None) -> LedgerLine:
    """A trial that was created, and maybe released, so many seconds ago."""
    trial = replace(a_trial(outcome="Failed"), name=name, created=ago(created))
    at = None if released is None else NOW.timestamp() - released
    return replace(line(trial), release_at=at)


def test_a_trial_that_never_ran_stands_where_it_was_created() -> None:
    first, never, last = ended("c", 300, 290), ended("b", 200), ended("a", 100, 90)
    assert sorted([last, never, first], key=_when) == [first, never, last]


def test_a_set_is_lost_by_its_own_cell_alone() -> None:
    of = a_campaign()
    cell = the_cell(of)
    plan = CellPlan(of, RESOLVED, cell)

    def lost(name: str) -> list[LostSet]:
        return [LostSet(cell=name, generation=1, message="its node is gone", time=ago(9))]

    assert list(_sets(plan, [], lost(cell.name))) == [1, 2]
    assert list(_sets(plan, [], lost("another"))) == [1]


@pytest.mark.parametrize("key", [None, "trials/uid/trial.json"])
def test_of_a_trial_without_a_record_the_index_says_why_it_ended(key: str | None) -> None:
    why = "log is not what was archived"
    trial = a_trial(outcome="Invalid")
    digest = None if key is None else digest_of(b"record")
    own = {"message": why, "artefact_key": key, "artefact_digest": digest}
    found = _entry(line(replace(trial, status=trial.status.model_copy(update=own))))
    assert found.message == (why if key is None else None)


def an_earlier_index(name: str) -> tuple[World, Campaign, IndexRecord, IndexEarlier]:
    """Of a campaign of that name, where the follow-up of `more` looks for it."""
    world = World()
    first = IndexEarlier(
        campaign=CampaignId(name="study", uid="uid-1", namespace="ns"),
        key="ns/study/report/index.json",
        digest=digest_of(b"the first"),
    )
    again = IndexRecord(
        campaign=CampaignId(name=name, uid="uid-2", namespace="ns"),
        spec=a_campaign().spec,
        resolved=RESOLVED,
        storage=IndexStorage(bucket="bucket", prefix="ns/more"),
        cells=(),
        extends=(first,),
        generated_time=ago(60),
    )
    key = f"{storage_prefix('ns', 'more', 'uid-2')}/{INDEX}"
    world.store.objects[key] = encode(again)
    own = IndexEarlier(campaign=again.campaign, key=key, digest=digest_of(encode(again)))
    of = a_campaign(extends={"name": "more", "uid": "uid-2", "planDigest": digest_of(b"plan")})
    return world, of, again, own


def accepted(of: Campaign, index: bytes) -> Campaign:
    """It, with that index as the earlier campaign's at its acceptance."""
    status = of.status.model_copy(update={"extended_index": digest_of(index)})
    return replace(of, status=status)


async def test_of_several_follow_ups_the_last_one_continues_all_before_it() -> None:
    world, of, again, own = an_earlier_index("more")
    assert await _earlier(world.deps, of) == (*again.extends, own)
    assert await _earlier(world.deps, accepted(of, encode(again))) == (*again.extends, own)


async def test_an_earlier_index_that_was_altered_since_is_refused() -> None:
    world, of, _, own = an_earlier_index("more")
    with pytest.raises(RecordError, match=f"{own.key} is not what was archived"):
        await _earlier(world.deps, accepted(of, b"as it was"))


async def test_an_index_of_another_campaign_is_refused() -> None:
    world, of, _, own = an_earlier_index("other")
    with pytest.raises(RecordError, match=f"{own.key} is of campaign other with UID uid-2, not of"):
        await _earlier(world.deps, of)


@pytest.mark.parametrize("stored", [True, False])
async def test_a_process_knows_that_it_has_begun_a_report(
    stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even once it is there, or why it was not: the next pass may not have seen it yet."""

    async def published(*_: Any) -> None:
        if not stored:
            raise Unavailable("the store is away")

    monkeypatch.setattr(effects, "publish", published)
    of, own = a_campaign(), effects.CampaignEffects(World().deps)
    order = Publish(of.status, (), NOW, CampaignEnd(reason=MEASURED, message="measured"))
    own.begin(of, order)
    assert own.found(of).has_begun
    assert await own.perform(of, order) == stored
    assert own.found(of).has_begun == stored
    own.begin(of, order)
    assert own.found(of).has_begun
    assert own.found(of).problem == ("" if stored else "the store is away")
