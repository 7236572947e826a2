"""The full proof of a testbed in the bucket: the first that is stored counts, as with a trial's.

Trials name it by its digest, and each attempt to make it has a marker of its own. So a process that
was held up, and comes with another proof once trials rest on the first one, must not replace it.
"""

import asyncio

from encbench.core.artefact import RecordError, decode, digest_of, encode
from encbench.core.evidence import ProofRecord
from encbench.ports import Conflict, Store
from encbench.reconcile.testbed.facts import FullProof

JSON = "application/json"


async def stored(store: Store, key: str, uid: str) -> FullProof | None:
    """The proof of that very Testbed, if the store has it. Unavailable or Rejected as it says it.

    One that was deleted may have left its own under this name.
    """
    content = await store.get(key)
    if content is None:
        return None
    try:
        record = await asyncio.to_thread(decode, ProofRecord, content, key)
    except RecordError:
        return None
    return FullProof(record.proof, digest_of(content)) if record.uid == uid else None


async def settle(store: Store, key: str, record: ProofRecord) -> FullProof:
    """Store the proof unless there is one of its Testbed; the one that counts.

    No trial rests on one of another Testbed: where trials ran on one that is gone, the next one has
    another name (`campaign.losses`).
    """
    content = await asyncio.to_thread(encode, record)
    try:
        await store.put_if_absent(key, content, JSON)
    except Conflict:
        there = await stored(store, key, record.uid or "")
        if there is not None:
            return there
        await store.put(key, content, JSON)
    return FullProof(record.proof, digest_of(content))
