"""The server's container, where it is MySQL or one of its family."""

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
    """The command of a server that opens a file for each connection.

    Some runtimes give a process 1,024 until it asks. MariaDB asks for more than it needs; where it
    may not have that many, it goes on with those 1,024 and lets the other clients hang. MySQL 5.7
    lays out memory for each of the thousand million that other runtimes give.
    """
    return ["sh", "-c", _FILES, *command]
