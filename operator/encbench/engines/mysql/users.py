"""The statements that make database, users and grants.

The server runs `init.sql` at each start, so every statement may run again. They are kept out of the
binary log.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.engines.innodb.tls import requirement
from encbench.engines.mysql.flavour import Flavour
from encbench.engines.users import AGENT_USER, Credentials


def init_sql(credentials: Credentials, mode: EncryptionModeSpec, flavour: Flavour) -> str:
    """Database, users and grants; one statement a line, as `--init-file` wants it.

    The agent logs in by the unix socket only. RELOAD lets it flush, PROCESS and the performance
    schema let it read the catalogue, REPLICATION CLIENT the list of binary logs; in the database it
    may do what a marker table needs. Nobody logs in as root.
    """
    agent = f"'{AGENT_USER}'@'localhost'"
    user = f"'{credentials.username}'@'%'"
    statements = (
        "SET SESSION sql_log_bin=0",
        *_at_rest(mode, flavour),
        f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{credentials.password}' "
        f"{requirement(mode)}",
        f"GRANT ALL PRIVILEGES ON {DATABASE}.* TO {user}",
        f"CREATE USER IF NOT EXISTS {agent} IDENTIFIED BY '{credentials.agent_password}'",
        f"GRANT RELOAD, PROCESS, REPLICATION CLIENT ON *.* TO {agent}",
        f"GRANT SELECT ON performance_schema.* TO {agent}",
        f"GRANT SELECT, INSERT, UPDATE, CREATE, DROP, LOCK TABLES ON {DATABASE}.* TO {agent}",
        "ALTER USER 'root'@'localhost' ACCOUNT LOCK",
    )
    return "".join(f"{statement};\n" for statement in statements)


def _at_rest(mode: EncryptionModeSpec, flavour: Flavour) -> list[str]:
    """What no setting does.

    A database that is made in here does not follow `default_table_encryption`, and its tables would
    be in plaintext; the system's own tables are never encrypted unless somebody asks for it.
    """
    scope = flavour.scope(mode)
    database = f"CREATE DATABASE IF NOT EXISTS {DATABASE}"
    if "tables" in scope:
        database += " DEFAULT ENCRYPTION='Y'"
    system = ["ALTER TABLESPACE mysql ENCRYPTION='Y'", "ALTER TABLE sys.sys_config ENCRYPTION='Y'"]
    return [database, *(system if "system" in scope else [])]
