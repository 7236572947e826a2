"""The encrypting driver against a real MariaDB: every getter gives what the inner driver gives.

A test program makes the envelopes that lie in the table, and holds the two drivers together.
"""

import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from encbench.core.connection import DATABASE
from tests.contract.columns.drivers import URLS
from tests.contract.columns.getters import compared
from tests.support import encjdbc, mariadb
from tests.support.subset import chosen, first_of


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with mariadb.running({}) as running:
        yield running


def conformance(
    server: Any, folder: Path, url: str, algorithm: str
) -> "subprocess.CompletedProcess[str]":
    """Run the program that compares."""
    (folder / "password").write_text(server.credentials["password"])
    (folder / "mek").write_text(secrets.token_hex(16) + "\n")
    place = url.format(port=server.layout.port, database=DATABASE)
    user = server.credentials["username"]
    words = ["stored", user, f"{folder}/password", f"{folder}/mek", algorithm, place]
    return subprocess.run(
        ["java", "-cp", encjdbc.class_path(), "io.encbench.jdbc.ServerConformance", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("driver", chosen(URLS, "Connector/J", "MariaDB's, binary protocol"))
@pytest.mark.parametrize("algorithm", first_of(["AES", "SM4"]))
def test_every_getter_gives_what_the_inner_driver_gives(
    server: Any, tmp_path: Path, driver: str, algorithm: str
) -> None:
    done = conformance(server, tmp_path, URLS[driver], algorithm)
    assert done.returncode == 0, done.stderr
    *different, last = done.stdout.splitlines()
    assert different == []
    compared(last)


def test_without_envelopes_nothing_is_decrypted_and_nothing_asked(
    server: Any, tmp_path: Path
) -> None:
    """A driver swap needs no key; with a wrong one encrypted values are refused, and said so."""
    done = conformance(server, tmp_path, URLS["Connector/J"], "AES")
    assert done.returncode == 0, done.stderr
    url = "jdbc:encbench:" + URLS["Connector/J"].format(port=server.layout.port, database=DATABASE)
    asking = ["java", "-cp", encjdbc.class_path(), "io.encbench.jdbc.Ask"]
    other = tmp_path / "other"
    other.write_text(secrets.token_hex(16))
    for words, said in (
        ([], "is encrypted and there is no key: name the MEK's file"),
        ([str(other)], f"does not open with the MEK in {other}: give the driver the key"),
    ):
        refused = subprocess.run(
            [*asking, url, server.credentials["username"], f"{tmp_path}/password", *words],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        plain, sealed = refused.stdout.splitlines()
        assert plain == "GC", refused.stderr
        assert said in sealed
        assert other.read_text() not in refused.stdout + refused.stderr
