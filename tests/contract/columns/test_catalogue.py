"""What the encrypting driver's metadata says of types is what Connector/J says."""

import secrets
import subprocess
from pathlib import Path

import pytest

from encbench.core.connection import DATABASE
from tests.contract.columns.conftest import PASSWORD, USER, Server
from tests.support import encjdbc

TYPES = "(truth TINYINT(1), digits TINYINT, positive TINYINT UNSIGNED, money DECIMAL(12,2))"
MADE = (
    f"DROP TABLE IF EXISTS {DATABASE}.described",
    f"CREATE TABLE {DATABASE}.described {TYPES}",
    f"DROP PROCEDURE IF EXISTS {DATABASE}.describes",
    f"CREATE PROCEDURE {DATABASE}.describes(IN truth TINYINT(1), OUT digits TINYINT) "
    "SET digits = truth",
)


def described(url: str, folder: Path) -> list[str]:
    """The lines of the program that prints it."""
    words = [url, USER, f"{folder}/password", "described", "describes"]
    done = subprocess.run(
        ["java", "-cp", encjdbc.class_path(), "io.encbench.jdbc.Described", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("truths", ["true", "false"])
def test_a_tinyint_of_one_digit_is_what_it_is_for_the_inner_driver(
    server: Server, tmp_path: Path, truths: str
) -> None:
    server.real.admin(*MADE)
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "mek").write_text(secrets.token_hex(16))
    url = (
        f"jdbc:mysql://127.0.0.1:{server.port}/{DATABASE}?sslMode=DISABLED"
        f"&allowPublicKeyRetrieval=true&tinyInt1isBit={truths}"
    )
    inner = described(url, tmp_path)
    assert inner[0].startswith("truth -7 BIT" if truths == "true" else "truth -6 TINYINT")
    assert len(inner) == 6
    assert described(f"jdbc:encbench:{url}&encbench.mekFile={tmp_path}/mek", tmp_path) == inner
