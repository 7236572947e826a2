"""MySQL servers that tests share. Tests leave them as they found them."""

from collections.abc import Iterator

import pytest

from tests.contract.mysql.modes import ALL, REST, TABLES
from tests.support.mysql import SETTINGS, MySQL, running
from tests.support.testbeds import PLAINTEXT, spec_of_testbed


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
