"""A trial's own objects in the bucket: the first that is stored counts, whoever stored it.

Every figure is computed from what lies there. So a pass that is repeated after a crash, or a second
operator, comes to the same record, and nothing that a record names is ever replaced.
"""

from typing import TypeVar

from encbench.core.artefact import Record, decode, digest_of, encode
from encbench.core.naming import trial_prefix
from encbench.ports import Conflict, Store, Unavailable
from encbench.reconcile.objects import Trial

JSON = "application/json"
R = TypeVar("R", bound=Record)


def key_of(trial: Trial, name: str) -> str:
    """Key in the bucket of one of the trial's objects."""
    return f"{trial_prefix(trial.spec.storage_prefix, trial.uid)}/{name}"


async def settle(store: Store, trial: Trial, name: str, record: R) -> tuple[R, str]:
    """Store the record unless there is one; the one that counts, with its digest."""
    key, content = key_of(trial, name), encode(record)
    try:
        await store.put_if_absent(key, content, JSON)
    except Conflict:
        content = await store.get(key) or content
    return decode(type(record), content, key), digest_of(content)


async def keep(store: Store, trial: Trial, name: str, record: R) -> R:
    """The record that counts, or this one while the store is away.

    If the operator dies then, the evidence is lost and the verdict stays in the conditions.
    """
    try:
        return (await settle(store, trial, name, record))[0]
    except Unavailable:
        return record


async def settled(store: Store, trial: Trial, name: str, kind: type[R]) -> tuple[R, str] | None:
    """The record that is there, with its digest."""
    key = key_of(trial, name)
    content = await store.get(key)
    return None if content is None else (decode(kind, content, key), digest_of(content))
