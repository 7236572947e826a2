"""The form in which MySQL's clients read who they are."""

from encbench.core.connection import DATABASE
from encbench.engines import users
from encbench.engines.users import Credentials


def entries(made: Credentials, init_sql: str) -> dict[str, str]:
    """The entries of the credentials Secret."""
    return users.entries(made, sysbench_conf(made), init_sql)


def sysbench_conf(credentials: Credentials) -> str:
    """For sysbench's `--config-file`, which takes option names without their dashes in front."""
    return (
        f"mysql-user={credentials.username}\n"
        f"mysql-password={credentials.password}\n"
        f"mysql-db={DATABASE}\n"
    )
