"""The machine as it was before the first test, whichever test that is."""

from pathlib import Path

import pytest

from tests.e2e.fixtures import installed
from tests.support import machine
from tests.support.install import is_own
from tests.support.kube import down

__all__ = ["installed"]

BEFORE = pytest.StashKey[machine.State]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look at the machine without a cluster, if a test of this folder is to be run."""
    here = Path(__file__).parent
    ours = any(here in item.path.parents for item in session.items)
    if ours and is_own() and not session.config.option.collectonly:
        down()
        session.config.stash[BEFORE] = machine.take()


@pytest.fixture
def before(request: pytest.FixtureRequest) -> machine.State:
    """The machine before the first test."""
    return request.config.stash[BEFORE]
