"""Servers with the extension, which tests share."""

from collections.abc import Iterator

import pytest

from tests.support import enclave
from tests.support.enclave import Programs
from tests.support.postgres import Postgres


@pytest.fixture(scope="session")
def programs() -> Iterator[Programs]:
    """Debian's release."""
    with enclave.debian_programs() as made:
        yield made


@pytest.fixture(scope="session")
def sanitised() -> Iterator[Programs]:
    """A release whose extension is compiled with sanitisers."""
    with enclave.sanitised_programs() as made:
        yield made


@pytest.fixture(scope="module")
def server(programs: Programs) -> Iterator[Postgres]:
    """A server of this file's tests alone."""
    with enclave.running(programs) as made:
        yield made
