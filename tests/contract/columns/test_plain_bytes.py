"""The encrypting driver with a key, where nothing is encrypted: bytes of any length are bytes.

Drivers say of long binary columns what looks like a proxy's announcement.
"""

import secrets
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.core.connection import DATABASE
from tests.contract.columns.drivers import URLS
from tests.support import encjdbc, mariadb, mysql, postgres

ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
    "postgresql": postgres.running,
}
POSTGRESQL = "jdbc:postgresql://127.0.0.1:{port}/{database}?sslmode=disable"
DRIVERS = {
    "mariadb": [URLS["Connector/J"], URLS["MariaDB's"]],
    "mysql": [URLS["Connector/J"]],
    "postgresql": [POSTGRESQL],
}
LONG = (
    f"DROP TABLE IF EXISTS {DATABASE}.plain",
    f"CREATE TABLE {DATABASE}.plain (long_ LONGBLOB, place GEOMETRY)",
    f"INSERT INTO {DATABASE}.plain VALUES (X'00ff10', POINT(1, 1))",  # noqa: S608
)
POINT = "000000000101000000" + 2 * "000000000000f03f"


@pytest.fixture(
    scope="module", params=["mariadb", pytest.param("mysql", marks=pytest.mark.full), "postgresql"]
)
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ENGINES[request.param]({}) as running:
        yield running


def test_a_long_binary_column_is_not_taken_for_an_encrypted_one(
    server: Any, tmp_path: Path
) -> None:
    query, expected = "SELECT '\\x00ff10'::bytea", ["00ff10"]
    if server.engine != "postgresql":
        server.admin(*LONG)
        query, expected = "SELECT long_, place FROM plain", ["00ff10", POINT]
    (tmp_path / "password").write_text(server.credentials["password"])
    (tmp_path / "mek").write_text(secrets.token_hex(16))
    for url in DRIVERS[server.engine]:
        place = "jdbc:encbench:" + url.format(port=server.layout.port, database=DATABASE)
        words = [place, server.credentials["username"], f"{tmp_path}/password", f"{tmp_path}/mek"]
        done = subprocess.run(
            ["java", "-cp", encjdbc.class_path(), "io.encbench.jdbc.Read", *words, query],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout.splitlines() == expected, done.stderr
