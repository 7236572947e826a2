# ruff: noqa: S608 - the statements are made of this file's own words
"""A bounded fuzzing of all that takes bytes from outside, watched by sanitisers.

Whatever comes is refused with an error of the right class, or is a value; the server lives on.
"""

import base64
import io
import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pg8000.dbapi
import pytest

from encbench.core.connection import DATABASE
from tests.support import enclave
from tests.support.enclave import Programs
from tests.support.postgres import ADMIN, Postgres

CASES = 1500
SEED = 20261122
OVERHEAD = 32
REFUSED = {
    "22P02",  # not a value, as text
    "22P03",  # not a value, in binary
    "22000",  # a value that the key does not open
    "22003",  # two values that it opens, and whose sum does not fit
}


@pytest.fixture(scope="module")
def watched(sanitised: Programs) -> Iterator[Postgres]:
    """A server with a sanitised extension and a few encrypted rows."""
    with enclave.running(sanitised) as server:
        server.admin(
            "CREATE TABLE i (v enc_int4)",
            "CREATE TABLE t (v enc_text)",
            "CREATE INDEX i_v ON i (v enc_int4_batch_ops)",
            "CREATE INDEX t_v ON t (v enc_text_batch_ops)",
            "INSERT INTO i SELECT enc_seal(n) FROM generate_series(1, 300) n",
            "INSERT INTO t SELECT enc_seal(repeat('x', n)) FROM generate_series(0, 299) n",
        )
        yield server


def mutated(random: random.Random, envelope: bytes) -> bytes:
    """An envelope with something done to it."""
    made = bytearray(envelope)
    kind = random.randrange(8)
    if kind == 0:
        return random.randbytes(random.choice([0, 1, 4, 16, 31, 32, 33, 36, 37, 200, 9000]))
    if kind == 1:
        return bytes(made[: random.randrange(len(made))])
    if kind == 2:
        return bytes(made) + random.randbytes(random.randrange(1, 40))
    if kind == 3:
        made[random.randrange(4)] = random.randrange(256)
    elif kind == 4:
        made[3] = random.choice([1, 2, 3])
    elif kind == 5:
        return bytes(made[:4]) + random.randbytes(random.choice([28, 32, 48, 5000]))
    else:
        place = random.randrange(len(made))
        made[place] ^= 1 << random.randrange(8)
    return bytes(made)


@pytest.fixture(scope="module")
def envelopes(watched: Postgres) -> dict[str, list[bytes]]:
    return {
        table: [base64.b64decode(row[0]) for row in watched.admin(f"SELECT v::text FROM {table}")]
        for table in ("i", "t")
    }


def outcomes(server: Postgres, one_case: Callable[[Any, random.Random], bool]) -> set[str]:
    """SQLSTATEs of so many cases in one session.

    `one_case` returns whether a case that was accepted was a value; "" stands for one that was not.
    """
    drawn, seen = random.Random(SEED), set()
    started = server.admin("SELECT pg_postmaster_start_time()")
    connection = pg8000.dbapi.connect(
        ADMIN, unix_sock=server.layout.socket, database=DATABASE, ssl_context=False
    )
    connection.autocommit = True
    try:
        cursor = connection.cursor()
        for _ in range(CASES):
            try:
                if not one_case(cursor, drawn):
                    seen.add("")
            except pg8000.dbapi.DatabaseError as error:
                seen.add(error.args[0]["C"])
    finally:
        connection.close()
    assert server.admin("SELECT pg_postmaster_start_time()") == started
    assert "Sanitizer" not in server.said()
    assert "runtime error" not in server.said()
    return seen


