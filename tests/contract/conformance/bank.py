"""The small application: a bank with customers, accounts, transfers, a view and a procedure.

Its schema is SQL in versioned files, as Flyway and the command-line clients read them.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.contract.columns.servers import Server

SCHEMA = Path(__file__).parent / "schema"
DATABASE = "bank"

SOME = (
    "customers.name\ncustomers.email\ncustomers.born\n"
    "accounts.iban\naccounts.balance\ntransfers.amount\ntransfers.purpose\n"
    "customers\naccounts\ntransfers\n"
)
"""The columns that such an application would choose, and the tables that are known."""
MARKERS = (b"marker7q", b"73519", b"51940", b"1815-12-10", b"1999-12-31", b"2000-02-29")
"""One of them is in every chosen value but NULL, whatever becomes of its case."""


def files() -> list[Path]:
    """The schema's files, in their order."""
    return sorted(SCHEMA.glob("V*.sql"))


def statements() -> list[str]:
    """The statements of all files, as an interactive client would send them."""
    return [one for file in files() for one in _split(file.read_text(encoding="utf-8"))]


def _split(text: str) -> Iterator[str]:
    delimiter, held = ";", list[str]()
    for line in text.splitlines():
        if line.startswith("--"):
            continue
        if line.startswith("DELIMITER "):
            delimiter = line.split()[1]
            continue
        held.append(line)
        if line.rstrip().endswith(delimiter):
            yield "\n".join(held).rstrip().removesuffix(delimiter).strip()
            held = []
    if "".join(held).strip():
        raise ValueError("a statement has no end")


def fresh(server: Server, database: str = DATABASE) -> None:
    """The schema anew, with its first rows."""
    anew(server, database)
    server.real.admin(f"USE {database}", *statements())


def anew(server: Server, database: str) -> None:
    """An empty database of that name."""
    server.real.admin(
        f"DROP DATABASE IF EXISTS {database}",
        f"CREATE DATABASE {database} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    )


def all_columns(server: Server, database: str = DATABASE) -> str:
    """The file of columns at 100 %: those of all base tables, because rules are about these."""
    columns: list[tuple[str, str]] = server.real.admin(
        "SELECT table_name, column_name FROM information_schema.tables "  # noqa: S608
        "JOIN information_schema.columns USING (table_schema, table_name) "
        f"WHERE table_schema = '{database}' AND table_type = 'BASE TABLE' "
        "ORDER BY table_name, ordinal_position"
    )
    tables = sorted({table for table, _ in columns})
    return "".join(f"{table}.{column}\n" for table, column in columns) + "\n".join(tables) + "\n"
