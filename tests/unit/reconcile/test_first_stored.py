"""A trial's own objects: what is written and read, and how long that may take."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.lifecycle import IN_FORCE
from encbench.api.trial import Window
from encbench.core.artefact import decode, encode
from encbench.core.evidence import TrialProofsRecord
from encbench.core.records import MetricsRecord, SlotsRecord
from encbench.ports import NotLeading
from encbench.proofs.check import joined
from encbench.reconcile.trial import first_stored, windowed
from encbench.reconcile.trial.facts import TrialFound
from encbench.reconcile.trial.first_stored import keep, key_of, settle, settled
from encbench.reconcile.trial.gather import _proofs
from tests.support.fake_store import FakeStore
from tests.unit.reconcile.seen import PROVEN, a_trial
from tests.unit.reconcile.world import World, parts, study

METRICS = MetricsRecord(window=Window(start=10.0, end=20.0), series={"x": ((10.0, 1.0),)})


@pytest.fixture(name="threads")
def where_it_is_done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done in this order, and whether in the event loop."""
    done: list[str] = []

    def noting(module: Any, name: str) -> None:
        work: Callable[..., Any] = getattr(module, name)

        def noted(*args: Any) -> Any:
            is_loop = threading.current_thread() is threading.main_thread()
            done.append(f"{name} in the event loop" if is_loop else name)
            return work(*args)

        monkeypatch.setattr(module, name, noted)

    noting(first_stored, "encode")
    noting(first_stored, "decode")
    noting(windowed, "judge")
    return done


async def test_records_are_written_and_read_beside_the_event_loop(threads: list[str]) -> None:
    store = FakeStore()
    stored = await settle(store, a_trial(), "metrics.json", METRICS)
    assert stored[0] == METRICS
    assert await settled(store, a_trial(), "metrics.json", MetricsRecord) == stored
    assert threads == ["encode", "decode", "decode"]


def test_the_readings_of_a_long_block_are_not_copied_to_be_stored() -> None:
    answer: dict[str, Any] = {"rows": [], "error": None}
    record = SlotsRecord(answer=answer)
    assert record.to_dict()["answer"] is answer
    assert record.to_dict() == record.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert decode(SlotsRecord, encode(record), "slots.json") == record


async def test_so_are_the_series_of_a_trial_judged(threads: list[str]) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert set(threads) == {"encode", "decode", "judge"}


async def test_a_store_that_does_not_answer_holds_up_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, proof = FakeStore(), TrialProofsRecord(before=PROVEN)

    async def hangs(*_: Any) -> None:
        await asyncio.sleep(600)

    monkeypatch.setattr(store, "put_if_absent", hangs)
    monkeypatch.setattr(first_stored, "AT_ONCE", 0.01)
    assert await keep(store, a_trial(), "proof-before.json", proof) is proof


async def test_a_process_that_does_not_lead_keeps_nothing_in_memory() -> None:
    """It tries again: in memory alone, a proof's evidence would end with the process."""
    leads, proof = [False], TrialProofsRecord(before=PROVEN)
    store = FakeStore()
    store.may_write = lambda: leads[0]
    with pytest.raises(NotLeading):
        await keep(store, a_trial(), "proof-before.json", proof)
    leads[0] = True
    assert await keep(store, a_trial(), "proof-before.json", proof) == proof
    assert set(store.objects) == {key_of(a_trial(), "proof-before.json")}


async def test_of_two_proofs_the_first_one_counts() -> None:
    store, first = FakeStore(), TrialProofsRecord(before=PROVEN)
    other = TrialProofsRecord(before=PROVEN.model_copy(update={"summary": "again"}))
    assert await keep(store, a_trial(), "proof-before.json", first) == first
    assert await keep(store, a_trial(), "proof-before.json", other) == first
    assert set(store.objects) == {key_of(a_trial(), "proof-before.json")}


async def test_a_proof_keeps_its_evidence_when_the_operator_that_made_it_is_gone() -> None:
    """Its condition says only what came of it."""
    world = World()
    trial = a_trial({"ProvenBefore": ("True", 9.0)})
    made = PROVEN.model_copy(update={"evidence": {"cipher": "AES"}})
    await keep(world.store, trial, "proof-before.json", TrialProofsRecord(before=made))
    assert (await _proofs(world.deps, trial, TrialFound())).before == made


async def test_a_proof_that_was_never_stored_says_that_its_evidence_is_lost() -> None:
    trial = a_trial({"ProvenBefore": ("True", 9.0)})
    status = trial.status.conditions
    kept = [c.model_copy(update={"reason": IN_FORCE}) for c in status]
    trial = replace(trial, status=trial.status.model_copy(update={"conditions": kept}))
    found = (await _proofs(World().deps, trial, TrialFound())).before
    assert found is not None
    assert (found.ok, found.evidence_lost) == (True, True)
    assert joined(found, PROVEN).evidence_lost
    assert PROVEN.evidence_lost is None
