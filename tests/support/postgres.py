"""A real PostgreSQL for tests, started from the very files that the operator gives to a pod.

Settings, rules, scripts and `init.sql` come from the builders; only their places differ. As in the
pod, the server runs as a user that only the mounted `/etc/passwd` knows, and in namespaces that
stay when it ends: other servers on this machine have processes of the same name. It listens on
loopback.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pg8000.dbapi

from encbench.api.testbed import TestbedSpec
from encbench.core.certificates import Issued, entries
from encbench.core.columns.layout import MEK
from encbench.core.connection import DATABASE, Connection
from encbench.database.children import config_map, credentials_secret
from encbench.engines.postgresql import settings
from encbench.engines.postgresql.engine import PASSWD
from encbench.engines.postgresql.settings import PostgresqlLayout
from encbench.kube.pods import USER_ID
from tests.support import certified, debian
from tests.support.once import Dataset, begin
from tests.support.places import mounted, places, texts, write
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import counting_tokens, database_context, spec_of_testbed

DEBIAN = Path("/usr/lib/postgresql/15/bin")
"""Where Debian bookworm has its server. Another release's may be given to `running`."""
ADMIN = "postgres"
"""The superuser, whom the operator's own rules do not let in."""

_POD = """
set -eu
mount --bind "$1" /etc/passwd
while :; do sleep 3600 & wait; done
"""
"""The first process of the namespaces, which holds them and waits for orphans."""


def install() -> None:
    """Have Debian's server on this machine, without a cluster or a daemon of its own."""
    debian.install("postgresql-15")


