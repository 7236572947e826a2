"""Each way in which a mode can silently not be in force, made on a real server, and seen."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from encbench.adapters.sql import SqlError, connect
from encbench.engines.users import AGENT_USER
from tests.contract.database.harness import agent
from tests.contract.database.proving import failed, prove
from tests.contract.postgresql.modes import OTHER
from tests.support.postgres import Postgres
from tests.support.testbeds import PLAINTEXT, TLS

OVERRIDDEN = "settings of single roles or databases"
FORGED = {
    "pg_hba_file_rules": "SELECT 1 AS line_number, NULL::text AS error, 'hostssl'::text AS type, "
    "ARRAY['sbtest'] AS database, ARRAY['encbench'] AS user_name, 'all'::text AS address, "
    "'scram-sha-256'::text AS auth_method",
    "pg_db_role_setting": "SELECT 0::oid AS setdatabase, 0::oid AS setrole, '{}'::text[] AS "
    "setconfig",
}
"""What the proof would like to read."""


async def test_a_plaintext_baseline_that_offers_tls(tls_server: Postgres) -> None:
    """A client of libpq negotiates TLS wherever it is offered."""
    assert set(failed(await prove(tls_server, PLAINTEXT, 101, full=False))) == {"ssl"}


async def test_tls_switched_off_at_run_time(tls_server: Postgres) -> None:
    tls_server.admin("ALTER SYSTEM SET ssl = off", "SELECT pg_reload_conf()")
    try:
        assert set(failed(await prove(tls_server, TLS, 105, full=False))) == {"ssl"}
    finally:
        tls_server.admin("ALTER SYSTEM RESET ssl", "SELECT pg_reload_conf()")
    assert (await prove(tls_server, TLS, 106, full=False)).ok


async def test_a_rule_that_does_without_tls(tls_server: Postgres) -> None:
    with rules(tls_server, "hostssl", "host"):
        found = failed(await prove(tls_server, TLS, 107, full=True))
    assert set(found) == {"a rule of access by TLS", "rules of access that do without TLS"}
    assert "host sbtest encbench" in found["rules of access that do without TLS"]


async def test_a_database_that_answers_in_the_server_s_place(tls_server: Postgres) -> None:
    """Its owner decides where sessions look names up, unless they say so themselves."""
    tls_server.admin(
        "SET ROLE encbench",
        "ALTER DATABASE sbtest SET search_path = public, pg_catalog",
        *(f"CREATE VIEW public.{name} AS {rows}" for name, rows in FORGED.items()),
    )
    try:
        right = failed(await prove(tls_server, TLS, 112, full=False))
        with rules(tls_server, "hostssl", "host"):
            found = failed(await prove(tls_server, TLS, 113, full=False))
        async with agent(tls_server, TLS) as there:
            path = (await there.server())["settings"]["search_path"]
    finally:
        tls_server.admin(
            "ALTER DATABASE sbtest RESET search_path",
            f"DROP VIEW {', '.join(f'public.{name}' for name in FORGED)}",
        )
    assert set(right) == {OVERRIDDEN}
    assert "search_path=public, pg_catalog" in right[OVERRIDDEN]
    rest = {"a rule of access by TLS", "rules of access that do without TLS"}
    assert set(found) == {OVERRIDDEN, *rest}
    assert path == '"$user", public', "the agent's own is not the server's"


async def test_a_policy_s_function_does_not_run_for_the_agent(tls_server: Postgres) -> None:
    """Its owner chooses the rows of a table by it, and code that runs where they are read."""
    tls_server.admin(
        "SET ROLE encbench",
        "CREATE TABLE public.bmsql_item AS SELECT 1 AS i_id",
        "CREATE FUNCTION public.theirs() RETURNS bool LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'as %', current_user; END $$",
        "CREATE POLICY own ON public.bmsql_item USING (public.theirs())",
        "ALTER TABLE public.bmsql_item ENABLE ROW LEVEL SECURITY",
    )
    session = connect(
        "pgsql",
        Path(tls_server.layout.socket),
        AGENT_USER,
        tls_server.credentials["agent-password"],
    )
    try:
        with pytest.raises(SqlError, match="affected by row-level security policy"):
            session.rows("SELECT * FROM public.bmsql_item")
        async with agent(tls_server, TLS) as there:
            own = (await there.server())["settings"]["row_security"]
    finally:
        session.close()
        tls_server.admin("DROP TABLE public.bmsql_item", "DROP FUNCTION public.theirs")
    assert own == "on", "the agent's own is not the server's"


@contextmanager
def rules(server: Postgres, old: str, new: str) -> Iterator[None]:
    """The server's rules of access, changed for a while."""
    file = Path(server.layout.config, "pg_hba.conf")
    right = file.read_text()
    file.write_text(right.replace(old, new))
    try:
        yield
    finally:
        file.write_text(right)


