"""For all tests of the reconcilers."""

import marshal
from types import SimpleNamespace

import pytest

from tests.support import fake_cluster


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the HTML page out, which takes seconds; everything else of a report is rendered."""
    monkeypatch.setattr("encbench.report.render.page", lambda report: "<html></html>")


@pytest.fixture(autouse=True)
def _quick_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the time of these tests would go into copying objects, which are JSON."""
    quick = SimpleNamespace(deepcopy=lambda value: marshal.loads(marshal.dumps(value)))  # noqa: S302
    monkeypatch.setattr(fake_cluster, "copy", quick)