@dataclass
class Postgres:
    """A server on this machine; `start` and `stop` may be repeated."""

    engine = "postgresql"

    layout: PostgresqlLayout
    spec: TestbedSpec
    credentials: dict[str, str]
    """The credentials Secret's entries as text, those of the certificates included."""
    folder: Path
    binaries: Path = DEBIAN
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of its environment, beside those that a pod has."""
    process: subprocess.Popen[bytes] | None = None
    pod: subprocess.Popen[bytes] | None = None

    @property
    def connection(self) -> Connection:
        """How its clients reach it."""
        return Connection(
            driver="pgsql",
            host="127.0.0.1",
            port=self.layout.port,
            database=DATABASE,
            tls=self.spec.mode.in_transit,
        )

    @property
    def proc(self) -> Path:
        """The `/proc` of the pod."""
        return Path(f"/proc/{_child(self.pod)}/root/proc")

    def open(self) -> None:
        """Have the namespaces of a pod."""
        # It dies with this process too, however that ends.
        ends = ["setpriv", "--pdeathsig", "KILL"]
        namespaces = [
            *ends,
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ]
        passwd = f"{self.layout.config}/{PASSWD}"
        self.pod = subprocess.Popen([*namespaces, "sh", "-c", _POD, "sh", passwd])
        self.inside("sh", "-c", "until grep -q encbench /etc/passwd; do sleep 0.01; done")

    def close(self) -> None:
        """End whatever runs in the pod."""
        self.stop()
        if self.pod is not None:
            self.pod.kill()
            self.pod.wait()

    def inside(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in the pod as the pod's user, and wait for it."""
        return subprocess.run(
            self._contained(*command),
            check=False,
            capture_output=True,
            text=True,
            env=self._environment(),
            timeout=120,
        )

    def initialise(self) -> None:
        """What the init container does."""
        places = self.layout
        paths = (places.initialise, places.volume, places.server_conf, places.init_sql)
        done = self.inside("sh", *paths)
        if done.returncode:
            said = f"{done.stdout}{done.stderr}"[-2000:]
            raise RuntimeError(f"the data directory could not be made:\n{said}")

    def start(self) -> None:
        """Start it and wait until it answers a query."""
        command = self._contained(
            "sh", f"{self.layout.config}/start.sh", self.layout.volume, self.layout.server_conf
        )
        environment = self._environment()
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.admin("SELECT 1")
                return
            except (pg8000.dbapi.Error, OSError):
                time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not become ready:\n{self.said()[-2000:]}")

    def said(self) -> str:
        """What it wrote to its log."""
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send the signal to the container's main process; KILL to all, as a runtime does."""
        if self.process is None or self.process.poll() is not None:
            return
        lock = Path(self.layout.data, "postmaster.pid").read_text(encoding="utf-8")
        main = lock.split()[0]
        family = [self.proc / main, *self._children(main)]
        if how == signal.SIGKILL:
            self.inside("sh", "-c", "kill -KILL -1")
        else:
            os.kill(_child(self.process), how)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # Killed with its parent, it keeps its number until the pod's first process waits for it.
        # One that still ends keeps the shared memory, and no other server starts then.
        deadline = time.monotonic() + 10
        while any(one.exists() for one in family) and time.monotonic() < deadline:
            time.sleep(0.01)

    def _children(self, parent: str) -> Iterator[Path]:
        for stat in self.proc.glob("[0-9]*/stat"):
            with suppress(OSError):
                if stat.read_text().rpartition(")")[2].split()[1] == parent:
                    yield stat.parent

    def admin(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements with all privileges; rows of the last one."""
        rows: list[tuple[Any, ...]] = []
        with self.session() as run:
            for statement in statements:
                rows = run(statement)
        return rows

    @contextmanager
    def session(self) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
        """Runs a statement at a time with all privileges; its rows."""
        connection = pg8000.dbapi.connect(
            ADMIN, unix_sock=self.layout.socket, database=DATABASE, ssl_context=False
        )

        def run(statement: str) -> list[tuple[Any, ...]]:
            cursor.execute(statement)
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

        try:
            connection.autocommit = True
            cursor = connection.cursor()
            yield run
        finally:
            connection.close()

    def _contained(self, *command: str) -> list[str]:
        user = ["setpriv", "--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups"]
        return ["nsenter", "--target", str(_child(self.pod)), "--mount", "--pid", *user, *command]

    @property
    def termination_log(self) -> Path:
        """What the init container leaves in the pod's status."""
        return Path(self.layout.volume, "termination-log")

    def _environment(self) -> dict[str, str]:
        environment = {
            "PATH": f"{self.binaries}:/usr/bin:/bin",
            "HOME": "/",
            # As in the image of PostgreSQL 18, which has no such directory.
            "PGDATA": "/var/lib/postgresql/18/docker",
            "TERMINATION_LOG": str(self.termination_log),
            **self.variables,
        }
        in_transit = self.spec.mode.in_transit
        if in_transit is not None and in_transit.version == "TLSv1.3":
            environment["OPENSSL_CONF"] = f"{self.layout.config}/openssl.cnf"
        return environment


def _child(parent: "subprocess.Popen[bytes] | None") -> int:
    """Number of a process's only child, as this machine counts."""
    assert parent is not None
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = children.read_text(encoding="ascii").split()
        if found:
            return int(found[0])
        time.sleep(0.005)
    raise RuntimeError(f"{parent.args!r} has no child")


@contextmanager
def running(
    mode: Mapping[str, Any],
    *,
    overrides: Mapping[str, str] | None = None,
    rules: str | None = None,
    spec: TestbedSpec | None = None,
    binaries: Path = DEBIAN,
    variables: Mapping[str, str] | None = None,
    issued: Issued | None = None,
    dataset: Dataset | None = None,
) -> Iterator[Postgres]:
    """A server in that mode with nothing but the dataset.

    `overrides` and `rules` break it on purpose.

    Needs root, for the namespaces.
    """
    install()
    folder = Path(tempfile.mkdtemp(prefix="encbench-postgres-"))
    made = issued or certified.issued()
    server = _prepare(folder, spec or _small(mode), overrides or {}, rules, made)
    server.binaries, server.variables = binaries, variables or {}
    try:
        server.open()
        begin(server, dataset, str(binaries))
        yield server
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


def _small(mode: Mapping[str, Any]) -> TestbedSpec:
    return spec_of_testbed(
        mode,
        engine="postgresql",
        version="15",
        image="registry.example.com/postgresql:15",
        settings={"shared_buffers": "64MB"},
    )


def _prepare(
    folder: Path, spec: TestbedSpec, overrides: Mapping[str, str], rules: str | None, issued: Issued
) -> Postgres:
    layout = PostgresqlLayout(**places(folder), key_file=str(folder / "mek" / MEK))
    context = database_context(spec)
    credentials = texts(credentials_secret(context, counting_tokens(), {}, PLACEHOLDERS))
    credentials |= entries(issued)
    given = config_map(context)["data"]
    broken = {"listen_addresses": "127.0.0.1", **overrides}
    conf = settings.server_conf(spec, layout)
    conf += "".join(f"{name} = '{value}'\n" for name, value in broken.items())
    trusting = (rules or given["pg_hba.conf"]) + f"local all {ADMIN} trust\n"
    files = {
        **{f"{layout.config}/{name}": text for name, text in given.items()},
        layout.server_conf: conf,
        f"{layout.config}/pg_hba.conf": trusting,
        layout.init_sql: credentials["init.sql"],
        **mounted(layout, credentials, issued),
        **({layout.key_file: credentials[MEK]} if spec.mode.enclave else {}),
    }
    write(layout, files)
    for entry in (folder, *folder.rglob("*")):
        # As a pod's volumes are: root's, and the group's to read; the data volume is the group's.
        os.chown(entry, 0, USER_ID)
        entry.chmod(0o750 if entry.is_dir() else 0o440)
    Path(layout.volume).chmod(0o2770)
    return Postgres(layout, spec, credentials, folder)
