# ruff: noqa: S608 - the statements are made of this file's own words
"""The key: where it comes from, what is said without it, and that it is never said."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pg8000.dbapi
import pytest

from encbench.kube.pods import USER_ID
from tests.support import enclave
from tests.support.kube import wait_for
from tests.support.postgres import Postgres

COMPARE = "SELECT a.e = b.e FROM kept a, kept b"
NAMED = "SHOW encbench_enclave.key_file"
CLOSED = "cannot be opened"
UNUSABLE = {
    "": "does not hold a key",
    enclave.KEY[:-2]: "does not hold a key",
    f"{enclave.KEY}00": "does not hold a key",
    f"{enclave.KEY[:-1]}g": "does not hold a key",
    f" {enclave.KEY}": "does not hold a key",
    f"{enclave.KEY}\n\n\n": "does not hold a key",
    "ff" * 16: CLOSED,
}


@pytest.fixture(scope="module", autouse=True)
def kept(server: Postgres) -> None:
    server.admin(
        "CREATE TABLE kept (e enc_int4)",
        "INSERT INTO kept VALUES (enc_seal(5))",
        "CREATE TABLE paged (e enc_int4)",
        "CREATE INDEX ON paged (e enc_int4_batch_ops)",
        "INSERT INTO paged SELECT e FROM kept",
    )


@contextmanager
def key_as(server: Postgres, text: str | None) -> Iterator[None]:
    """Have another text in the key's file, or no file, for a while."""
    file = Path(server.admin("SHOW encbench_enclave.key_file")[0][0])
    right = file.read_text()
    file.unlink()
    if text is not None:
        write(file, text)
    try:
        yield
    finally:
        write(file, right)


def write(file: Path, text: str) -> None:
    file.write_text(text)
    os.chown(file, 0, USER_ID)
    file.chmod(0o440)


@pytest.mark.parametrize("text", UNUSABLE)
def test_not_the_key(server: Postgres, text: str) -> None:
    with key_as(server, text), pytest.raises(pg8000.dbapi.Error) as refused:
        server.admin(COMPARE)
    assert UNUSABLE[text] in str(refused.value)
    assert not text.strip() or text.strip() not in str(refused.value)
    assert server.admin(COMPARE) == [(True,)]


def test_no_file(server: Postgres) -> None:
    with key_as(server, None), pytest.raises(pg8000.dbapi.Error, match="No such file or directory"):
        server.admin(COMPARE)


def test_values_travel_without_the_key(server: Postgres) -> None:
    """Host code has none: it stores, copies and hands out what it cannot read."""
    with key_as(server, None):
        ((text,),) = server.admin("SELECT e::text FROM kept")
        server.admin(
            "CREATE TABLE copied AS SELECT * FROM kept", f"INSERT INTO copied VALUES ('{text}')"
        )
    assert server.admin("SELECT DISTINCT enc_open(e) FROM copied") == [(5,)]


@pytest.mark.parametrize("batched", [False, True])
def test_it_changes_with_its_file_s_name(server: Postgres, batched: bool) -> None:
    """A session forgets the key, and what it knows of pages, when another file is named."""
    ((sealed,),) = server.admin("SELECT enc_seal(5)::text")
    asked = f"SELECT count(*) FROM paged WHERE e = '{sealed}'" if batched else COMPARE
    other = Path(server.layout.volume, "other-key")
    write(other, "ff" * 16)
    right = server.admin(NAMED)[0][0]
    try:
        with server.session() as run:
            for statement in (
                "SET enable_seqscan = off",
                asked,
                f"ALTER SYSTEM SET encbench_enclave.key_file = '{other}'",
                "SELECT pg_reload_conf()",
            ):
                run(statement)
            wait_for("the other file", lambda: run(NAMED) == [(str(other),)], 30, every=0.1)
            with pytest.raises(pg8000.dbapi.Error, match=CLOSED):
                run(asked)
    finally:
        server.admin(
            "LOAD 'encbench_enclave'",
            "ALTER SYSTEM RESET encbench_enclave.key_file",
            "SELECT pg_reload_conf()",
        )
    wait_for("the right file", lambda: server.admin(NAMED) == [(right,)], 30, every=0.1)


def test_it_is_never_said(server: Postgres) -> None:
    assert enclave.KEY not in server.said()
    assert enclave.KEY not in str(server.admin("SHOW ALL"))
