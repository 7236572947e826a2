"""Folders of a test's own in place of the cluster's."""

from pathlib import Path

import pytest

from tests.cluster.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """Nothing is in them yet."""
    return Layout(repo=tmp_path / "repo", cache=tmp_path / "cache", state=tmp_path / "state")
