"""Who may log in, and the statements that say so.

The server runs `init.sql` at each start, so every statement may run again. They are kept out of the
binary log. Passwords are hex digits and need no quoting.
"""

from dataclasses import dataclass

from encbench.engines.engine import RandomToken
from encbench.engines.mariadb.layout import DATABASE

BENCHMARK_USER = "encbench"
AGENT_USER = "encbench_agent"


@dataclass(frozen=True)
class Credentials:
    """What is generated once per testbed."""

    username: str
    password: str
    agent_password: str
    token: str


def generate(random_token: RandomToken) -> Credentials:
    """Fresh passwords and a fresh token of 128 and 256 bits."""
    return Credentials(
        username=BENCHMARK_USER,
        password=random_token(16),
        agent_password=random_token(16),
        token=random_token(32),
    )


def sysbench_conf(credentials: Credentials) -> str:
    """For sysbench's `--config-file`, which takes option names without their dashes in front."""
    return (
        f"mysql-user={credentials.username}\n"
        f"mysql-password={credentials.password}\n"
        f"mysql-db={DATABASE}\n"
    )


def init_sql(credentials: Credentials) -> str:
    """Database, users and grants; one statement a line, as `--init-file` wants it.

    The agent logs in by the unix socket only. RELOAD lets it flush, PROCESS lets it read InnoDB's
    catalogue; in the database it may do what a marker table needs.
    """
    agent = f"'{AGENT_USER}'@'localhost'"
    user = f"'{credentials.username}'@'%'"
    statements = (
        "SET SESSION sql_log_bin=0",
        f"CREATE DATABASE IF NOT EXISTS {DATABASE}",
        f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{credentials.password}'",
        f"GRANT ALL PRIVILEGES ON {DATABASE}.* TO {user}",
        f"CREATE USER IF NOT EXISTS {agent} IDENTIFIED BY '{credentials.agent_password}'",
        f"GRANT RELOAD, PROCESS ON *.* TO {agent}",
        f"GRANT SELECT, INSERT, CREATE, DROP, LOCK TABLES ON {DATABASE}.* TO {agent}",
    )
    return "".join(f"{statement};\n" for statement in statements)
