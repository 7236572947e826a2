"""Who may log in to a MySQL that was made by our own files, and by which connections."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from encbench.core.tls import expected
from encbench.engines.mysql.settings import server_settings
from encbench.engines.setting_names import known_settings
from encbench.engines.users import AGENT_USER
from tests.contract.client.sysbench import TABLES, Bench
from tests.contract.database.proving import failed, prove
from tests.support.mysql import MySQL, running
from tests.support.testbeds import TLS, TLS12
from tests.support.tls_session import in_force, negotiated


def connect(server: MySQL, **options: Any) -> "pymysql.Connection[Any]":
    credentials = {
        "user": server.credentials["username"],
        "password": server.credentials["password"],
        "database": "sbtest",
    }
    return pymysql.connect(host="127.0.0.1", port=server.layout.port, **{**credentials, **options})


def test_the_benchmark_user_logs_in_over_the_network(plaintext_server: MySQL) -> None:
    with connect(plaintext_server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE mine (id INT PRIMARY KEY)")
        cursor.execute("DROP TABLE mine")
        with pytest.raises(pymysql.MySQLError):
            cursor.execute("SELECT * FROM mysql.user")


@pytest.mark.parametrize("user", ["root", AGENT_USER, ""])
def test_nobody_else_logs_in(plaintext_server: MySQL, user: str) -> None:
    for password in ("", plaintext_server.credentials["agent-password"]):
        with pytest.raises(pymysql.MySQLError):
            connect(plaintext_server, user=user, password=password)
    with pytest.raises(pymysql.MySQLError):
        pymysql.connect(unix_socket=plaintext_server.layout.socket, user="root")


def test_there_are_no_other_users_and_databases(plaintext_server: MySQL) -> None:
    question = "SELECT User FROM mysql.user WHERE account_locked = 'N'"
    users = {row[0] for row in plaintext_server.admin(question)}
    assert users == {"encbench", "encbench_agent", "admin"}
    databases = {row[0] for row in plaintext_server.admin("SHOW DATABASES")}
    assert databases == {"information_schema", "mysql", "performance_schema", "sbtest", "sys"}


def test_the_binary_log_knows_nothing_of_users(plaintext_server: MySQL) -> None:
    logs = list(Path(plaintext_server.layout.data).glob("binlog.0*"))
    assert logs
    assert all(b"CREATE USER" not in log.read_bytes() for log in logs)


def test_every_setting_is_in_force(plaintext_server: MySQL, tde_server: MySQL) -> None:
    for server in (plaintext_server, tde_server):
        rows = dict(server.admin("SHOW GLOBAL VARIABLES"))
        wanted = server_settings(server.spec, server.layout)
        pool = {"innodb_buffer_pool_size": "67108864", "innodb_buffer_pool_chunk_size": "67108864"}
        wanted |= {**pool, "innodb_log_buffer_size": "16777216"}
        wanted |= {"max_binlog_size": "268435456", "datadir": f"{server.layout.data}/"}
        wanted |= {"tmpdir": f"{server.layout.volume}/tmp", "log_bin": "ON"}
        del wanted["mysqlx"]
        assert {name: rows[name] for name in wanted} == wanted
        assert rows["plugin_dir"] == f"{server.layout.program}/plugins/"
        assert set(wanted) <= known_settings("mysql").names


@pytest.mark.full
def test_the_pool_is_as_large_as_the_template_says(rest_server: MySQL) -> None:
    assert rest_server.admin("SELECT @@innodb_buffer_pool_size / 1024 / 1024") == [(160,)]


def test_a_server_without_tls_offers_none(plaintext_server: MySQL) -> None:
    with pytest.raises(pymysql.MySQLError, match="SSL"):
        connect(plaintext_server, ssl={"check_hostname": False}, ssl_verify_cert=False)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(TLS, id="TLSv1.3"),
        pytest.param(TLS12, id="TLSv1.2", marks=pytest.mark.full),
    ],
)
def encrypted(request: pytest.FixtureRequest) -> Iterator[MySQL]:
    """A server in a TLS mode. Tests leave it as they found it."""
    with running(request.param) as server:
        yield server


@pytest.mark.full
async def test_a_server_with_tls(encrypted: MySQL) -> None:
    mode = encrypted.spec.mode.to_dict()
    for full in (False, True):
        proof = await prove(encrypted, mode, 1 + full, full=full)
        assert proof.ok, proof.summary
    assert "TLS of the server" in failed(await prove(encrypted, {}, 3, full=False))
    other = TLS12 if mode == TLS else TLS
    assert "tls_version" in failed(await prove(encrypted, other, 4, full=False))


def test_nobody_gets_in_without_tls(encrypted: MySQL) -> None:
    with pytest.raises(pymysql.MySQLError):
        connect(encrypted, ssl_disabled=True)
    trusted = ssl.create_default_context(cadata=encrypted.credentials["ca.crt"])
    assert negotiated(connect(encrypted, ssl=trusted)) == in_force(encrypted.spec)


@pytest.mark.full
def test_the_benchmark_s_own_client(
    plaintext_server: MySQL, encrypted: MySQL, tmp_path: Path
) -> None:
    """Sysbench by the operator's command lines: its login, and what its session negotiated."""
    for number, server in enumerate((plaintext_server, encrypted)):
        folder = tmp_path / str(number)
        folder.mkdir()
        bench = Bench(server, folder)
        assert bench.load() == (0, "")
        code, output = bench.run()
        assert code == 0, output
        wanted = expected(server.spec.mode.in_transit)
        assert f"encbench-session tls={wanted.tls} cipher={wanted.cipher}\n" in output
        server.admin(*(f"DROP TABLE sbtest.sbtest{n + 1}" for n in range(TABLES)))
