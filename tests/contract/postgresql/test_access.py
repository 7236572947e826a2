"""Who may log in to a database that was made by our own files, and what is in force there."""

from typing import Any

import pg8000.dbapi
import pytest

from encbench.engines.users import AGENT_USER
from tests.support.postgres import ADMIN, Postgres


def log_in(server: Postgres, user: str, password: str, **more: Any) -> pg8000.dbapi.Connection:
    place = {"host": "127.0.0.1", "port": server.layout.port, "ssl_context": False}
    return pg8000.dbapi.connect(user, password=password, database="sbtest", **{**place, **more})


def test_the_benchmark_user_logs_in_over_the_network(plaintext_server: Postgres) -> None:
    made = plaintext_server.credentials
    connection = log_in(plaintext_server, made["username"], made["password"])
    try:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE mine (id int PRIMARY KEY)")
        cursor.execute("DROP TABLE mine")
        with pytest.raises(pg8000.dbapi.Error, match="permission denied"):
            cursor.execute("SELECT * FROM pg_authid")
        with pytest.raises(pg8000.dbapi.Error, match="42501"):
            cursor.execute("COPY (SELECT 1) TO PROGRAM 'true'")
    finally:
        connection.close()


@pytest.mark.parametrize("user", [ADMIN, AGENT_USER, "nobody"])
def test_nobody_else_logs_in_over_the_network(plaintext_server: Postgres, user: str) -> None:
    for password in ("wrong", plaintext_server.credentials["agent-password"]):
        with pytest.raises(pg8000.dbapi.Error, match=r"no pg_hba\.conf entry"):
            log_in(plaintext_server, user, password)


def test_the_agent_logs_in_with_its_password_only(plaintext_server: Postgres) -> None:
    socket = {"unix_sock": plaintext_server.layout.socket, "host": None}
    log_in(
        plaintext_server, AGENT_USER, plaintext_server.credentials["agent-password"], **socket
    ).close()
    refused = f'password authentication failed for user "{AGENT_USER}"'
    before = plaintext_server.said().count(refused)
    with pytest.raises(pg8000.dbapi.Error):
        log_in(plaintext_server, AGENT_USER, "wrong", **socket)
    assert plaintext_server.said().count(refused) == before + 1


def test_passwords_are_kept_as_scram_and_never_logged(plaintext_server: Postgres) -> None:
    rows = plaintext_server.admin(
        "SELECT rolname, rolsuper, left(rolpassword, 14) FROM pg_authid WHERE rolcanlogin"
    )
    assert sorted(rows) == [
        ("encbench", False, "SCRAM-SHA-256$"),
        ("encbench_agent", False, "SCRAM-SHA-256$"),
        ("postgres", True, None),
    ]
    made = plaintext_server.credentials
    said = plaintext_server.said()
    assert made["password"] not in said
    assert made["agent-password"] not in said


def test_every_setting_is_in_force(plaintext_server: Postgres, tls_server: Postgres) -> None:
    for server in (plaintext_server, tls_server):
        rows = {row[0]: row[1] for row in server.admin("SHOW ALL")}
        assert rows["shared_buffers"] == "64MB"
        assert rows["max_connections"] == "24"
        assert rows["max_wal_size"] == "512MB"
        assert rows["synchronous_commit"] == rows["fsync"] == rows["data_checksums"] == "on"
        assert rows["restart_after_crash"] == "off"
        assert server.admin("SELECT datcollate FROM pg_database WHERE datname = 'sbtest'") == [
            ("C",)
        ]
        errors = server.admin("SELECT name, error FROM pg_file_settings WHERE error IS NOT NULL")
        assert errors == []


def test_arms_differ_in_nothing_but_tls(plaintext_server: Postgres, tls_server: Postgres) -> None:
    one, other = (
        {row[0]: row[1] for row in server.admin("SHOW ALL")}
        for server in (plaintext_server, tls_server)
    )
    differ = {name for name in one if one[name] != other[name]}
    places = {"data_directory", "config_file", "hba_file", "ident_file", "port"}
    assert differ - places - {"unix_socket_directories"} == {
        "ssl",
        "ssl_cert_file",
        "ssl_key_file",
        "ssl_max_protocol_version",
        "ssl_min_protocol_version",
    }
