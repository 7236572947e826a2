"""Trials that were deleted once they had ended: their records stay, and the report says so."""

from encbench.api.kinds import TRIAL
from encbench.core.artefact import decode, digest_of
from encbench.core.records import IndexOrphan, IndexRecord
from encbench.reconcile.campaign.catchup import AGAIN
from encbench.report.document import Report
from tests.unit.reconcile.ledgers import in_the_middle, ledger_of
from tests.unit.reconcile.oracle import report
from tests.unit.reconcile.world import SPACE, World

TITLE = "Trials that ended were deleted"


def published(world: World) -> tuple[IndexRecord, Report]:
    """The index and the report, as the bucket has them."""
    artefacts, objects = report(world).status.artefacts, world.store.objects
    assert artefacts is not None
    index, whole = artefacts.index.key, artefacts.json_.key
    return decode(IndexRecord, objects[index], index), decode(Report, objects[whole], whole)


async def test_a_result_that_was_discarded_is_named() -> None:
    world = await in_the_middle()
    gone = next(t for t in world.trials() if t.name in ledger_of(world).lines)
    key = gone.status.artefact_key
    assert key is not None
    world.cluster.remove(TRIAL, SPACE, gone.name)
    ledger = ledger_of(world)
    assert ledger.filled is not None
    ledger.filled -= AGAIN
    unreadable = f"{world.campaign().status.storage_prefix}/trials/other/trial.json"
    world.store.objects[unreadable] = b"{}"
    await world.run(world.ended)
    index, found = published(world)
    digest = digest_of(world.store.objects[key])
    assert {one.key: one for one in index.orphans or ()} == {
        key: IndexOrphan(key=key, digest=digest, name=gone.name, outcome="Succeeded"),
        unreadable: IndexOrphan(key=unreadable, digest=digest_of(b"{}")),
    }
    (said,) = [one for one in found.caveats if one.title == TITLE]
    assert said.weight == "serious"
    assert said.text.startswith("2 trials ended, and this report leaves the record out")
    assert f"{gone.name} (Succeeded)" in said.text
    assert f"{unreadable} (unreadable)" in said.text
    assert "Measured again, apart in time from the rest of the block: 1." in said.text


async def test_of_a_campaign_of_which_no_trial_was_deleted_nothing_is_said() -> None:
    world = await in_the_middle()
    await world.run(world.ended)
    index, found = published(world)
    assert index.orphans is None
    assert TITLE not in {one.title for one in found.caveats}
