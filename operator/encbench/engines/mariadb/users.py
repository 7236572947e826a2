"""The statements that make database, users and grants.

The server runs `init.sql` at each start, so every statement may run again. They are kept out of the
binary log.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.engines.innodb.tls import requirement
from encbench.engines.users import AGENT_USER, Credentials


def init_sql(credentials: Credentials, mode: EncryptionModeSpec) -> str:
    """Database, users and grants; one statement a line, as `--init-file` wants it.

    The agent logs in by the unix socket only. RELOAD lets it flush, PROCESS lets it read InnoDB's
    catalogue; in the database it may do what a marker table needs.
    """
    agent = f"'{AGENT_USER}'@'localhost'"
    user = f"'{credentials.username}'@'%'"
    statements = (
        "SET SESSION sql_log_bin=0",
        f"CREATE DATABASE IF NOT EXISTS {DATABASE}",
        f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{credentials.password}' "
        f"{requirement(mode)}",
        f"GRANT ALL PRIVILEGES ON {DATABASE}.* TO {user}",
        f"CREATE USER IF NOT EXISTS {agent} IDENTIFIED BY '{credentials.agent_password}'",
        f"GRANT RELOAD, PROCESS ON *.* TO {agent}",
        f"GRANT SELECT, INSERT, CREATE, DROP, LOCK TABLES ON {DATABASE}.* TO {agent}",
    )
    return "".join(f"{statement};\n" for statement in statements)
