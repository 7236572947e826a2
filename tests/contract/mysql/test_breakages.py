"""Each way in which a mode can silently not be in force, made on a real MySQL, and seen."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest

from tests.contract.database.proving import failed, prove
from tests.contract.mysql.modes import ALL
from tests.support.mysql import MySQL, prepared, running
from tests.support.testbeds import PLAINTEXT, TLS


@pytest.fixture(scope="module")
def server() -> Iterator[MySQL]:
    """One whose settings are changed at run time, and put back."""
    with running(ALL) as made:
        yield made


@pytest.mark.parametrize(
    ("number", "broken", "mended", "quick", "full"),
    [
        (
            1,
            "SET GLOBAL binlog_encryption=OFF",
            "SET GLOBAL binlog_encryption=ON",
            {"binlog_encryption", "binary logs in plaintext"},
            {"files of binlog in which the marker is readable"},
        ),
        (
            2,
            "SET GLOBAL innodb_redo_log_encrypt=OFF",
            "SET GLOBAL innodb_redo_log_encrypt=ON",
            {"innodb_redo_log_encrypt"},
            {"files of redo in which the marker is readable"},
        ),
        (
            3,
            "ALTER TABLESPACE mysql ENCRYPTION='N'",
            "ALTER TABLESPACE mysql ENCRYPTION='Y'",
            {"tablespaces in plaintext"},
            {
                "files of system in which the marker is readable",
                "doublewrite files in which the echo is readable",
            },
        ),
        (
            4,
            "CREATE TABLE sbtest.open_table (id INT PRIMARY KEY) ENCRYPTION='N'",
            "DROP TABLE sbtest.open_table",
            {"tablespaces in plaintext"},
            set(),
        ),
        (
            5,
            "ALTER DATABASE sbtest DEFAULT ENCRYPTION='N'",
            "ALTER DATABASE sbtest DEFAULT ENCRYPTION='Y'",
            {"tablespaces in plaintext", "marker in its table file"},
            {
                "files of tables in which the marker is readable",
                "doublewrite files in which the marker is readable",
                "doublewrite files in which the echo is readable",
            },
        ),
    ],
)
async def test_what_is_switched_off_at_run_time(
    server: MySQL, number: int, broken: str, mended: str, quick: set[str], full: set[str]
) -> None:
    server.admin("FLUSH BINARY LOGS", broken)
    before = await prove(server, ALL, number, full=False)
    after = await prove(server, ALL, number + 10, full=True)
    server.admin(mended, "FLUSH BINARY LOGS")
    assert set(failed(before)) == quick
    assert set(failed(after)) == quick | full
    server.admin("PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY")
    assert (await prove(server, ALL, number + 20, full=True)).ok


@pytest.mark.full
async def test_what_no_setting_says_or_was_forgotten() -> None:
    """A database that the init file makes is in plaintext in spite of default_table_encryption.

    So are the system's tables unless a statement says otherwise; an undo tablespace stays as it
    is.
    """

    def forgotten(sql: str) -> str:
        assert " DEFAULT ENCRYPTION='Y'" in sql
        kept = [
            line for line in sql.splitlines(keepends=True) if not line.startswith("ALTER TABLE")
        ]
        return "".join(kept).replace(" DEFAULT ENCRYPTION='Y'", "")

    undo = {"innodb_undo_log_encrypt": "OFF"}
    with running(ALL, overrides=undo, init_sql=forgotten) as broken:
        assert broken.admin("SELECT @@default_table_encryption") == [(1,)]
        found = failed(await prove(broken, ALL, 1, full=True))
    spaces = found.pop("tablespaces in plaintext")
    for name in ("mysql", "sys/sys_config", "innodb_undo_001", "sbtest/encbench_marker_"):
        assert name in spaces
    assert set(found) == {
        "innodb_undo_log_encrypt",
        "marker in its table file",
        "files of tables in which the marker is readable",
        "files of system in which the marker is readable",
        "files of undo in which the marker is readable",
        "doublewrite files in which the marker is readable",
        "doublewrite files in which the echo is readable",
    }


def test_without_its_keyring_the_server_does_not_start() -> None:
    with prepared(ALL) as broken:
        Path(broken.layout.config, "mysqld.my").unlink()
        with pytest.raises(subprocess.CalledProcessError):
            broken.initialise()
        said = (broken.folder / "initialise.log").read_text()
        assert "Check keyring fail" in said
        assert not Path(broken.layout.volume, "initialised").exists()


async def test_a_plaintext_baseline_that_is_encrypted(tde_server: MySQL) -> None:
    found = failed(await prove(tde_server, PLAINTEXT, 101, full=True))
    assert {
        "default_table_encryption",
        "innodb_redo_log_encrypt",
        "innodb_undo_log_encrypt",
        "binlog_encryption",
        "active keyrings",
        "encrypted tablespaces",
        "encrypted binary logs",
        "marker in its table file",
        "marker in a table file",
        "marker in a system file",
        "marker in a redo file",
        "marker in a undo file",
        "marker in a binlog file",
        "marker in a doublewrite file",
    } == set(found)


@pytest.mark.full
async def test_percona_s_own_settings_on_another_server() -> None:
    """MySQL passes over them: the proof does not, and holds where they are not asked for."""
    with running(ALL, engine="percona") as server:
        proof = await prove(server, ALL, 1, full=False)
    assert set(failed(proof)) == {
        "innodb_sys_tablespace_encrypt",
        "innodb_temp_tablespace_encrypt",
        "encrypt_tmp_files",
    }
    mode = {"atRest": {"method": "engine", "scope": ["tables", "redo", "undo", "binlog"]}}
    with running(mode, engine="percona") as server:
        assert server.engine == "percona"
        proof = await prove(server, mode, 1, full=True)
    assert proof.ok, proof.summary


@pytest.mark.full
async def test_tls_without_a_certificate_that_can_be_read() -> None:
    """The server starts all the same, and its settings look right."""
    with running(TLS, overrides={"ssl_key": "{tls}/nothing"}) as broken:
        assert broken.admin("SELECT @@tls_version") == [("TLSv1.3",)]
        proof = await prove(broken, TLS, 1, full=False)
    assert set(failed(proof)) == {"TLS of the server"}


def test_the_benchmark_user_makes_no_table_in_plaintext(tde_server: MySQL) -> None:
    connection = pymysql.connect(
        host="127.0.0.1",
        port=tde_server.layout.port,
        user=tde_server.credentials["username"],
        password=tde_server.credentials["password"],
        database="sbtest",
    )
    refused = pytest.raises(pymysql.MySQLError, match="Table encryption differ")
    with connection, connection.cursor() as cursor, refused:
        cursor.execute("CREATE TABLE mine (id INT PRIMARY KEY) ENCRYPTION='N'")
