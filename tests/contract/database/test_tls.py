"""TLS on a real server: what its variables prove, what it refuses, and what is seen when off."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests.contract.database.proving import failed, prove
from tests.support import certified
from tests.support.mariadb import MariaDB, running
from tests.support.testbeds import PLAINTEXT, TDE, TLS, TLS12
from tests.support.tls_session import in_force, negotiated

BOTH = {**TDE, **TLS}


@pytest.fixture(scope="module", params=[TLS, TLS12, BOTH], ids=["TLSv1.3", "TLSv1.2", "with TDE"])
def encrypted(request: pytest.FixtureRequest) -> Iterator[MariaDB]:
    """A server in a TLS mode. Tests leave it as they found it."""
    with running(request.param) as server:
        yield server


def mode(server: MariaDB) -> dict[str, Any]:
    return server.spec.mode.to_dict()


def connect(server: MariaDB, **options: Any) -> Any:
    made = server.credentials
    return pymysql.connect(
        host="127.0.0.1",
        port=server.layout.port,
        user=options.pop("user", made["username"]),
        password=options.pop("password", made["password"]),
        **options,
    )


@pytest.mark.parametrize("full", [True, False])
async def test_a_mode_with_tls_is_proven(encrypted: MariaDB, full: bool) -> None:
    proof = await prove(encrypted, mode(encrypted), 301 + full, full=full)
    assert proof.ok, proof.summary


async def test_it_is_no_plaintext(encrypted: MariaDB) -> None:
    found = failed(await prove(encrypted, PLAINTEXT, 303, full=False))
    assert "have_ssl" in found


def test_a_client_that_verifies_all_of_it_gets_in(encrypted: MariaDB) -> None:
    trusted = ssl.create_default_context(cadata=encrypted.credentials["ca.crt"])
    assert negotiated(connect(encrypted, ssl=trusted)) == in_force(encrypted.spec)


def test_nobody_gets_in_without_tls(encrypted: MariaDB) -> None:
    with pytest.raises(pymysql.MySQLError, match="Access denied"):
        connect(encrypted, ssl_disabled=True)
    encrypted.admin(
        "SET SESSION sql_log_bin=0", "CREATE USER free@'%' IDENTIFIED BY 'pw' REQUIRE NONE"
    )
    try:
        trusted = ssl.create_default_context(cadata=encrypted.credentials["ca.crt"])
        connect(encrypted, user="free", password="pw", ssl=trusted).close()
        with pytest.raises(pymysql.MySQLError, match="Access denied"):
            connect(encrypted, user="free", password="pw", ssl_disabled=True)
    finally:
        encrypted.admin("SET SESSION sql_log_bin=0", "DROP USER free@'%'")


def test_a_client_certificate_of_another_ca_is_refused(encrypted: MariaDB, tmp_path: Path) -> None:
    other = certified.issued(by="another")
    (tmp_path / "pair.pem").write_text(other.client.certificate + other.client.key)
    context = ssl.create_default_context(cadata=encrypted.credentials["ca.crt"])
    context.load_cert_chain(tmp_path / "pair.pem")
    with pytest.raises((pymysql.MySQLError, OSError)):
        connect(encrypted, ssl=context).ping()


def test_a_plaintext_server_has_no_tls_to_offer(plaintext_server: MariaDB) -> None:
    context = ssl.create_default_context(cadata=plaintext_server.credentials["ca.crt"])
    with pytest.raises(pymysql.MySQLError, match="SSL"):
        connect(plaintext_server, ssl=context)


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ({"ssl_cipher": "TLS_AES_256_GCM_SHA384"}, "ssl_cipher"),
        ({"ssl_cipher": ""}, "ssl_cipher"),
        ({"tls_version": "TLSv1.2,TLSv1.3"}, "tls_version"),
        ({"require_secure_transport": "OFF"}, "require_secure_transport"),
        ({"ssl": "OFF"}, "have_ssl"),
    ],
)
async def test_each_way_of_having_it_wrong_is_seen(overrides: dict[str, str], name: str) -> None:
    with running(TLS, overrides=overrides) as server:
        proof = await prove(server, TLS, 304, full=False)
    assert set(failed(proof)) == {name}


def test_a_server_whose_key_cannot_be_read_does_not_start_without_tls() -> None:
    with (
        pytest.raises(RuntimeError, match="Unable to get private key"),
        running(TLS, overrides={"ssl_key": "/nowhere/tls.key"}),
    ):
        pass


async def test_a_plaintext_server_that_offers_tls_is_seen() -> None:
    offered = {
        "ssl": "ON",
        "ssl_ca": "{tls}/ca.crt",
        "ssl_cert": "{tls}/tls.crt",
        "ssl_key": "{tls}/tls.key",
    }
    with running(PLAINTEXT, overrides=offered) as server:
        proof = await prove(server, PLAINTEXT, 306, full=False)
    assert set(failed(proof)) == {"have_ssl"}
