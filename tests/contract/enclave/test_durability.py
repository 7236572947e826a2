# ruff: noqa: S608 - the statements are made of this file's own words
"""Encrypted columns through a crash, a standby, a dump, and a log that is left out."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pg8000.dbapi
import pytest

from encbench.core.connection import DATABASE
from tests.contract.enclave import tables
from tests.contract.enclave.tables import MARKER
from tests.support import enclave
from tests.support.daemon import free_port
from tests.support.enclave import Programs
from tests.support.postgres import ADMIN, Postgres

PLAIN_MARKER = "ENCBENCH-PLAIN-MARKER"
CHURN = """
CREATE FUNCTION churn(first int, behind int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    middle enc_int4 := enc_seal(1000);
    below int;
    found int;
    wrong int := 0;
BEGIN
    SELECT count(*) INTO below FROM generate_series(0, first - 1) g WHERE g * 7919 % 2000 < 1000;
    FOR i IN first .. behind - 1 LOOP
        INSERT INTO t VALUES (enc_seal(i * 7919 % 2000));
        below := below + (i * 7919 % 2000 < 1000)::int;
        SELECT count(*) INTO found FROM t WHERE id < middle;
        wrong := wrong + (found <> below)::int;
    END LOOP;
    RETURN wrong;
END $$"""
"""Inserts in no order, which splits pages, and always asks the same: how many are below 1000."""
MINIMAL = {"wal_level": "minimal", "max_wal_senders": "0"}
"""What a transaction writes into a file of its own making is not logged; it is synced instead."""


@pytest.fixture(scope="module")
def loaded(server: Postgres) -> Postgres:
    """A server with ten thousand encrypted rows."""
    server.admin(*tables.CREATE, tables.insert(1, 10_000), "ANALYZE sbtest1")
    return server


@contextlib.contextmanager
def session(socket: str, database: str = DATABASE) -> Iterator[Callable[[str], list[Any]]]:
    """A session that runs a statement and returns its rows as lists."""
    connection = pg8000.dbapi.connect(ADMIN, unix_sock=socket, database=database, ssl_context=False)
    connection.autocommit = True

    def ask(statement: str) -> list[Any]:
        cursor = connection.cursor()
        cursor.execute(statement)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

    try:
        yield ask
    finally:
        connection.close()


def test_every_index_answers(loaded: Postgres) -> None:
    with session(loaded.layout.socket) as ask:
        assert tables.wrong(ask) == []
    tables.check_trees(loaded)


def test_a_crash_in_the_middle_of_writing(loaded: Postgres) -> None:
    last = loaded.admin("SELECT max(n) FROM sbtest1")[0][0]
    loaded.admin("CHECKPOINT", tables.insert(last + 1, last + 3000))
    before = loaded.said().count("redo done at")
    loaded.stop(signal.SIGKILL)
    loaded.start()
    assert loaded.said().count("redo done at") == before + 1
    assert loaded.admin("SELECT count(*) FROM sbtest1") == [(last + 3000,)]
    with session(loaded.layout.socket) as ask:
        assert tables.wrong(ask) == []
    tables.check_trees(loaded)


def test_a_standby_replays_the_log(loaded: Postgres) -> None:
    """It has the key, too: what comes by the log is ciphertext."""
    places, port = loaded.layout, free_port()
    data = f"{places.volume}/standby"
    socket = f"{places.volume}/.s.PGSQL.{port}"
    inside(loaded, "pg_basebackup", "-h", places.volume, "-p", str(places.port), "-U", ADMIN)(
        "-D", data, "-R", "--checkpoint=fast"
    )
    Path(data, "pg_hba.conf").write_text("local all postgres trust\n")
    key = loaded.admin("SHOW encbench_enclave.key_file")[0][0]
    costs = "\n".join(f"{name} = {cost}" for name, cost in enclave.FREE.items())
    Path(data, "postgresql.conf").write_text(
        f"port = {port}\nlisten_addresses = ''\nunix_socket_directories = '{places.volume}'\n"
        f"shared_buffers = 32MB\nmax_connections = 100\nencbench_enclave.key_file = '{key}'\n"
        f"{costs}\n"
    )
    inside(loaded, "pg_ctl", "-D", data, "-l", f"{data}/log", "-w", "start")()
    try:
        last = loaded.admin("SELECT max(n) FROM sbtest1")[0][0]
        with session(socket) as ask:
            for _ in range(3):
                loaded.admin(
                    tables.insert(last + 1, last + 700), "UPDATE sbtest1 SET k = k WHERE n < 300"
                )
                last += 700
                arrived(ask, loaded)
                assert tables.wrong(ask) == []
            assert ask("SELECT pg_is_in_recovery()") == [(True,)]
            ask("SELECT pg_promote(true, 30)")
            ask(tables.insert(last + 1, last + 50))
            assert tables.wrong(ask) == []
    finally:
        inside(loaded, "pg_ctl", "-D", data, "-m", "immediate", "stop")()


def arrived(ask: Callable[[str], list[Any]], primary: Postgres) -> None:
    """Wait until the standby has replayed what the primary has written."""
    ((end,),) = primary.admin("SELECT pg_current_wal_lsn()")
    deadline = time.monotonic() + 30
    while ask(f"SELECT pg_last_wal_replay_lsn() >= '{end}'") != [(True,)]:
        assert time.monotonic() < deadline, "the standby does not follow"
        time.sleep(0.05)


def inside(server: Postgres, *command: str) -> Callable[..., None]:
    """That command with more arguments in the server's pod; it has to succeed."""

    def run(*more: str) -> None:
        done = server.inside(*command, *more)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def test_a_dump_is_ciphertext_and_comes_back(loaded: Postgres) -> None:
    places = loaded.layout
    dump, where = f"{places.volume}/dump.sql", ("-h", places.volume, "-p", str(places.port))
    inside(loaded, "pg_dump", *where, "-U", ADMIN, "-f", dump, DATABASE)()
    text = Path(dump).read_text()
    assert "CREATE TABLE public.sbtest1" in text
    assert MARKER not in text
    loaded.admin("DROP DATABASE IF EXISTS restored", "CREATE DATABASE restored TEMPLATE template0")
    restore = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", ADMIN, "-d", "restored", "-f", dump)
    inside(loaded, "psql", *where, *restore)()
    with session(places.socket, "restored") as ask:
        ask("ANALYZE sbtest1")
        assert tables.wrong(ask) == []


def test_no_plaintext_in_heap_index_or_log(loaded: Postgres) -> None:
    loaded.admin(
        "CREATE TABLE plain (c char(120))",
        "CREATE INDEX plain_c ON plain (c)",
        f"INSERT INTO plain VALUES ('{PLAIN_MARKER}')",
        "CHECKPOINT",
    )
    names = dict(
        loaded.admin(
            "SELECT relname, pg_relation_filepath(oid) FROM pg_class "
            "WHERE relname IN ('sbtest1', 'c_1', 'plain', 'plain_c')"
        )
    )
    data = Path(loaded.layout.data)
    loaded.stop()
    files = [file for file in data.rglob("*") if file.is_file()]
    held = {file: file.read_bytes() for file in files}
    loaded.start()
    assert [file for file, content in held.items() if MARKER.encode() in content] == []
    found = {file for file, content in held.items() if PLAIN_MARKER.encode() in content}
    assert {data / names["plain"], data / names["plain_c"]} <= found
    assert any(file.parent.name == "pg_wal" for file in found)
    assert len(held[data / names["c_1"]]) > 1_000_000
    for secret in (enclave.KEY.encode(), bytes.fromhex(enclave.KEY)):
        assert [file for file, content in held.items() if secret in content] == []
    assert enclave.KEY not in loaded.said()


def test_an_index_that_is_not_logged_for_now(programs: Programs) -> None:
    """Its pages change without a mark in the log; batching must not take them for the old ones."""
    with enclave.running(programs, overrides=MINIMAL) as server:
        inside(server, "mkdir", f"{server.layout.volume}/elsewhere")()
        server.admin(
            f"CREATE TABLESPACE elsewhere LOCATION '{server.layout.volume}/elsewhere'",
            "CREATE FUNCTION sealed(int) RETURNS enc_int4 LANGUAGE sql STABLE "
            "AS 'SELECT enc_seal($1)'",
            CHURN,
        )
        with session(server.layout.socket) as ask:
            ask("SET enable_seqscan = off")
            ask("BEGIN")
            ask("CREATE TABLE t (id enc_int4)")
            ask("CREATE INDEX t_id ON t (id enc_int4_batch_ops)")
            assert ask("SELECT churn(0, 600)") == [(0,)]
            ask("COMMIT")
            assert ask("SELECT churn(600, 900)") == [(0,)]
            ask("BEGIN")
            ask("ALTER INDEX t_id SET TABLESPACE elsewhere")
            assert ask("SELECT churn(900, 2000)") == [(0,)]
            ask("COMMIT")
            assert ask("SELECT count(*) FROM t WHERE id < sealed(1000)") == [(1000,)]


def test_an_index_that_was_built_without_the_log(programs: Programs) -> None:
    """Its pages have no place in the log until they change, and are batched all the same."""
    with enclave.running(programs, overrides=MINIMAL) as server:
        server.admin(
            "CREATE EXTENSION pageinspect",
            CHURN,
            # A smaller file would be logged after all, when its transaction ends.
            "SET wal_skip_threshold = 0",
            "BEGIN",
            "CREATE TABLE t (id enc_int4)",
            "INSERT INTO t SELECT enc_seal(n) FROM generate_series(0, 1999) n",
            "CREATE INDEX t_id ON t (id enc_int4_batch_ops)",
            "COMMIT",
        )
        pages = "generate_series(1, 10) n, page_header(get_raw_page('t_id', n))"
        assert server.admin(f"SELECT DISTINCT lsn::text FROM {pages}") == [("0/0",)]
        with session(server.layout.socket) as ask:
            ask("SET enable_seqscan = off")
            ((sealed,),) = ask("SELECT enc_seal(1234)::text")
            assert crossings(ask, f"SELECT count(*) FROM t WHERE id = '{sealed}'") <= 3
            assert ask("SELECT churn(2000, 2600)") == [(0,)]


def crossings(ask: Callable[[str], list[Any]], statement: str) -> int:
    """How often the session crosses the boundary for a statement that finds one row."""
    ((before,),) = ask("SELECT transitions FROM enclave_crossings()")
    assert ask(statement) == [(1,)]
    ((after,),) = ask("SELECT transitions FROM enclave_crossings()")
    return int(after - before)
