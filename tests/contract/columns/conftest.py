"""Real servers with a table of every type, and both ways to end a result."""

from collections.abc import Iterator

import pytest

from tests.contract.columns import corpus
from tests.contract.columns.servers import Server, real_server
from tests.contract.columns.wire import DEPRECATE_EOF

FLAVOURS = {"eof": 0, "deprecate-eof": DEPRECATE_EOF}


@pytest.fixture(scope="package", params=["mariadb", pytest.param("mysql", marks=pytest.mark.full)])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server of each engine."""
    with real_server(request.param) as real:
        for statement in corpus.tables(real.engine):
            real.admin(statement)
        yield Server(real, tmp_path_factory.mktemp("columns"))


@pytest.fixture(params=FLAVOURS)
def capabilities(request: pytest.FixtureRequest) -> int:
    """Both ways to end a result."""
    return FLAVOURS[request.param]
