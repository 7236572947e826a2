"""Servers that tests share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.postgres import Postgres, running
from tests.support.testbeds import PLAINTEXT, TLS

OTHER = {"inTransit": {"version": "TLSv1.2", "cipherSuite": "TLS_AES_256_GCM_SHA384"}}
MODES: dict[str, dict[str, Any]] = {"plaintext": PLAINTEXT, "tls": TLS, "other": OTHER}


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