OPERATIONS = {
    "i": (
        "SELECT count(*) FROM i WHERE v = %s::enc_int4",
        "SELECT count(*) FROM i WHERE v >= %s::enc_int4",
        "SELECT max(enc_open(v + %s::enc_int4)) FROM i",
        "SELECT sum(v) FROM (SELECT v FROM i UNION ALL SELECT %s::enc_int4) a",
        "SELECT v FROM (SELECT v FROM i UNION ALL SELECT %s::enc_int4) a ORDER BY v LIMIT 1",
    ),
    "t": (
        "SELECT count(*) FROM t WHERE v = %s::enc_text",
        "SELECT count(*) FROM t WHERE v < %s::enc_text",
        "SELECT v FROM (SELECT v FROM t UNION ALL SELECT %s::enc_text) a ORDER BY v LIMIT 1",
    ),
}


@pytest.mark.parametrize("table", OPERATIONS)
def test_values_as_text(watched: Postgres, envelopes: dict[str, list[bytes]], table: str) -> None:
    def one_case(cursor: Any, drawn: random.Random) -> bool:
        value = mutated(drawn, drawn.choice(envelopes[drawn.choice("it")]))
        text = base64.b64encode(value).decode()
        if drawn.random() < 0.2:
            place = drawn.randrange(len(text) + 1)
            text = text[:place] + drawn.choice(["=", "*", " ", "A", "é", "\\"]) + text[place:]
        cursor.execute(drawn.choice(OPERATIONS[table]), (text,))
        return value in envelopes[table]

    seen = outcomes(watched, one_case)
    assert {"22P02", "22000"} <= seen <= REFUSED


@pytest.mark.parametrize("table", OPERATIONS)
def test_values_in_binary(watched: Postgres, envelopes: dict[str, list[bytes]], table: str) -> None:
    """By COPY, into an index, which compares them with what is there."""

    def one_case(cursor: Any, drawn: random.Random) -> bool:
        value = mutated(drawn, drawn.choice(envelopes[table]))
        stream = b"PGCOPY\n\xff\r\n\0" + struct.pack(">iihi", 0, 0, 1, len(value)) + value
        cursor.execute(f"COPY {table} FROM STDIN BINARY", stream=io.BytesIO(stream + b"\xff\xff"))
        return value in envelopes[table]

    seen = outcomes(watched, one_case)
    assert {"22P03", "22000"} <= seen <= REFUSED


def test_a_text_of_no_bytes(watched: Postgres) -> None:
    """No client's form of a value is so short, and a cast of a superuser's own checks none."""
    watched.admin("CREATE CAST (bytea AS enc_text) WITHOUT FUNCTION")
    try:
        # In a session that has opened nothing yet.
        with pytest.raises(pg8000.dbapi.DatabaseError) as refused:
            watched.admin("SELECT enc_seal('x') < ''::bytea::enc_text")
    finally:
        watched.admin("DROP CAST (bytea AS enc_text)")
    assert refused.value.args[0]["C"] == "22000"
    assert "Sanitizer" not in watched.said()


def test_stored_values_that_were_altered(watched: Postgres) -> None:
    """What a column without an index has taken in, without the key, is refused when it is used."""
    watched.admin("CREATE TABLE forged (v enc_int4)", "CREATE TABLE forged_t (v enc_text)")
    forged = bytes([0xEC, 1, 1, 1]) + bytes(OVERHEAD)
    text = bytes([0xEC, 1, 1, 2]) + bytes(OVERHEAD + 20)
    for table, value in (("forged", forged), ("forged_t", text)):
        watched.admin(f"INSERT INTO {table} VALUES ('{base64.b64encode(value).decode()}')")
    for statement in (
        "SELECT sum(v) FROM forged",
        "SELECT v + v FROM forged",
        "SELECT v < v FROM forged",
        "SELECT v = v FROM forged_t",
        "CREATE INDEX ON forged_t (v)",
        "INSERT INTO i SELECT v FROM forged",
        "SELECT count(*) FROM i JOIN forged f ON i.v = f.v",
    ):
        if statement.startswith("CREATE"):
            watched.admin("INSERT INTO forged_t SELECT * FROM forged_t")
        with pytest.raises(pg8000.dbapi.DatabaseError) as refused:
            watched.admin(statement)
        assert refused.value.args[0]["C"] == "22000", statement
