"""Real servers with the bank's schema."""

from collections.abc import Iterator

import pytest

from tests.contract.columns.servers import Server, real_server


@pytest.fixture(scope="package", params=["mariadb", pytest.param("mysql", marks=pytest.mark.full)])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server of each engine, without the schema."""
    with real_server(request.param) as real:
        yield Server(real, tmp_path_factory.mktemp("conformance"))
