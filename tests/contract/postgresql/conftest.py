"""Servers that tests share."""

from collections.abc import Iterator

import pytest

from tests.contract.postgresql.modes import OTHER
from tests.support.postgres import Postgres, running
from tests.support.testbeds import PLAINTEXT, TLS


@pytest.fixture(scope="session")
def plaintext_server() -> Iterator[Postgres]:
    """A server without encryption. Tests leave it as they found it."""
    with running(PLAINTEXT) as server:
        yield server


@pytest.fixture(scope="session")
def tls_server() -> Iterator[Postgres]:
    """A server with TLS 1.3. Tests leave it as they found it."""
    with running(TLS) as server:
        yield server


@pytest.fixture(scope="session")
def other_server() -> Iterator[Postgres]:
    """A server with TLS 1.2 and another suite. Tests leave it as they found it."""
    with running(OTHER) as server:
        yield server
