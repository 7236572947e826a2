"""kopf's side: what an event of a watch costs before the loop hears of it."""

import copy
from typing import Any

import pytest

from encbench.__main__ import kopf_settings
from encbench.handlers import NothingHandled


def test_no_object_of_an_event_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kopf builds the essence of every event's object, and has each storage clear it."""
    copied: list[Any] = []
    whole = copy.deepcopy

    def counted(value: Any, memo: Any = None) -> Any:
        copied.append(value)
        return whole(value, memo)

    monkeypatch.setattr(copy, "deepcopy", counted)
    settings = kopf_settings()
    storage = settings.persistence.diffbase_storage
    body: Any = {"metadata": {"name": "a"}, "spec": {"whole": ["spec"]}, "status": {}}
    built = storage.build(body=body, extra_fields=set())
    cleared = settings.persistence.progress_storage.clear(essence=built)
    assert isinstance(storage, NothingHandled)
    assert storage.fetch(body=body) is None
    assert not cleared
    assert all(not value for value in copied)
