"""For all tests of the reconcilers."""

import pytest


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the HTML page out, which takes seconds; everything else of a report is rendered."""
    monkeypatch.setattr("encbench.report.render.page", lambda report: "<html></html>")
