"""What MariaDB and the MySQL family supply alike: the server's container, and who may log in."""

from collections.abc import Sequence

from encbench.api.testbed import TestbedSpec
from encbench.core.connection import DATABASE
from encbench.engines.engine import ServerContainer
from encbench.engines.innodb.settings import InnodbLayout
from encbench.engines.users import AGENT_USER, BENCHMARK_USER, Credentials

AGENT = f"'{AGENT_USER}'@'localhost'"
"""It logs in by the unix socket only."""
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


def init_sql(
    credentials: Credentials,
    spec: TestbedSpec,
    *,
    create: Sequence[str],
    grants: Sequence[str],
    last: Sequence[str] = (),
) -> str:
    """One statement a line, as `--init-file` wants it; the binary log gets none of them.

    The server runs them at each start, so each must be repeatable. `create` makes the database,
    `grants` are what the agent may do, and `last` comes after them.
    """
    user = f"'{BENCHMARK_USER}'@'%'"
    require = "REQUIRE NONE" if spec.mode.in_transit is None else "REQUIRE SSL"
    statements = (
        "SET SESSION sql_log_bin=0",
        *create,
        f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{credentials.password}' {require}",
        f"GRANT ALL PRIVILEGES ON {DATABASE}.* TO {user}",
        f"CREATE USER IF NOT EXISTS {AGENT} IDENTIFIED BY '{credentials.agent_password}'",
        *(f"GRANT {grant} TO {AGENT}" for grant in grants),
        *last,
    )
    return "".join(f"{statement};\n" for statement in statements)
