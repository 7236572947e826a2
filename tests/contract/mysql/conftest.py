"""MySQL servers that tests share. Tests leave them as they found them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.mysql import SETTINGS, MySQL, running
from tests.support.testbeds import spec_of_testbed

PLAINTEXT: dict[str, Any] = {}
ALL: dict[str, Any] = {"atRest": {"method": "engine"}}
TABLES: dict[str, Any] = {"atRest": {"method": "engine", "scope": ["tables"]}}
REST: dict[str, Any] = {
    "atRest": {"method": "engine", "scope": ["system", "redo", "undo", "binlog"]}
}
"""All that `TABLES` leaves out: of the two, each part is encrypted in one."""

MODES = {"plaintext": PLAINTEXT, "tde": ALL, "tables": TABLES, "rest": REST}


@pytest.fixture(scope="session")
def plaintext_server() -> Iterator[MySQL]:
    """A server without encryption."""
    with running(PLAINTEXT) as server:
        yield server


@pytest.fixture(scope="session")
def tde_server() -> Iterator[MySQL]:
    """A server with TDE of all that MySQL can encrypt."""
    with running(ALL) as server:
        yield server


@pytest.fixture(scope="session")
def tables_server() -> Iterator[MySQL]:
    """A server with TDE of tables alone."""
    with running(TABLES) as server:
        yield server


@pytest.fixture(scope="session")
def rest_server() -> Iterator[MySQL]:
    """A server with TDE of all but tables, and a pool of no round size."""
    settings = {**SETTINGS, "innodb_buffer_pool_size": "160M"}
    spec = spec_of_testbed(REST, engine="mysql", version="9.7", settings=settings)
    with running(REST, spec=spec) as server:
        yield server
