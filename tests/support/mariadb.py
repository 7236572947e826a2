"""A real MariaDB for tests, started from the very files that the operator gives to a pod.

Option file, initialising script and `init.sql` come from the builders; only their places differ.
The server runs as the pod's user where the tests run as root, and listens on loopback.
"""

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pymysql

from encbench.api.testbed import TestbedSpec
from encbench.core import certificates
from encbench.core.certificates import Issued
from encbench.database.children import config_map, credentials_secret, keys_secret
from encbench.engines.innodb.engine import with_files
from encbench.engines.innodb.settings import InnodbLayout
from encbench.engines.mariadb import settings
from encbench.engines.mariadb.settings import KEY_FILE
from encbench.kube.pods import USER_ID
from tests.support import certified, debian
from tests.support.daemon import ending_with_us
from tests.support.once import Dataset, begin
from tests.support.places import mounted, places, texts, write
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import counting_tokens, database_context, spec_of_testbed

ADMIN, ADMIN_PASSWORD = "admin", "admin"
ALL_PRIVILEGES = (
    f"CREATE USER IF NOT EXISTS '{ADMIN}'@'localhost' IDENTIFIED BY '{ADMIN_PASSWORD}';\n"
    f"GRANT ALL PRIVILEGES ON *.* TO '{ADMIN}'@'localhost' WITH GRANT OPTION;\n"
)
"""What lets the tests in."""


def install() -> None:
    """Have Debian's server and client on this machine, without a daemon of theirs being started."""
    debian.install("mariadb-server", "mariadb-client")


@dataclass
class MariaDB:
    """A server on this machine; `start` and `stop` may be repeated."""

    engine = "mariadb"

    layout: InnodbLayout
    spec: TestbedSpec
    credentials: dict[str, str]
    """The credentials Secret's entries as text."""
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def termination_log(self) -> Path:
        """What the init container leaves in the pod's status."""
        return self.folder / "termination-log"

    @property
    def proc(self) -> Path:
        """A view of `/proc` with this server only, as a pod's process namespace would show."""
        assert self.process is not None
        view = self.folder / "proc"
        shutil.rmtree(view, ignore_errors=True)
        view.mkdir()
        for name in ("stat", str(self.process.pid)):
            (view / name).symlink_to(Path("/proc", name))
        return view

    def initialising(self) -> list[str]:
        """The init container's command."""
        return ["sh", self.layout.initialise, self.layout.volume, self.layout.server_cnf]

    def serving(self) -> list[str]:
        """The server's command."""
        return ending_with_us(
            "mariadbd",
            f"--defaults-file={self.layout.server_cnf}",
            f"--init-file={self.layout.init_sql}",
        )

    def identity(self) -> dict[str, Any]:
        """Arguments of subprocess that make it the pod's user, where we may."""
        return _identity()

    def initialise(self) -> None:
        """What the init container does."""
        with (self.folder / "initialise.log").open("ab") as log:
            subprocess.run(
                self.initialising(),
                check=True,
                stdout=log,
                stderr=log,
                timeout=120,
                env={**os.environ, "TERMINATION_LOG": str(self.termination_log)},
                **self.identity(),
            )

    def start(self) -> None:
        """Start it and wait until it answers a query."""
        command = with_files([*self.serving(), "--bind-address=127.0.0.1"])
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, **self.identity())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.admin("SELECT 1")
                return
            except pymysql.MySQLError:
                time.sleep(0.05)
        said = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:]
        raise RuntimeError(f"{self.engine} did not become ready:\n{said}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def session(self) -> "pymysql.Connection[Any]":
        """A session with all privileges."""
        return pymysql.connect(
            unix_socket=self.layout.socket,
            ssl_disabled=True,
            user=ADMIN,
            password=ADMIN_PASSWORD,
            database="sbtest",
            autocommit=True,
        )

    def admin(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements with all privileges in a session of their own; rows of the last one."""
        with self.session() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def fill(self, megabytes: int) -> None:
        """A table with about that much of rows in the benchmark's database."""
        self.admin(
            "CREATE TABLE sbtest.filling (id INT AUTO_INCREMENT PRIMARY KEY, pad CHAR(200))",
            *itertools.repeat(
                "INSERT INTO sbtest.filling (pad) SELECT REPEAT(MD5(RAND()), 6) FROM seq_1_to_4300",
                megabytes,
            ),
        )


@contextmanager
def running(
    mode: Mapping[str, Any],
    *,
    overrides: Mapping[str, str] | None = None,
    spec: TestbedSpec | None = None,
    issued: Issued | None = None,
    dataset: Dataset | None = None,
) -> Iterator[MariaDB]:
    """A server in that mode with nothing but the dataset; `overrides` break it on purpose.

    Its certificates lie in the layout's place in every mode, so that an override can find them.
    """
    install()
    folder = Path(tempfile.mkdtemp(prefix="encbench-mariadb-"))
    spec = spec or _small(mode)
    with kept(_prepare(folder, spec, overrides or {}, issued or certified.issued())) as server:
        begin(server, dataset)
        yield server


S = TypeVar("S", bound=MariaDB)


@contextmanager
def kept(server: S) -> Iterator[S]:
    """The server as long as it is needed; then it ends, and its folder goes."""
    try:
        yield server
    finally:
        # Nothing of it stays, so that there is nothing to flush.
        server.stop(signal.SIGKILL)
        shutil.rmtree(server.folder, ignore_errors=True)


def _small(mode: Mapping[str, Any]) -> TestbedSpec:
    return spec_of_testbed(mode, settings={"innodb_buffer_pool_size": "64M"})


def _prepare(
    folder: Path, spec: TestbedSpec, overrides: Mapping[str, str], issued: Issued
) -> MariaDB:
    layout = InnodbLayout(server="mariadb", keys=str(folder / "keys"), **places(folder))
    context = database_context(spec)
    credentials = texts(credentials_secret(context, counting_tokens(), {}, PLACEHOLDERS))
    credentials |= certificates.entries(issued)
    made = keys_secret(context, counting_tokens())
    keys = texts(made) if made else {}
    cnf = settings.server_cnf(spec, layout)
    cnf += "".join(f"{name}={value.format(tls=layout.tls)}\n" for name, value in overrides.items())
    data = config_map(context)["data"]
    files = {
        layout.server_cnf: cnf,
        layout.initialise: data["initialise.sh"],
        f"{layout.config}/shared.sh": data["shared.sh"],
        layout.init_sql: credentials["init.sql"] + ALL_PRIVILEGES,
        **mounted(layout, credentials, issued),
        **({f"{layout.keys}/{KEY_FILE}": keys[KEY_FILE]} if KEY_FILE in keys else {}),
    }
    write(layout, files)
    hand_over(folder)
    return MariaDB(layout, spec, credentials, folder)


def hand_over(folder: Path) -> None:
    """Give the folder with all that is in it to the pods' user, where we may."""
    folder.chmod(0o755)
    if os.getuid() == 0:
        for entry in (folder, *folder.rglob("*")):
            os.chown(entry, USER_ID, USER_ID)


def _identity() -> dict[str, Any]:
    """Arguments of subprocess that make it the pod's user, where we may."""
    if os.getuid() != 0:
        return {}
    return {"user": USER_ID, "group": USER_ID, "extra_groups": ()}
