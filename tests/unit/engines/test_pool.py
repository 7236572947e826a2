"""Whether a server still fills its pool, by what MySQL 8 and MariaDB 10.11 say about it."""

from collections.abc import Sequence
from typing import Any

import pytest

from encbench.engines.innodb.pool import AT_STARTUP, STATUS, is_loading


class Said:
    """A session of a server that answers this."""

    def __init__(self, at_startup: str, status: str | None) -> None:
        self.answers = {
            AT_STARTUP: [("innodb_buffer_pool_load_at_startup", at_startup)],
            STATUS: [] if status is None else [("Innodb_buffer_pool_load_status", status)],
        }

    def rows(self, statement: str, _: Sequence[object] = ()) -> list[Sequence[Any]]:
        return list(self.answers[statement])


@pytest.mark.parametrize(
    "status",
    [
        "",
        "Loading of buffer pool not started",
        "Loading buffer pool(s) from /var/lib/encbench/data/ib_buffer_pool",
        "Loaded 1025/3276800 pages",
    ],
)
def test_it_is_under_way(status: str) -> None:
    assert is_loading(Said("ON", status))


@pytest.mark.parametrize(
    "status",
    [
        "Buffer pool(s) load completed at 261122 19:58:01",
        "Buffer pool(s) load aborted on request",
        "Cannot open 'ib_buffer_pool' for reading: No such file or directory",
    ],
)
def test_it_is_over(status: str) -> None:
    assert not is_loading(Said("ON", status))


def test_a_server_that_was_not_told_to_never_loads() -> None:
    assert not is_loading(Said("OFF", "Loading of buffer pool not started"))
    assert not is_loading(Said("OFF", None))
