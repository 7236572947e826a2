"""What each client and library does through the proxy: the table of docs/conformance.md.

The tests take their cases from here, and a unit test holds the page to it.
"""

from dataclasses import dataclass
from typing import Final

WORKS, REFUSED = "works", "refused"


@dataclass(frozen=True)
class Outcome:
    """One row. `through` is what it speaks to the server by."""

    client: str
    through: str
    outcome: str
    sees: str


ENVELOPES: Final = "encrypted values arrive as binary strings"
OUTCOMES: Final = {
    "mariadb": Outcome(
        "`mariadb`, MariaDB's command-line client",
        "the proxy",
        WORKS,
        f"{ENVELOPES}; `--binary-as-hex` prints them legibly",
    ),
    "mysql": Outcome(
        "`mysql`, MySQL's command-line client", "the proxy", WORKS, f"{ENVELOPES}, printed as `0x…`"
    ),
    "pymysql": Outcome("PyMySQL (Python)", "the proxy", WORKS, f"{ENVELOPES} (`bytes`)"),
    "mysql2": Outcome(
        "mysql2 (Node), `query` and `execute`", "the proxy", WORKS, f"{ENVELOPES} (`Buffer`)"
    ),
    "go-sql-driver": Outcome(
        "go-sql-driver/mysql (Go), text and binary protocol",
        "the proxy",
        WORKS,
        f"{ENVELOPES} (`[]byte`); `Scan` into a number is an error of the driver's",
    ),
    "mysqldump": Outcome(
        "`mysqldump` and `mariadb-dump`",
        "the proxy",
        REFUSED,
        "error 1235 at login: a dump would hold ciphertext; dump from the server itself",
    ),
    "callable": Outcome(
        "Connector/J's `CallableStatement`",
        "driver and proxy",
        WORKS,
        "parameters by number, output parameters and result sets",
    ),
    "template": Outcome(
        "Spring's `JdbcTemplate`",
        "driver and proxy",
        WORKS,
        "maps, beans, batches, generated keys, transactions, `SimpleJdbcCall`",
    ),
    "mybatis": Outcome(
        "MyBatis", "driver and proxy", WORKS, "maps, beans, generated keys, procedures"
    ),
    "hikari": Outcome(
        "HikariCP", "driver and proxy", WORKS, "several connections at a time, each with its key"
    ),
    "hibernate": Outcome(
        "Hibernate 6", "driver and proxy", WORKS, "entities, JPQL, native queries, `validate`"
    ),
    "flyway": Outcome("Flyway", "driver and proxy", WORKS, "`migrate`, `info` and `validate`"),
}

LIBRARIES: Final = ("callable", "template", "mybatis", "hikari", "hibernate", "flyway")


def table() -> str:
    """The table as Markdown."""
    head = "| client | through | outcome | what it does or sees |\n|---|---|---|---|\n"
    return head + "".join(
        f"| {one.client} | {one.through} | {one.outcome} | {one.sees} |\n"
        for one in OUTCOMES.values()
    )
