"""What lets workers of pytest-xdist run side by side.

Files are taken in this order: what takes longest comes first, so that no worker is left alone with
a long one in the end. A file stays with one worker, with the servers that its tests share. What
several workers need is made once.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from tests.support import once

LAST = ("volume", "store", "api", "postgresql", "database", "metrics")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        stack = ExitStack()
        stack.enter_context(once.place())
        config.add_cleanup(stack.close)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return LAST.index(folder) + 1 if folder in LAST else 0


@pytest.fixture
def precedence() -> Iterator[None]:
    """What the test starts goes before other workers' tests, for it looks at hundredths of seconds.

    Without root it has to hope.
    """
    with _first():
        yield


@pytest.fixture(scope="module")
def precedence_of_all() -> Iterator[None]:
    """The same for what the tests of a file share: whoever starts that asks for this first."""
    with _first():
        yield


@contextmanager
def _first() -> Iterator[None]:
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, max(-20, usual - 15))
    yield
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, usual)
