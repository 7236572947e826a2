"""What lets workers of pytest-xdist run side by side.

Files are taken in this order: what takes longest comes first, so that no worker is left alone with
a long one in the end. A file stays with one worker, with the servers that its tests share. All
files that need an API server stay with the same one. What several workers need is made once.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.support import once

TOGETHER = ("api",)
"""Folders that stay with one worker, and therefore come first."""
LAST = ("volume", "store", "postgresql", "database", "metrics")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        stack = ExitStack()
        stack.enter_context(once.place())
        config.add_cleanup(stack.close)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)
    for item in items:
        folder = item.path.parent.name
        group = folder if folder in TOGETHER else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


def _place(item: pytest.Item) -> int:
    folder = item.path.parent.name
    if folder in TOGETHER:
        return -1
    return LAST.index(folder) + 1 if folder in LAST else 0


@pytest.fixture
def precedence() -> Iterator[None]:
    """What the test starts goes before other workers' tests, for it looks at hundredths of seconds.

    Without root it has to hope.
    """
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, max(-20, usual - 15))
    yield
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, usual)
