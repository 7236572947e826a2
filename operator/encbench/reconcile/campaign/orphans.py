"""Records of trials whose Trials were deleted: they are in the bucket, and no ledger has them.

Anyone who may delete a Trial can discard its result: the operator notices that it is missing, and
measures it again. The record stays, so the report can name it.
"""

from collections.abc import Sequence

from encbench.core.artefact import RecordError, decode, digest_of
from encbench.core.naming import trial_prefix
from encbench.core.records import IndexOrphan, TrialRecord
from encbench.ports import Store
from encbench.reconcile.campaign.ledger import LedgerLine


async def orphans(
    store: Store, prefix: str, ran: Sequence[LedgerLine]
) -> tuple[IndexOrphan, ...] | None:
    """The records below the prefix that are of none of these trials; None where there are none.

    Unavailable or Rejected as the store says it.
    """
    own = {f"{trial_prefix(prefix, trial.uid)}/trial.json" for trial in ran}
    keys = await store.list(f"{prefix}/trials/")
    left = [key for key in keys if key.endswith("/trial.json") and key not in own]
    found = [(key, await store.get(key)) for key in left]
    return tuple(_orphan(key, content) for key, content in found if content is not None) or None


def _orphan(key: str, content: bytes) -> IndexOrphan:
    one = IndexOrphan(key=key, digest=digest_of(content))
    try:
        record = decode(TrialRecord, content, key)
    except RecordError:
        return one
    return one.model_copy(update={"name": record.trial.name, "outcome": record.outcome})
