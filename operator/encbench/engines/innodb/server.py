"""The server's container for MariaDB and the MySQL family."""

from collections.abc import Sequence

from encbench.engines.engine import ServerContainer
from encbench.engines.innodb.layout import InnodbLayout

_FILES = (
    "ulimit -S -n 65536 2>/dev/null || ulimit -S -n `ulimit -H -n`; "  # a runtime with fewer
    'exec "$0" "$@"'
)


def server(program: str, layout: InnodbLayout) -> ServerContainer:
    """The container that runs `program`."""
    command = [
        program,
        f"--defaults-file={layout.server_cnf}",
        # Not in the option file, because initialising the data directory reads that as well.
        f"--init-file={layout.init_sql}",
    ]
    return ServerContainer(with_files(command), runs_init_sql=True)


def with_files(command: Sequence[str]) -> list[str]:
    """The command, wrapped so that the server may open a file for each connection.

    Some container runtimes limit a process to 1,024 open files until it asks for more. MariaDB
    asks for more than it needs; if refused, it keeps the 1,024 and lets further clients hang.
    Other runtimes allow a thousand million, and MySQL 5.7 reserves memory for each of them.
    """
    return ["sh", "-c", _FILES, *command]
