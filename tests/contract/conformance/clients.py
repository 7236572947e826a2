"""Clients that know nothing of encryption, each as a way to ask a server.

A client is a context manager that gives a function: it sends one statement, by the binary protocol
where there are values for its parameters, and answers with rows or an error. Values are the bytes
that the client hands out.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import pymysql

from tests.contract.columns.servers import PASSWORD, USER
from tests.contract.conformance import bank, programs
from tests.support import mariadb, rootfs


@dataclass(frozen=True)
class Answer:
    """Rows, of all results one after the other, or an error's number and text."""

    rows: list[list[bytes | None]] = field(default_factory=list)
    error: tuple[int, str] | None = None


class Ask(Protocol):
    def __call__(self, statement: str, values: Sequence[int | str] = ()) -> Answer: ...


@dataclass(frozen=True)
class Client:
    """How it is started with a port and a folder; whether it has statements with parameters."""

    start: Callable[[int, Path], AbstractContextManager[Ask]]
    parameters: bool
    engine: str | None = None
    """The engine whose accounts it can log in to, where that is one alone."""


@contextmanager
def _pymysql(port: int, folder: Path) -> Iterator[Ask]:
    session: pymysql.Connection[Any] = pymysql.connect(
        host="127.0.0.1",
        port=port,
        user=USER,
        password=PASSWORD,
        database=bank.DATABASE,
        ssl_disabled=True,
        autocommit=True,
    )

    def ask(statement: str, values: Sequence[int | str] = ()) -> Answer:
        try:
            with session.cursor() as cursor:
                # PyMySQL writes the values into the statement: it has no binary protocol.
                cursor.execute(statement.replace("?", "%s"), tuple(values) or None)
                return Answer([[_bytes(value) for value in row] for row in cursor.fetchall()])
        except pymysql.MySQLError as error:
            return Answer(error=(error.args[0], error.args[1]))

    with session:
        yield ask


def _bytes(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return str(value).encode()


END: Final = "end_of_answer"
_ERROR: Final = re.compile(r"^ERROR (\d+) \([0-9A-Z]{5}\) at line \d+: (.*)$", re.MULTILINE)
_CELL: Final = re.compile(r"0x[0-9A-F]*|NULL")


def _mariadb(port: int, folder: Path) -> AbstractContextManager[Ask]:
    return _shell(_of_mariadb("mariadb", port, folder), folder)


def _mysql(port: int, folder: Path) -> AbstractContextManager[Ask]:
    return _shell(_of_mysql("mysql", port, folder), folder)


def _of_mariadb(name: str, port: int, folder: Path) -> list[str]:
    """The beginning of a command line of MariaDB's."""
    mariadb.install()
    options = folder / "client.cnf"
    options.write_text(f"[client]\nuser={USER}\npassword={PASSWORD}\n")
    reached = ["--protocol=TCP", "--host=127.0.0.1", f"--port={port}", "--skip-ssl"]
    return [name, f"--defaults-file={options}", *reached]


def _of_mysql(name: str, port: int, folder: Path) -> list[str]:
    """The same of MySQL's own clients, in the server's root file system."""
    place = folder / "client"
    shutil.copytree(programs.mysql(), place, symlinks=True)
    options = place / "client.cnf"
    options.write_text(f"[client]\nuser={USER}\npassword={PASSWORD}\n")
    place.chmod(0o755)
    reached = ["--protocol=TCP", "--host=127.0.0.1", f"--port={port}", "--ssl-mode=DISABLED"]
    library = f"LD_LIBRARY_PATH={place}/usr/lib/x86_64-linux-gnu"
    command = ["env", library, f"{place}/usr/bin/{name}", f"--defaults-file={options}", *reached]
    return rootfs.inside(rootfs.of_image("mysql"), place, *command, "--get-server-public-key")


@contextmanager
def _shell(connecting: Sequence[str], folder: Path) -> Iterator[Ask]:
    """One session, fed line by line; a system variable's alias ends each answer."""
    command = [
        *(*connecting, "--batch", "--force", "--unbuffered"),
        *("--binary-as-hex", "--default-character-set=utf8mb4", bank.DATABASE),
    ]
    errors = folder / "client.err"
    with errors.open("w") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdin is not None
    assert process.stdout is not None
    said = 0

    def ask(statement: str, values: Sequence[int | str] = ()) -> Answer:
        nonlocal said
        assert not values
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{statement};\nSELECT @@version AS {END};\n")
        process.stdin.flush()
        rows = []
        for line in process.stdout:
            cells = line.rstrip("\n").split("\t")
            if cells == [END]:
                process.stdout.readline()
                break
            if all(map(_CELL.fullmatch, cells)):
                rows.append([_hex(cell) for cell in cells])
        else:
            raise RuntimeError(errors.read_text())
        text = errors.read_text()
        found = _ERROR.search(text, said)
        said = len(text)
        return Answer(rows, (int(found[1]), found[2]) if found else None)

    try:
        yield ask
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _hex(cell: str) -> bytes | None:
    """MariaDB's client writes NULL like an empty string, which no envelope is."""
    return None if cell in {"NULL", "0x"} else bytes.fromhex(cell.removeprefix("0x"))


@contextmanager
def program(command: Sequence[str], folder: Path) -> Iterator[Ask]:
    """A program that takes `{"statement": …, "values": […]}` a line, and answers the same way."""
    with (folder / "program.err").open("w") as log:
        process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )

    def ask(statement: str, values: Sequence[int | str] = ()) -> Answer:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"statement": statement, "values": list(values)}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError((folder / "program.err").read_text())
        said = json.loads(line)
        if said.get("error"):
            return Answer(error=(said["error"]["number"], said["error"]["text"]))
        rows = said.get("rows") or []
        return Answer([[None if v is None else bytes.fromhex(v) for v in row] for row in rows])

    try:
        yield ask
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _mysql2(port: int, folder: Path) -> AbstractContextManager[Ask]:
    words = (str(port), USER, PASSWORD, bank.DATABASE)
    return program(["node", str(programs.node() / "ask.mjs"), *words], folder)


def _go(port: int, folder: Path) -> AbstractContextManager[Ask]:
    place = f"{USER}:{PASSWORD}@tcp(127.0.0.1:{port})/{bank.DATABASE}"
    return program([str(programs.go()), place], folder)


CLIENTS: Final = {
    "mariadb": Client(_mariadb, parameters=False),
    # It has no plugin for the usual accounts of MariaDB any more.
    "mysql": Client(_mysql, parameters=False, engine="mysql"),
    "pymysql": Client(_pymysql, parameters=True),
    "mysql2": Client(_mysql2, parameters=True),
    "go-sql-driver": Client(_go, parameters=True),
}


DUMPS: Final = {
    "mysqldump": (_of_mariadb, "mysqldump", None),
    "mariadb-dump": (_of_mariadb, "mariadb-dump", None),
    "MySQL's mysqldump": (_of_mysql, "mysqldump", "mysql"),
}
"""Programs for dumps: their command lines, names, and the engine where it is one alone."""


def dump(port: int, folder: Path, which: str) -> "subprocess.CompletedProcess[str]":
    """What a program for dumps does with the bank."""
    connecting, name, _ = DUMPS[which]
    folder.mkdir(exist_ok=True)
    return subprocess.run(
        [*connecting(name, port, folder), bank.DATABASE],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )
