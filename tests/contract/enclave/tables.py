# ruff: noqa: S608 - the statements are made of this file's own words
"""A table as the study has it, with everything encrypted, and questions whose answers are known."""

from typing import Any

from tests.support.postgres import Postgres

MARKER = "ENCBENCH-ENCLAVE-MARKER"
CREATE = (
    "CREATE TABLE sbtest1 (id enc_int4 PRIMARY KEY, k enc_int4 NOT NULL, c enc_text NOT NULL, "
    "pad enc_text, n int)",
    "CREATE INDEX k_1 ON sbtest1 (k enc_int4_batch_ops)",
    "CREATE INDEX c_1 ON sbtest1 (c)",
)


def insert(first: int, last: int) -> str:
    """Rows `first` to `last`; every tenth has no pad, and each has the marker."""
    return (
        "INSERT INTO sbtest1 SELECT enc_seal(n), enc_seal(n % 500), "
        f"enc_seal('{MARKER} ' || n), CASE WHEN n % 10 > 0 THEN enc_seal('pad ' || n) END, n "
        f"FROM generate_series({first}, {last}) n"
    )


def wrong(ask: Any) -> list[str]:
    """What the table and its indexes answer otherwise than they should.

    `ask` runs statements and returns the last one's rows. `n` is the row's number in plaintext.
    """
    (rows,) = ask("SELECT count(*), sum(n), enc_open(sum(id)) FROM sbtest1")
    ((last,),) = ask("SELECT max(n) FROM sbtest1")
    ((bad,),) = ask(
        "SELECT count(*) FROM sbtest1 WHERE enc_open(id) <> n OR enc_open(k) <> n % 500 "
        f"OR enc_open(c) <> '{MARKER} ' || n OR (pad IS NULL) <> (n % 10 = 0) "
        "OR enc_open(pad) <> 'pad ' || n"
    )
    found = [f"{bad} rows are not as they were written"] if bad else []
    if rows[1] != rows[2] or rows[0] != last:
        found.append(f"rows, sum and encrypted sum are {rows}, and the last row is {last}")
    ask("SET enable_seqscan = off")
    for number in (1, last // 2, last):
        for column, value in (("id", number), ("k", number % 500), ("c", f"'{MARKER} {number}'")):
            ((sealed,),) = ask(f"SELECT enc_seal({value})::text")
            condition = f"{column} = '{sealed}'::enc_{'text' if column == 'c' else 'int4'}"
            plan = ask(f"EXPLAIN SELECT n FROM sbtest1 WHERE {condition}")
            answer = ask(f"SELECT n FROM sbtest1 WHERE {condition}")
            if not any("Index" in line for (line,) in plan) or (number,) not in answer:
                found.append(f"{column} of row {number}: {answer} by {plan}")
    return found


def check_trees(server: Postgres) -> None:
    """Let the server compare every item of every index with its neighbours and the table."""
    server.admin(
        "CREATE EXTENSION IF NOT EXISTS amcheck",
        "SELECT bt_index_parent_check(c.oid, true) FROM pg_class c JOIN pg_index i "
        "ON i.indexrelid = c.oid WHERE i.indrelid = 'sbtest1'::regclass",
    )
