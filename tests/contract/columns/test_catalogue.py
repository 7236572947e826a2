"""What the encrypting driver's metadata says of types and keys is what Connector/J says."""

import secrets
import subprocess
from pathlib import Path

import pytest

from encbench.core.connection import DATABASE
from tests.contract.columns.servers import PASSWORD, USER, Server
from tests.support import encjdbc

TYPES = (
    "(truth TINYINT(1), digits TINYINT, positive TINYINT UNSIGNED, money DECIMAL(12,2), kind INT, "
    "CONSTRAINT of_kind FOREIGN KEY (kind) REFERENCES kinds (id) ON DELETE CASCADE)"
)
MADE = (
    f"DROP TABLE IF EXISTS {DATABASE}.described, {DATABASE}.kinds",
    f"CREATE TABLE {DATABASE}.kinds (id INT PRIMARY KEY)",
    f"CREATE TABLE {DATABASE}.described {TYPES}",
    f"DROP PROCEDURE IF EXISTS {DATABASE}.describes",
    f"CREATE PROCEDURE {DATABASE}.describes(IN truth TINYINT(1), OUT digits TINYINT) "
    "SET digits = truth",
)


ELSEWHERE = (
    "CREATE DATABASE elsewhere",
    "CREATE TABLE elsewhere.described (another INT)",
    "CREATE PROCEDURE elsewhere.describes(IN other INT) SET @other = other",
)
"""Another database with the same names."""


def described(url: str, folder: Path, *more: str) -> list[str]:
    """The lines of the program that prints it."""
    words = [url, USER, f"{folder}/password", "described", "describes", "kinds", *more]
    done = subprocess.run(
        ["java", "-cp", encjdbc.class_path(), "io.encbench.jdbc.Described", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def url_of(server: Server) -> str:
    """Connector/J's."""
    parameters = "sslMode=DISABLED&allowPublicKeyRetrieval=true"
    return f"jdbc:mysql://127.0.0.1:{server.port}/{DATABASE}?{parameters}"


@pytest.mark.parametrize("truths", ["true", "false"])
def test_a_tinyint_of_one_digit_is_what_it_is_for_the_inner_driver(
    server: Server, tmp_path: Path, truths: str
) -> None:
    server.real.admin(*MADE)
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "mek").write_text(secrets.token_hex(16))
    url = f"{url_of(server)}&tinyInt1isBit={truths}"
    inner = described(url, tmp_path)
    assert inner[0].startswith("truth -7 BIT" if truths == "true" else "truth -6 TINYINT")
    keys = [line.partition(" ")[0] for line in inner[7:]]
    assert keys == ["imported", "exported", "between"]
    assert described(f"jdbc:encbench:{url}&encbench.mekFile={tmp_path}/mek", tmp_path) == inner


@pytest.mark.parametrize("parameter", ["nullDatabaseMeansCurrent", "nullCatalogMeansCurrent"])
@pytest.mark.parametrize("current", ["true", "false"])
def test_null_is_the_database_that_it_is_for_the_inner_driver(
    server: Server, tmp_path: Path, parameter: str, current: str
) -> None:
    server.real.admin(*MADE, *ELSEWHERE)
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "mek").write_text(secrets.token_hex(16))
    url = f"{url_of(server)}&{parameter}={current}"
    try:
        inner = described(url, tmp_path, "any")
        assert any(line.startswith("another") for line in inner) == (current == "false")
        ours = f"jdbc:encbench:{url}&encbench.mekFile={tmp_path}/mek"
        assert described(ours, tmp_path, "any") == inner
    finally:
        server.real.admin("DROP DATABASE elsewhere")
