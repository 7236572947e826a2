"""The real sysbench on a server of somebody else's: its login, its database, its certificates."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.certificates import EllipticCertificates
from encbench.core.tls import expected
from encbench.database.children import external_credentials
from encbench.database.connection import connection
from encbench.engines.external import LONGEST, unfit
from encbench.tools.sysbench.command import OPTIONS_FILE
from encbench.tools.sysbench.parser import parse
from tests.contract.client.sysbench import ROWS, SHORT, Bench
from tests.support import debian
from tests.support.certified import write_client_files
from tests.support.mariadb import MariaDB, running
from tests.support.places import texts
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import (
    PLAINTEXT,
    TLS,
    counting_tokens,
    database_context,
    spec_of_external,
)

DATABASE = "bench-1"
USER = "ops team"
PASSWORDS = ["0123abcd", "pa,ss word", "#begins", "'quoted'", r"back\slash=;:", "p" * LONGEST]


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def login(server: MariaDB, password: str, *entries: str) -> dict[str, str]:
    """A user who may do everything in one database and nothing else; the Secret of its owner.

    `entries` are what it has of the server's certificates beside the CA's.
    """
    server.admin(
        f"CREATE DATABASE IF NOT EXISTS `{DATABASE}`",
        f"CREATE OR REPLACE USER {quoted(USER)}@'%' IDENTIFIED BY {quoted(password)}",
        f"GRANT ALL ON `{DATABASE}`.* TO {quoted(USER)}@'%'",
    )
    certificates = {name: server.credentials[name] for name in ("ca.crt", *entries)}
    return {"username": USER, "password": password, **certificates}


def outside(
    server: MariaDB, mode: dict[str, Any], folder: Path, given: dict[str, str], **said: str
) -> Bench:
    """The server as the clients of a testbed see it that only has this login."""
    spec = spec_of_external(mode, host="127.0.0.1", port=server.layout.port, database=DATABASE)
    made = texts(
        external_credentials(
            database_context(spec),
            {**given, **said},
            EllipticCertificates().unpresentable(datetime.now(UTC)),
            PLACEHOLDERS,
            counting_tokens(),
        )
    )
    bench = Bench(server, folder)
    (folder / OPTIONS_FILE).write_text(made[OPTIONS_FILE])
    write_client_files(folder, made)
    bench.connection = connection("overhead-mode", spec)
    return bench


@pytest.fixture(scope="module", params=[PLAINTEXT, TLS], ids=["plaintext", "TLS"])
def server(request: pytest.FixtureRequest) -> Iterator[MariaDB]:
    debian.install("sysbench")
    with running(request.param) as one:
        yield one


@pytest.fixture
def mode(server: MariaDB) -> dict[str, Any]:
    return server.spec.mode.to_dict()


@pytest.mark.parametrize("password", PASSWORDS)
def test_any_login_that_is_accepted_gets_in(
    server: MariaDB, mode: dict[str, Any], tmp_path: Path, password: str
) -> None:
    given = login(server, password)
    assert all(unfit(name, given[name]) is None for name in given)
    bench = outside(server, mode, tmp_path, given)
    assert bench.load() == (0, "")
    code, output = bench.run(**SHORT)
    assert code == 0, output
    measurement = parse(output)
    assert measurement.transactions > 0
    assert measurement.sessions == (expected(server.spec.mode.in_transit),)
    assert password not in " ".join(bench.words())


def test_a_client_certificate_of_the_owner_s_is_presented(
    server: MariaDB, mode: dict[str, Any], tmp_path: Path
) -> None:
    given = login(server, "x2", "client.crt", "client.key")
    server.admin(f"ALTER USER {quoted(USER)}@'%' REQUIRE X509" if mode else "DO 1")
    bench = outside(server, mode, tmp_path, given)
    assert bench.load() == (0, "")
    if mode:
        spare = outside(server, mode, tmp_path, login_without(given))
        code, said = spare.load()
        assert code != 0, "the stand-in is not presented"
        assert "Access denied" in said


def login_without(given: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in given.items() if not name.startswith("client.")}


def test_it_is_loaded_anew_whatever_was_there(
    server: MariaDB, mode: dict[str, Any], tmp_path: Path
) -> None:
    bench = outside(server, mode, tmp_path, login(server, "x1"))
    assert bench.load() == (0, "")
    server.admin(f"USE `{DATABASE}`", "DELETE FROM sbtest1 LIMIT 100")
    assert bench.load() == (0, "")
    assert server.admin(f"USE `{DATABASE}`", "SELECT COUNT(*) FROM sbtest1") == [(ROWS,)]


def test_a_wrong_password_is_the_load_s_own_words(
    server: MariaDB, mode: dict[str, Any], tmp_path: Path
) -> None:
    bench = outside(server, mode, tmp_path, login(server, "right"), password="wrong-one")
    code, said = bench.load()
    assert code != 0
    assert "Access denied for user" in said
    assert "wrong-one" not in said


@pytest.mark.parametrize("password", ['a"b', "tab\there", "line\n", "", "p" * (LONGEST + 1)])
def test_what_sysbench_would_read_wrongly_is_refused(password: str) -> None:
    why = unfit("password", password)
    assert why is not None
    assert ":" in why, "it says what to do"
    assert not password.strip() or password not in why
