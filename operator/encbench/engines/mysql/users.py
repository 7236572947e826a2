"""What MySQL's agent may do, its database, and the statements that TDE needs."""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.engines.innodb import users
from encbench.engines.mysql.flavour import Flavour
from encbench.engines.users import Credentials


def init_sql(credentials: Credentials, mode: EncryptionModeSpec, flavour: Flavour) -> str:
    """Database, users and grants.

    RELOAD lets the agent flush, PROCESS and the performance schema let it read the catalogue, and
    REPLICATION CLIENT lets it list the binary logs. The grants in the database are for the marker
    table. Nothing logs in as root.
    """
    return users.init_sql(
        credentials,
        mode,
        create=_at_rest(mode, flavour),
        grants=[
            "RELOAD, PROCESS, REPLICATION CLIENT ON *.*",
            "SELECT ON performance_schema.*",
            f"SELECT, INSERT, UPDATE, CREATE, DROP, LOCK TABLES ON {DATABASE}.*",
        ],
        last=["ALTER USER 'root'@'localhost' ACCOUNT LOCK"],
    )


def _at_rest(mode: EncryptionModeSpec, flavour: Flavour) -> list[str]:
    """Statements for what no setting does.

    A database created here ignores `default_table_encryption`, so its tables would be in plaintext.
    Only these statements encrypt the system's own tables.
    """
    scope = flavour.scope(mode)
    database = f"CREATE DATABASE IF NOT EXISTS {DATABASE}"
    if "tables" in scope:
        database += " DEFAULT ENCRYPTION='Y'"
    system = ["ALTER TABLESPACE mysql ENCRYPTION='Y'", "ALTER TABLE sys.sys_config ENCRYPTION='Y'"]
    return [database, *(system if "system" in scope else [])]
