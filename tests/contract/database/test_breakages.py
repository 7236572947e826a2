"""Each way in which a mode can silently not be in force, made on a real server, and seen."""

import signal
import time

import pytest

from tests.contract.database.proving import failed, prove
from tests.support.mariadb import MariaDB, running
from tests.support.testbeds import PLAINTEXT, TDE


@pytest.mark.parametrize(
    ("setting", "kind"), [("innodb_encrypt_log", "ib_logfile0"), ("encrypt_binlog", "binlog.")]
)
async def test_a_log_in_plaintext_under_tde(setting: str, kind: str) -> None:
    with running(TDE, overrides={setting: "OFF"}) as server:
        full = await prove(server, TDE, 1, full=True)
        marker = await prove(server, TDE, 2, full=False)
    assert set(failed(full)) == {setting, "files in which the marker is readable"}
    assert kind in failed(full)["files in which the marker is readable"]
    assert set(failed(marker)) == {setting}


async def test_tables_decrypted_at_run_time() -> None:
    with running(TDE) as server:
        server.admin("CREATE TABLE sbtest.sbtest1 (id INT PRIMARY KEY)")
        assert (await prove(server, TDE, 1, full=True)).ok
        server.admin("SET GLOBAL innodb_encrypt_tables=OFF")
        wait_until_decrypted(server)
        proof = await prove(server, TDE, 2, full=False)
    found = failed(proof)
    assert "innodb_encrypt_tables" in found
    assert "innodb_system" in found["tablespaces in plaintext"]
    assert "files in which the marker is readable" in found


def wait_until_decrypted(server: MariaDB) -> None:
    question = (
        "SELECT COUNT(*) FROM information_schema.INNODB_TABLESPACES_ENCRYPTION "
        "WHERE MIN_KEY_VERSION > 0"
    )
    deadline = time.monotonic() + 60
    while server.admin(question) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.1)


async def test_one_table_in_plaintext_where_encryption_is_not_forced() -> None:
    with running(TDE, overrides={"innodb_encrypt_tables": "ON"}) as server:
        server.admin("CREATE TABLE sbtest.open_table (id INT PRIMARY KEY) ENCRYPTED=NO")
        proof = await prove(server, TDE, 1, full=True)
    found = failed(proof)
    assert set(found) == {"innodb_encrypt_tables", "tablespaces in plaintext"}
    assert "sbtest/open_table" in found["tablespaces in plaintext"]


async def test_a_table_of_another_engine(tde_server: MariaDB) -> None:
    tde_server.admin("CREATE TABLE sbtest.rows_ (pad CHAR(40)) ENGINE=MyISAM")
    try:
        proof = await prove(tde_server, TDE, 103, full=True)
    finally:
        tde_server.admin("DROP TABLE sbtest.rows_")
    assert failed(proof) == {
        "tables that are not InnoDB's": "expected none; observed rows_ (MyISAM)"
    }


async def test_a_plaintext_baseline_that_is_encrypted(tde_server: MariaDB) -> None:
    proof = await prove(tde_server, PLAINTEXT, 101, full=True)
    assert {
        "innodb_encrypt_tables",
        "active key plugins",
        "encrypted tablespaces",
        "marker in its table file",
        "marker in a redo file",
        "marker in a binlog file",
    } <= set(failed(proof))


async def test_another_algorithm(tde_server: MariaDB) -> None:
    cbc = {"atRest": {"method": "engine", "algorithm": "AES_CBC"}}
    assert set(failed(await prove(tde_server, cbc, 102, full=False))) == {"encryption algorithm"}


async def test_a_loaded_database_stays_proven_over_restarts() -> None:
    with running(TDE) as server:
        server.admin(
            *(
                f"CREATE TABLE sbtest.sbtest{number} (id INT PRIMARY KEY, pad CHAR(100))"
                for number in range(1, 6)
            ),
            "INSERT INTO sbtest.sbtest1 SELECT seq, MD5(seq) FROM seq_1_to_20000",
        )
        for number, how in ((1, signal.SIGTERM), (2, signal.SIGKILL)):
            server.stop(how)
            server.start()
            proof = await prove(server, TDE, number, full=True)
            assert proof.ok, proof.summary
