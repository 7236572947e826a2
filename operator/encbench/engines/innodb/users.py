"""The statements for database, users and grants that MariaDB and MySQL have in common.

The server runs `init.sql` at each start, so every statement must be repeatable. The binary log gets
none of them. The agent logs in by the unix socket only.
"""

from collections.abc import Sequence

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.engines.users import AGENT_USER, Credentials

AGENT = f"'{AGENT_USER}'@'localhost'"


def init_sql(
    credentials: Credentials,
    mode: EncryptionModeSpec,
    *,
    create: Sequence[str],
    grants: Sequence[str],
    last: Sequence[str] = (),
) -> str:
    """One statement a line, as `--init-file` wants it.

    `create` makes the database, `grants` are what the agent may do, and `last` comes after them.
    """
    user = f"'{credentials.username}'@'%'"
    require = "REQUIRE NONE" if mode.in_transit is None else "REQUIRE SSL"
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
