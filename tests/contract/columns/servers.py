"""Real servers with the tests' users, and proxies in front of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.contract.columns import corpus
from tests.contract.columns.wire import Wire
from tests.support import confidential, mariadb, mysql
from tests.support.confidential import AES, Proxy

SETTINGS = {"local_infile": "ON", "max_allowed_packet": "64M"}
USER, PASSWORD = "columns", "columns-password"
ANYWHERE = "anywhere"
"""A user who may come by TCP and by the socket."""
EXPIRED = "expired"
"""A user whose password has expired."""
USERS = (
    f"CREATE USER IF NOT EXISTS {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
    f"GRANT ALL PRIVILEGES ON *.* TO {USER}@'127.0.0.1'",
    f"CREATE USER IF NOT EXISTS {ANYWHERE}@'%' IDENTIFIED BY '{PASSWORD}'",
    f"GRANT ALL PRIVILEGES ON sbtest.* TO {ANYWHERE}@'%'",
    f"CREATE USER IF NOT EXISTS {EXPIRED}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}' PASSWORD EXPIRE",
    f"GRANT SELECT ON sbtest.* TO {EXPIRED}@'127.0.0.1'",
)


def with_user(init_sql: str) -> str:
    """An init file that makes the user too: MySQL's administrator of the tests may not."""
    return init_sql + "".join(f"{statement};\n" for statement in USERS)


ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "mariadb": lambda: mariadb.running({}, overrides=SETTINGS),
    "mysql": lambda: mysql.running({}, overrides=SETTINGS, init_sql=with_user),
}


@dataclass(frozen=True)
class Server:
    """A server with a user who may do everything over TCP."""

    real: Any
    folder: Path

    @property
    def port(self) -> int:
        return int(self.real.layout.port)

    @property
    def engine(self) -> str:
        return str(self.real.engine)

    def wire(self, port: int | None = None, capabilities: int = 0) -> Wire:
        """A connection to it, or to a proxy of it."""
        return Wire(port or self.port, USER, PASSWORD, capabilities=capabilities)

    def proxy(
        self, columns: str = corpus.COLUMNS, algorithm: str = AES, *more: str
    ) -> AbstractContextManager[Proxy]:
        """A proxy of it."""
        return confidential.running(self.folder, self.port, columns, algorithm, *more)


@contextmanager
def real_server(engine: str) -> Iterator[Any]:
    """A server of that engine with the tests' user."""
    with ENGINES[engine]() as real:
        if engine == "mariadb":
            real.admin(*USERS)
        yield real
