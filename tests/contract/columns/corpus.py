"""Tables with unmistakable values, and statements by which one might get hold of them.

The chosen columns of `secret` hold markers; `COLUMNS` chooses them. `tables.sql` makes the tables,
one statement a line. Every statement of `leaks.sql` has a marker in its plain result, and so has
every one of `OWN[engine]` on that engine.
"""

from pathlib import Path

MARKER = "Marker7Qx"
COLUMNS = "secret.name\nsecret.doc\nsecret.txt\nsecret.num # exact\nplain\n"
NUMBER = "73519402"
"""What stands in the number that is chosen: no other number has it."""

_FOLDER = Path(__file__).parent
_OWN_TYPES = {
    "mariadb": [],
    "mysql": [
        "ALTER TABLE types ADD emb VECTOR(3)",
        "UPDATE types SET emb = TO_VECTOR('[1,2,3]') WHERE id = 2",
    ],
}


def _statements(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").splitlines()


def tables(engine: str) -> list[str]:
    """Statements that make them."""
    return [*_statements("tables.sql"), *_OWN_TYPES[engine]]


LEAKS = _statements("leaks.sql")

TEXT_ONLY = [
    "SELECT @x := name FROM secret WHERE id = 1",
    "SET @x = (SELECT name FROM secret WHERE id = 1); SELECT @x; SELECT @x AS label",
    "SELECT @@version; SELECT name FROM secret",
    "SELECT label FROM plain; SELECT label FROM (SELECT name AS label FROM secret) plain",
    "CALL lists()",
    "CALL spoofs()",
    "CALL gives(@given); SELECT @given",
    "PREPARE p FROM 'SELECT label FROM (SELECT name AS label FROM secret) plain'; EXECUTE p",
    "HANDLER secret OPEN AS plain; HANDLER plain READ FIRST; HANDLER plain CLOSE",
    "CREATE TEMPORARY TABLE taken AS SELECT id, name AS label FROM secret; SELECT label FROM taken",
    "SELECT HEX(id), name FROM secret # label",
    "SET @s = CONCAT('SELECT 1 AS `', (SELECT name FROM secret WHERE id = 1), '`'); "
    "PREPARE p FROM @s; EXECUTE p",
    "SET @s = CONCAT('SELECT * FROM (SELECT 1 AS x) `', "
    "(SELECT name FROM secret WHERE id = 1), '`'); PREPARE p FROM @s; EXECUTE p",
]

ERRORS = [
    "SELECT EXTRACTVALUE(1, CONCAT(0x5c, (SELECT name FROM secret WHERE id = 1)))",
    "SELECT UPDATEXML(1, CONCAT(0x5c, (SELECT name FROM secret WHERE id = 1)), 1)",
    "INSERT INTO secret (id) SELECT name FROM secret WHERE id = 1",
    "SET @s = (SELECT name FROM secret WHERE id = 1); PREPARE p FROM @s",
]
"""Statements whose error has a marker in its text, whoever may run no more than SELECT."""

OWN = {
    "mariadb": [
        "INSERT INTO secret (id, name) VALUES (9, 'Marker7Qxnine') RETURNING name AS label",
        "DELETE FROM secret WHERE id = 9 RETURNING name, CONCAT(name) AS label",
        "SELECT * FROM secret PROCEDURE ANALYSE()",
        "SELECT * FROM JSON_TABLE((SELECT JSON_ARRAYAGG(name) FROM secret), '$[*]' "
        "COLUMNS (label VARCHAR(40) PATH '$')) plain",
        "EXECUTE IMMEDIATE 'SELECT label FROM (SELECT name AS label FROM secret) plain'",
        "SELECT /*M! name, */ id FROM secret",
        "SET STATEMENT max_statement_time=1 FOR SELECT HEX(id), name AS label FROM secret",
        "SET @s = CONCAT('SELECT 1 AS `', (SELECT name FROM secret WHERE id = 1), '`'); "
        "PREPARE p FROM @s; SET STATEMENT max_statement_time=1 FOR EXECUTE p",
        "BEGIN NOT ATOMIC SET @s = CONCAT('SELECT 1 AS `', "
        "(SELECT name FROM secret WHERE id = 1), '`'); EXECUTE IMMEDIATE @s; END",
        "BEGIN NOT ATOMIC DECLARE c CURSOR FOR SELECT 1; OPEN c; "
        "SELECT '', CONCAT(x'000A00', name) FROM secret WHERE id < 3; END",
    ],
    "mysql": [
        "SELECT doc->'$.a', doc->>'$.a' AS label FROM secret",
        "TABLE secret",
        "SELECT DISTINCT label, @ FROM joined",
        "SELECT label FROM (TABLE copied) plain",
        "SELECT t.label FROM plain, "
        "LATERAL (SELECT name AS label FROM secret WHERE secret.id = plain.id) t",
        "SELECT ANY_VALUE(name) AS label FROM secret",
        "EXPLAIN SELECT * FROM secret WHERE name = 'Marker7Qxone'",
    ],
}
"""Of one engine alone; by the text protocol."""

OPEN = [
    ("SELECT id, label FROM plain ORDER BY id", [[b"1", b"open"], [b"2", b"shut"]]),
    ("SELECT p.label FROM plain AS p WHERE p.id = 1", [[b"open"]]),
    (
        "SELECT secret.id, grp, label FROM secret JOIN plain ON plain.id = secret.id "
        "WHERE secret.id = 1",
        [[b"1", b"1", b"open"]],
    ),
    ("SELECT @@autocommit AS on_or_off", [[b"1"]]),
    ("/* some driver */ SELECT @@session.autocommit LIMIT 1", [[b"1"]]),
    ("SELECT @@autocommit + 1", None),
]
"""What passes in plaintext, with the rows; `None` where it does not after all."""
