"""The program `tpcc` as a person would run it: words in, exit code and lines out."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from encbench.core.connection import DATABASE
from tests.support.tpcc import home

TYPES = ("newOrder", "payment", "orderStatus", "delivery", "stockLevel")
WEIGHTS = dict(zip(TYPES, (45, 43, 4, 4, 4), strict=True))

DRIVERS = {
    "mariadb": ("mariadb", "org.mariadb.jdbc.Driver", "mariadb", "sslMode=disable"),
    "mysql": (
        "mysql",
        "com.mysql.cj.jdbc.Driver",
        "mysql",
        "sslMode=DISABLED&allowPublicKeyRetrieval=true",
    ),
    "postgresql": ("postgres", "org.postgresql.Driver", "postgresql", "sslmode=disable"),
}
"""By engine: the property `db`, the driver, the URL's scheme and what it says of TLS."""


@dataclass(frozen=True)
class Done:
    """How it ended."""

    code: int
    output: str
    said: str

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """Its lines for programs."""
        mark = "encbench-tpcc "
        return [
            json.loads(line.removeprefix(mark))
            for line in self.output.splitlines()
            if line.startswith(mark)
        ]

    def named(self, name: str) -> list[dict[str, Any]]:
        """The events of that name."""
        return [event for event in self.events if event["event"] == name]

    @property
    def result(self) -> dict[str, Any]:
        """The last line."""
        assert self.events, self.said + self.output[-1000:]
        assert self.events[-1]["event"] == "result", self.said + self.output[-1000:]
        return self.events[-1]

    @property
    def types(self) -> dict[str, dict[str, Any]]:
        """The figures of each type of transaction."""
        return {event["type"]: event for event in self.named("type")}

    def measured(self, name: str) -> str:
        """What BenchmarkSQL's line of that name says."""
        (line,) = (line for line in self.output.splitlines() if f"Term-00, {name}" in line)
        return line.rpartition("= ")[2]


@dataclass(frozen=True)
class Program:
    """The program with the properties of one server. `folder` is for its files."""

    server: Any
    folder: Path
    warehouses: int
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables besides our own."""

    def properties(self, **more: object) -> Path:
        """A file of properties; `more` are added."""
        db, driver, scheme, tls = DRIVERS[self.server.engine]
        password = self.folder / "password"
        password.write_text(self.server.credentials["password"] + "\n")
        port = self.server.layout.port
        values = {
            "db": db,
            "driver": driver,
            "conn": f"jdbc:{scheme}://127.0.0.1:{port}/{DATABASE}?{tls}",
            "user": self.server.credentials["username"],
            "passwordFile": password,
            "warehouses": self.warehouses,
            "loadWorkers": 2,
            **more,
        }
        file = self.folder / "props"
        file.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        return file

    def start(self, command: str, *words: str, **properties: object) -> "subprocess.Popen[str]":
        """Start it; its output and what it says elsewhere are pipes."""
        argv = [f"{home()}/tpcc", command, "--props", str(self.properties(**properties)), *words]
        return subprocess.Popen(
            argv,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.environment},
        )

    def run(self, command: str, *words: str, **properties: object) -> Done:
        """Run it to its end."""
        return ended(self.start(command, *words, **properties))

    def one(self, query: str) -> Any:
        """The only value that a query gives; `@` stands before each table's name."""
        schema = "" if self.server.engine == "postgresql" else f"{DATABASE}."
        ((value,),) = self.server.admin(query.replace("@", schema))
        return value

    def admin(self, *statements: str) -> None:
        """Statements of another session; `@` stands before each table's name."""
        schema = "" if self.server.engine == "postgresql" else f"{DATABASE}."
        self.server.admin(*(statement.replace("@", schema) for statement in statements))


def ended(process: "subprocess.Popen[str]", seconds: float = 180) -> Done:
    """Wait for a program that was started."""
    try:
        output, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Done(process.returncode, output, said)
