"""A real MySQL for tests, started from the very files that the operator gives to a pod.

It runs in the root file system of the image that we build, for Debian's stable release has no
MySQL; otherwise as `tests.support.mariadb` does it. It needs root.
"""

import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from encbench.api.testbed import TestbedSpec
from encbench.core import certificates
from encbench.core.certificates import Issued
from encbench.database.children import config_map, credentials_secret
from encbench.engines.mysql import settings
from encbench.engines.mysql.layout import POD, MysqlLayout, keyring_files
from tests.support import certified, rootfs
from tests.support.mariadb import ALL_PRIVILEGES, MariaDB, hand_over, kept
from tests.support.once import Dataset, begin
from tests.support.places import mounted, places, texts, write
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import counting_tokens, database_context, spec_of_testbed

SETTINGS = {
    "innodb_buffer_pool_size": "64M",
    "innodb_log_buffer_size": "16M",
    "performance_schema": "OFF",
}
"""As little memory as it takes: several run at a time."""


@dataclass
class MySQL(MariaDB):
    """A server on this machine, MySQL in either flavour; `start` and `stop` may be repeated."""

    engine: str = "mysql"
    layout: MysqlLayout
    root: Path = field(default_factory=Path)

    def initialising(self) -> list[str]:
        """The init container's command."""
        paths = (self.layout.initialise, self.layout.volume, self.layout.config)
        return rootfs.inside(self.root, self.folder, "sh", *paths)

    def serving(self) -> list[str]:
        """The server's command."""
        arguments = (
            f"--defaults-file={self.layout.server_cnf}",
            f"--init-file={self.layout.init_sql}",
        )
        return rootfs.inside(self.root, self.folder, self.layout.mysqld, *arguments)

    def identity(self) -> dict[str, Any]:
        """None: the user is changed inside."""
        return {}

    def fill(self, megabytes: int) -> None:
        """A table with about that much of rows in the benchmark's database."""
        rows = (
            "INSERT INTO sbtest.filling (pad) WITH RECURSIVE seq AS (SELECT 1 AS n UNION ALL "
            "SELECT n + 1 FROM seq WHERE n < 900) "
            "SELECT REPEAT(SHA2(CONCAT(RAND(), one.n), 256), 3) FROM seq one, "
            "(SELECT n FROM seq LIMIT 5) five"
        )
        self.admin(
            "CREATE TABLE sbtest.filling (id INT AUTO_INCREMENT PRIMARY KEY, pad CHAR(200))",
            *itertools.repeat(rows, megabytes),
        )


@contextmanager
def running(
    mode: Mapping[str, Any],
    *,
    overrides: Mapping[str, str] | None = None,
    init_sql: Callable[[str], str] = str,
    spec: TestbedSpec | None = None,
    engine: str = "mysql",
    issued: Issued | None = None,
    dataset: Dataset | None = None,
) -> Iterator[MySQL]:
    """A server in that mode with nothing but the dataset.

    `overrides` and `init_sql` break it on purpose.

    Its certificates lie in the layout's place in every mode, so that an override can find them.
    """
    made = issued or certified.issued()
    with kept(_prepare(spec or _small(mode, engine), overrides or {}, init_sql, made)) as server:
        begin(server, dataset, str(server.root))
        yield server


def prepared(mode: Mapping[str, Any]) -> AbstractContextManager[MySQL]:
    """The same, before its init container runs."""
    return kept(_prepare(_small(mode), {}, str, certified.issued()))


def _small(mode: Mapping[str, Any], engine: str = "mysql") -> TestbedSpec:
    return spec_of_testbed(mode, engine=engine, version="9.7", settings=SETTINGS)


def _prepare(
    spec: TestbedSpec, overrides: Mapping[str, str], init_sql: Callable[[str], str], issued: Issued
) -> MySQL:
    root = rootfs.of_image("mysql")
    folder = Path(tempfile.mkdtemp(prefix="encbench-mysql-", dir="/tmp"))
    layout = replace(POD, **places(folder))
    context = database_context(spec)
    credentials = texts(credentials_secret(context, counting_tokens(), {}, PLACEHOLDERS))
    credentials |= certificates.entries(issued)
    data = config_map(context)["data"]
    broken = [f"{name}={value.format(tls=layout.tls)}" for name, value in overrides.items()]
    cnf = "\n".join([settings.server_cnf(spec, layout), "[mysqld]", *broken, ""])
    files = {
        layout.server_cnf: cnf,
        **{f"{layout.config}/{name}": data[name] for name in ("initialise.sh", "shared.sh")},
        **{
            f"{layout.config}/{name}": text
            for name, text in keyring_files(spec.mode, spec.instance.version, layout).items()
        },
        layout.init_sql: init_sql(credentials["init.sql"]) + ALL_PRIVILEGES,
        **mounted(layout, credentials, issued),
    }
    write(layout, files)
    hand_over(folder)
    return MySQL(
        layout=layout,
        spec=spec,
        credentials=credentials,
        folder=folder,
        root=root,
        engine=spec.instance.engine,
    )