async def test_another_version_and_suite(other_server: Postgres) -> None:
    found = failed(await prove(other_server, TLS, 102, full=False))
    assert set(found) == {"ssl_min_protocol_version", "ssl_max_protocol_version"}
    weaker = {"inTransit": {"version": "TLSv1.2"}}
    assert set(failed(await prove(other_server, weaker, 103, full=False))) == {"ssl_ciphers"}
    assert (await prove(other_server, OTHER, 104, full=False)).ok


async def test_tables_where_nobody_looks(plaintext_server: Postgres) -> None:
    elsewhere = f"{plaintext_server.layout.volume}/elsewhere"
    assert plaintext_server.inside("mkdir", elsewhere).returncode == 0
    plaintext_server.admin(f"CREATE TABLESPACE elsewhere LOCATION '{elsewhere}'")
    try:
        found = failed(await prove(plaintext_server, PLAINTEXT, 108, full=False))
    finally:
        plaintext_server.admin("DROP TABLESPACE elsewhere")
    assert set(found) == {"tablespaces outside the data directory"}
    assert elsewhere in found["tablespaces outside the data directory"]


async def test_tables_of_another_access_method(plaintext_server: Postgres) -> None:
    """As pg_tde brings one; here the server's own under another name."""
    plaintext_server.admin(
        "CREATE ACCESS METHOD tde_heap TYPE TABLE HANDLER heap_tableam_handler",
        "ALTER DATABASE sbtest SET default_table_access_method = tde_heap",
    )
    try:
        found = failed(await prove(plaintext_server, PLAINTEXT, 109, full=False))
    finally:
        plaintext_server.admin(
            "ALTER DATABASE sbtest RESET default_table_access_method", "DROP ACCESS METHOD tde_heap"
        )
    assert set(found) == {
        "extensions that could encrypt",
        "default_table_access_method",
        OVERRIDDEN,
    }


async def test_a_loaded_database_stays_proven_over_restarts(tls_server: Postgres) -> None:
    tls_server.admin(
        "CREATE TABLE sbtest1 (id int PRIMARY KEY, pad char(100))",
        "INSERT INTO sbtest1 SELECT n, md5(n::text) FROM generate_series(1, 20000) n",
    )
    recovered = "database system was not properly shut down"
    before = tls_server.said().count(recovered)
    for number, how in ((110, signal.SIGTERM), (111, signal.SIGKILL)):
        tls_server.stop(how)
        tls_server.start()
        proof = await prove(tls_server, TLS, number, full=True)
        assert proof.ok, proof.summary
    assert tls_server.admin("SELECT count(*) FROM sbtest1") == [(20000,)]
    assert tls_server.said().count(recovered) == before + 1
    tls_server.admin("DROP TABLE sbtest1")


def test_psql_cannot_do_without_tls_in_a_tls_arm(tls_server: Postgres) -> None:
    """The rule as the client meets it, with the password right."""
    done = subprocess.run(
        ["psql", "--no-psqlrc", "-c", "SELECT 1"],
        env={
            "PATH": f"{tls_server.binaries}:/usr/bin:/bin",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(tls_server.layout.port),
            "PGUSER": tls_server.credentials["username"],
            "PGPASSWORD": tls_server.credentials["password"],
            "PGDATABASE": "sbtest",
            "PGSSLMODE": "disable",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no encryption" in done.stderr
