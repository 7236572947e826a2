"""Real servers with the bank's schema."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.columns.conftest import Server, real_server
from tests.contract.conformance import bank


@pytest.fixture(scope="package", params=["mariadb", pytest.param("mysql", marks=pytest.mark.full)])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server of each engine, without the schema."""
    with real_server(request.param) as real:
        yield Server(real, tmp_path_factory.mktemp("conformance"))


def fresh(server: Server, database: str = bank.DATABASE) -> None:
    """The schema anew, with its first rows."""
    anew(server, database)
    server.real.admin(f"USE {database}", *bank.statements())


def anew(server: Server, database: str) -> None:
    """An empty database of that name."""
    server.real.admin(
        f"DROP DATABASE IF EXISTS {database}",
        f"CREATE DATABASE {database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    )


def all_columns(server: Server, database: str = bank.DATABASE) -> str:
    """The file of columns at 100 %: those of all base tables, because rules are about these."""
    rows: list[tuple[Any, ...]] = server.real.admin(
        "SELECT table_name, column_name FROM information_schema.tables "  # noqa: S608
        "JOIN information_schema.columns USING (table_schema, table_name) "
        f"WHERE table_schema = '{database}' AND table_type = 'BASE TABLE' "
        "ORDER BY table_name, ordinal_position"
    )
    return bank.every_column([(str(table), str(column)) for table, column in rows])
