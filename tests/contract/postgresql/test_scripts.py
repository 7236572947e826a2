"""The scripts that make the data directory and start the server, run as the pod does."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres, running


@pytest.fixture(scope="module")
def spoilt() -> Iterator[Postgres]:
    """A server for tests that do not leave it as they found it."""
    with running({}) as server:
        yield server


def test_a_half_built_directory_is_made_anew_and_a_whole_one_is_kept(spoilt: Postgres) -> None:
    data, done = Path(spoilt.layout.data), Path(spoilt.layout.volume, "initialised")
    assert done.exists()
    spoilt.admin("CREATE TABLE kept (id int PRIMARY KEY)")
    spoilt.stop()

    data.chmod(0o2770)  # as a volume that was mounted anew
    spoilt.initialise()
    spoilt.start()
    assert tables(spoilt) == [("kept",)]
    spoilt.stop()

    done.unlink()
    (data / "PG_VERSION").unlink()
    spoilt.initialise()
    assert done.exists()
    spoilt.start()
    assert tables(spoilt) == []


def tables(server: Postgres) -> list[tuple[str]]:
    return server.admin("SELECT relname FROM pg_class WHERE relname = 'kept'")


def test_initdb_took_the_template_without_huge_pages(plaintext_server: Postgres) -> None:
    """Its servers read the file that it makes of the template; ours reads its own."""
    made = Path(plaintext_server.layout.data, "postgresql.conf").read_text(encoding="utf-8")
    assert made.splitlines()[-1] == "huge_pages = off"
    assert not Path(plaintext_server.layout.volume, "template").exists()


def test_settings_that_log_statements_log_no_password(spoilt: Postgres) -> None:
    spoilt.stop()
    Path(spoilt.layout.volume, "initialised").unlink()
    places = spoilt.layout
    with Path(places.server_conf).open("a", encoding="utf-8") as conf:
        conf.write(
            "log_statement = all\nlog_duration = on\nlog_min_duration_statement = 0\n"
            "log_transaction_sample_rate = 1\nlog_parser_stats = on\nlog_min_messages = debug5\n"
            "debug_print_parse = on\ndebug_print_rewritten = on\ndebug_print_plan = on\n"
        )
    made = spoilt.inside(
        "sh", places.initialise, places.volume, places.server_conf, places.init_sql
    )
    assert made.returncode == 0, made.stderr
    passwords = re.findall("PASSWORD '(.+)'", Path(places.init_sql).read_text(encoding="utf-8"))
    assert len(passwords) == 2
    for password in passwords:
        assert password not in made.stdout + made.stderr
    spoilt.start()
    assert spoilt.admin("SELECT count(*) FROM pg_roles WHERE rolcanlogin") == [(3,)]


def test_a_statement_that_fails_leaves_no_finished_directory_and_no_password(
    spoilt: Postgres,
) -> None:
    spoilt.stop()
    Path(spoilt.layout.volume, "initialised").unlink()
    statements = Path(spoilt.layout.init_sql)
    statements.write_text(f"CREATE ROL {spoilt.credentials['password']};\n\n")
    with pytest.raises(RuntimeError, match="syntax error") as failure:
        spoilt.initialise()
    assert spoilt.credentials["password"] not in str(failure.value)
    assert not Path(spoilt.layout.volume, "initialised").exists()


def test_it_ends_at_once_although_a_client_stays(plaintext_server: Postgres) -> None:
    """Left to itself the server would wait for the client for ever."""
    client = subprocess.Popen(
        ["psql", "--no-psqlrc", "-c", "SELECT pg_sleep(60)"],
        env={
            "PATH": f"{plaintext_server.binaries}:/usr/bin:/bin",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(plaintext_server.layout.port),
            "PGUSER": plaintext_server.credentials["username"],
            "PGPASSWORD": plaintext_server.credentials["password"],
            "PGDATABASE": "sbtest",
        },
        stderr=subprocess.PIPE,
    )
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
    while plaintext_server.admin(waiting) != [(1,)]:
        assert client.poll() is None
    plaintext_server.stop()
    try:
        assert plaintext_server.process is not None
        assert plaintext_server.process.returncode == 0
        assert b"terminating connection" in client.communicate(timeout=10)[1]
        assert not Path(plaintext_server.layout.data, "postmaster.pid").exists()
        assert "received fast shutdown request" in plaintext_server.said()
    finally:
        plaintext_server.start()


def test_what_a_killed_server_left_behind_is_no_obstacle(plaintext_server: Postgres) -> None:
    """In a new pod its process number may be another's, of the same user."""
    lock = Path(plaintext_server.layout.data, "postmaster.pid")
    lines = lock.read_text().splitlines(keepends=True)
    plaintext_server.stop()
    other = plaintext_server.inside("sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!").stdout.strip()
    lock.write_text("".join([f"{other}\n", *lines[1:]]))
    try:
        plaintext_server.start()
        assert lock.read_text().splitlines()[0] != other
    finally:
        plaintext_server.inside("kill", other)


def test_a_server_that_is_there_is_not_taken_for_a_left_behind_one(
    plaintext_server: Postgres,
) -> None:
    again = plaintext_server.inside(
        "sh",
        f"{plaintext_server.layout.config}/start.sh",
        plaintext_server.layout.volume,
        plaintext_server.layout.server_conf,
    )
    assert again.returncode != 0
    assert "lock file" in again.stderr
    assert plaintext_server.admin("SELECT 1") == [(1,)]


def test_a_crash_leaves_a_pid_file_until_the_next_start() -> None:
    """PostgreSQL removes its own although its files are no dataset then."""
    with running({}) as server:
        crashed = Path(server.layout.volume, "crashed.pid")
        asked = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"
        ((writer,),) = server.admin(asked)
        server.inside("kill", "-KILL", str(writer))
        assert server.process is not None
        assert server.process.wait(30) == 1
        assert crashed.exists()
        assert not Path(server.layout.data, "postmaster.pid").exists()
        server.start()
        assert not crashed.exists()
