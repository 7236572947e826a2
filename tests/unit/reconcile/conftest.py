"""For all tests of the reconcilers."""

import functools
import marshal
from types import SimpleNamespace
from typing import Any

import pytest

from encbench.api.base import Model
from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find
from encbench.api.lifecycle import CAMPAIGN_LIFE, TESTBED_LIFE, TRIAL_LIFE
from encbench.api.testbed import TestbedStatus
from encbench.api.trial import TrialStatus
from encbench.kube import parsing
from encbench.reconcile import objects
from encbench.reconcile.draft import Draft
from tests.support import fake_cluster


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the HTML page out, which takes seconds; everything else of a report is rendered."""
    monkeypatch.setattr("encbench.report.formats.render.page", lambda report: "<html></html>")


@pytest.fixture(autouse=True)
def _quick_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the time of these tests would go into copying objects, which are JSON."""
    quick = SimpleNamespace(deepcopy=lambda value: marshal.loads(marshal.dumps(value, 2)))  # noqa: S302
    monkeypatch.setattr(fake_cluster, "copy", quick)


@pytest.fixture(autouse=True)
def _parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of what is left would go into parsing what did not change; models are frozen."""
    monkeypatch.setattr(parsing, "parse", _parsed)
    monkeypatch.setattr(objects, "parse", _parsed)


@pytest.fixture(autouse=True)
def _known_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No decision may state a condition, or give a reason, that the tables do not know."""
    usual = Draft.condition

    def condition(
        draft: Draft[Any, Any, Any], kind: str, status: bool | None, reason: str, message: str = ""
    ) -> None:
        usual(draft, kind, status, reason, message)
        set_now = find(draft.status.conditions, kind)
        assert set_now is not None
        assert (kind, set_now.status, reason) in KNOWN[type(draft.status)]

    monkeypatch.setattr(Draft, "condition", condition)


KNOWN = {
    model: {
        (one.name, status, reason) for one in life.conditions for status, reason, _ in one.reasons()
    }
    for model, life in (
        (CampaignStatus, CAMPAIGN_LIFE),
        (TestbedStatus, TESTBED_LIFE),
        (TrialStatus, TRIAL_LIFE),
    )
}


_parse = parsing.parse


def _parsed(model: type[Model], value: Any, where: str, *, strict: bool = False) -> Model:
    return _remembered(model, marshal.dumps(value, 2), where, strict)


@functools.lru_cache(maxsize=2000)
def _remembered(model: type[Model], value: bytes, where: str, strict: bool) -> Model:
    return _parse(model, marshal.loads(value), where, strict=strict)  # noqa: S302 - written above
