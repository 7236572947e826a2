"""A trial's own objects in the bucket: the first that is stored counts, whoever stored it.

Every figure is computed from what lies there. So a pass that is repeated after a crash, or a second
operator, comes to the same record, and nothing that a record names is ever replaced.

Records are written and read in threads: the series of a day are seconds of work, in which the event
loop could release no clients.
"""

import asyncio
from typing import TypeVar

from encbench.core.artefact import Record, decode, digest_of, encode
from encbench.core.naming import trial_prefix
from encbench.ports import Conflict, NotLeading, Store, Unavailable
from encbench.reconcile.objects import Trial

JSON = "application/json"
AT_ONCE = 5.0
"""Seconds for a store to take what a trial goes on without. A database idles meanwhile."""
R = TypeVar("R", bound=Record)


def key_of(trial: Trial, name: str) -> str:
    """Key in the bucket of one of the trial's objects."""
    return f"{trial_prefix(trial.spec.storage_prefix, trial.uid)}/{name}"


async def settle(store: Store, trial: Trial, name: str, record: R) -> tuple[R, str]:
    """Store the record unless there is one; the one that counts, with its digest."""
    content = await asyncio.to_thread(encode, record)
    return await settle_content(store, trial, name, type(record), content)


async def settle_content(
    store: Store, trial: Trial, name: str, kind: type[R], content: bytes
) -> tuple[R, str]:
    """The same of an encoded record, which may be too large to be there twice."""
    key = key_of(trial, name)
    try:
        await store.put_if_absent(key, content, JSON)
    except Conflict:
        content = await store.get(key) or content
    return await asyncio.to_thread(_read, kind, content, key)


async def keep(store: Store, trial: Trial, name: str, record: R) -> R:
    """The record that counts, or this one while the store is away, or does not answer at once.

    What it says goes into the trial's own record too. If the operator dies before that, the
    evidence is lost and the verdict stays in the conditions: the record says so then. NotLeading
    where the store is there and this process does not lead: nothing would try again to store it.
    """
    try:
        async with asyncio.timeout(AT_ONCE):
            return (await settle(store, trial, name, record))[0]
    except NotLeading:
        raise
    except (Unavailable, TimeoutError):
        return record


async def settled(store: Store, trial: Trial, name: str, kind: type[R]) -> tuple[R, str] | None:
    """The record that is there, with its digest."""
    key = key_of(trial, name)
    content = await store.get(key)
    return None if content is None else await asyncio.to_thread(_read, kind, content, key)


def _read(kind: type[R], content: bytes, key: str) -> tuple[R, str]:
    return decode(kind, content, key), digest_of(content)
