"""Who may log in to a database that was made by our own files, and what is left readable."""

from pathlib import Path

import pymysql
import pytest

from encbench.engines.users import AGENT_USER
from tests.support.mariadb import MariaDB


def test_the_benchmark_user_logs_in_over_the_network(plaintext_server: MariaDB) -> None:
    made = plaintext_server.credentials
    connection = pymysql.connect(
        host="127.0.0.1",
        port=plaintext_server.layout.port,
        user=made["username"],
        password=made["password"],
        database="sbtest",
    )
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE mine (id INT PRIMARY KEY)")
        cursor.execute("DROP TABLE mine")
        with pytest.raises(pymysql.MySQLError):
            cursor.execute("SELECT * FROM mysql.global_priv")


@pytest.mark.parametrize("user", ["root", AGENT_USER, ""])
def test_nobody_else_logs_in_over_the_network(plaintext_server: MariaDB, user: str) -> None:
    for password in ("", plaintext_server.credentials["agent-password"]):
        with pytest.raises(pymysql.MySQLError):
            pymysql.connect(
                host="127.0.0.1", port=plaintext_server.layout.port, user=user, password=password
            )


def test_there_are_no_other_users_and_databases(plaintext_server: MariaDB) -> None:
    users = {row[0] for row in plaintext_server.admin("SELECT User FROM mysql.user")}
    assert users == {"encbench", "encbench_agent", "mariadb.sys", "root", "admin"}
    databases = {row[0] for row in plaintext_server.admin("SHOW DATABASES")}
    assert databases == {"information_schema", "mysql", "performance_schema", "sbtest", "sys"}


def test_the_binary_log_knows_nothing_of_users(plaintext_server: MariaDB) -> None:
    logs = list(Path(plaintext_server.layout.data).glob("binlog.0*"))
    assert logs
    assert all(b"CREATE USER" not in log.read_bytes() for log in logs)


def test_every_setting_is_in_force(plaintext_server: MariaDB, tde_server: MariaDB) -> None:
    for server in (plaintext_server, tde_server):
        rows = dict(server.admin("SHOW GLOBAL VARIABLES"))
        assert rows["innodb_buffer_pool_size"] == str(64 * 2**20)
        assert rows["max_connections"] == "24"
        assert rows["tmpdir"] == f"{server.layout.volume}/tmp"
        assert rows["binlog_expire_logs_seconds"] == "600"
        assert rows["innodb_flush_log_at_trx_commit"] == rows["sync_binlog"] == "1"
        assert rows["skip_name_resolve"] == "ON"
