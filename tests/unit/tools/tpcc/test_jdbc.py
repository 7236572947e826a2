"""URLs of JDBC drivers."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from encbench.api import tpcc as api
from encbench.api.columns import JdbcDriver
from encbench.api.encryptionmode import InTransit
from encbench.core.connection import Connection
from encbench.tools.registry import tool
from encbench.tools.tpcc import jdbc
from tests.support.workloads import MARIADB, MYSQL, PGSQL, tpcc_spec

CA = "/etc/encbench/tls/cacert.pem"
ALL = [
    (MYSQL, "com.mysql.cj.jdbc.Driver", "mysql"),
    (MARIADB, "org.mariadb.jdbc.Driver", "mariadb"),
    (PGSQL, "org.postgresql.Driver", "postgresql"),
]


def parameters(
    connection: Connection, own: dict[str, str] | None = None, *, batches: bool = False
) -> dict[str, str]:
    driver = jdbc.driver(connection.engine, None)
    url = jdbc.url(driver, connection, CA, batches=batches, parameters=own or {})
    query = parse_qs(urlsplit(url.removeprefix("jdbc:")).query, strict_parsing=True)
    return {name: value for name, (value,) in query.items()}


def test_the_api_names_the_drivers_that_we_know() -> None:
    assert set(jdbc.DRIVERS) == set(api.DRIVERS)


@pytest.mark.parametrize(("connection", "name", "scheme"), ALL)
def test_each_engine_has_its_driver(connection: Connection, name: str, scheme: str) -> None:
    driver = jdbc.driver(connection.engine, None)
    assert driver.name == name
    url = jdbc.url(driver, connection, CA, batches=False, parameters={})
    port = connection.port
    assert url.startswith(f"jdbc:{scheme}://overhead-tde:{port}/sbtest?")


def test_percona_s_server_speaks_as_mysql_s() -> None:
    assert jdbc.driver("percona", None).name == "com.mysql.cj.jdbc.Driver"


def test_a_workload_may_name_another_driver() -> None:
    assert jdbc.driver("mysql", "org.mariadb.jdbc.Driver").scheme == "mariadb"


def test_plaintext_is_said_to_each_driver() -> None:
    """Left alone two of the three would negotiate TLS."""
    assert parameters(MYSQL)["sslMode"] == "DISABLED"
    assert parameters(MYSQL)["useSSL"] == "false", "Connector/J before 8.0.13 knows no sslMode"
    assert parameters(MARIADB)["sslMode"] == "disable"
    assert parameters(PGSQL)["sslmode"] == "disable"


@pytest.mark.parametrize("connection", [MYSQL, MARIADB])
def test_the_password_may_travel_under_the_server_s_key(connection: Connection) -> None:
    assert parameters(connection)["allowPublicKeyRetrieval"] == "true"


def test_tls_is_verified_by_the_campaign_s_ca_alone() -> None:
    tls = InTransit.model_validate({"version": "TLSv1.2"})
    mysql = parameters(replace(MYSQL, tls=tls))
    assert mysql["sslMode"] == "VERIFY_IDENTITY"
    assert mysql["tlsVersions"] == "TLSv1.2"
    assert mysql["fallbackToSystemTrustStore"] == "false"
    assert mysql["trustCertificateKeyStoreUrl"] == f"file:{jdbc.TRUST_STORE}"
    mariadb = parameters(replace(MARIADB, tls=tls))
    assert (mariadb["sslMode"], mariadb["serverSslCert"]) == ("verify-full", CA)
    assert mariadb["enabledSslProtocolSuites"] == "TLSv1.2"
    pgsql = parameters(replace(PGSQL, tls=tls))
    assert (pgsql["sslmode"], pgsql["sslrootcert"]) == ("verify-full", CA)


@pytest.mark.parametrize(
    ("connection", "name", "value"),
    [(MYSQL, "sslMode", "PREFERRED"), (MARIADB, "sslMode", "trust"), (PGSQL, "sslmode", "prefer")],
)
def test_nobody_overrides_what_the_mode_says(connection: Connection, name: str, value: str) -> None:
    said = parameters(connection)[name]
    assert parameters(connection, {name: value})[name] == said


def test_the_user_s_parameters_stand_over_ours() -> None:
    assert parameters(MYSQL, batches=True)["rewriteBatchedStatements"] == "true"
    own = parameters(MYSQL, {"rewriteBatchedStatements": "false", "useConfigs": "x"}, batches=True)
    assert own["rewriteBatchedStatements"] == "false"
    assert own["useConfigs"] == "x"
    assert "rewriteBatchedStatements" not in parameters(MYSQL)


@pytest.mark.parametrize("connection", [MYSQL, MARIADB, PGSQL])
def test_what_a_driver_of_the_user_s_own_verifies_is_not_known(connection: Connection) -> None:
    unverified = tool(tpcc_spec()).unverified
    jar = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "jars", "path": "d.jar"}
    own = replace(connection, jdbc=JdbcDriver.model_validate({"jar": jar}))
    encrypting = JdbcDriver.model_validate({"encrypting": {}})
    assert "driver.jar's own URL" in (unverified(replace(own, tls=InTransit())) or "")
    assert unverified(own) is None
    assert unverified(replace(connection, tls=InTransit())) is None
    assert unverified(replace(connection, tls=InTransit(), jdbc=encrypting)) is None
