"""What MariaDB's agent may do, and its database."""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.engines.innodb import users
from encbench.engines.users import Credentials


def init_sql(credentials: Credentials, mode: EncryptionModeSpec) -> str:
    """Database, users and grants.

    RELOAD lets the agent flush and PROCESS lets it read InnoDB's catalogue. The grants in the
    database are for the marker table.
    """
    return users.init_sql(
        credentials,
        mode,
        create=[f"CREATE DATABASE IF NOT EXISTS {DATABASE}"],
        grants=[
            "RELOAD, PROCESS ON *.*",
            f"SELECT, INSERT, CREATE, DROP, LOCK TABLES ON {DATABASE}.*",
        ],
    )
