"""Reading what clients stored, of which nothing is trusted: neither its size nor its lines."""

import json

import pytest

from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import collect as module
from encbench.reconcile.trial.collect import client_key, collect
from encbench.reconcile.trial.facts import Collected, TrialSeen
from encbench.wire.files import FILES, OUTPUT, SERIES, SUMMARY
from tests.support.fake_store import FakeStore
from tests.unit.reconcile.seen import NOW, a_trial

BARE = json.dumps({"schema": "encbench.io/client-summary/v1", "tool": "sysbench"}).encode()


async def collected(trial: Trial, store: FakeStore) -> Collected:
    return await collect(store, trial, TrialSeen(NOW, testbed=None, database=None, job=None))


def stored(trial: Trial, **content: bytes) -> FakeStore:
    """A store with the files of one client; `output`, `series` and `summary` replace theirs."""
    usual = {OUTPUT: b"nothing\n", SERIES: b"", SUMMARY: BARE}
    usual |= {name: content.get(name.partition(".")[0], usual[name]) for name in FILES}
    return FakeStore(objects={client_key(trial, 0, name): usual[name] for name in FILES})


@pytest.mark.parametrize("name", FILES)
async def test_a_file_that_is_too_large_is_not_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 1000)
    monkeypatch.setattr(module, "LARGEST_JSON", {})
    trial = a_trial()
    found = await collected(trial, stored(trial, **{name.partition(".")[0]: b"x" * 1001}))
    assert found.too_large == f"{client_key(trial, 0, name)} has 1,001 bytes, more than 1,000"
    assert found.measurement is None


async def test_a_summary_that_would_grow_in_memory_is_not_read() -> None:
    trial = a_trial()
    found = await collected(trial, stored(trial, summary=b"[" + b"{}," * 2**15 + b"0]"))
    assert found.too_large == f"{client_key(trial, 0, SUMMARY)} has 98,307 bytes, more than 65,536"


async def test_a_log_of_very_many_lines_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)
    trial = a_trial()
    found = await collected(trial, stored(trial, output=b"event\n" * 11))
    assert found.too_large == f"{client_key(trial, 0, OUTPUT)} has 11 lines, more than 10"
    assert set(found.artefacts) == {f"client-0/{name}" for name in FILES}


async def test_backspaces_that_only_overwrite_are_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)
    trial = a_trial()
    status = b"Running Average" + b"\b" * 15
    assert not (await collected(trial, stored(trial, output=status * 10))).too_large
    assert (await collected(trial, stored(trial, output=status * 11))).too_large
