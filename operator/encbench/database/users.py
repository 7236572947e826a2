"""The credentials of one testbed, generated once."""

from encbench.core.connection import DATABASE, Driver
from encbench.engines.engine import RandomToken
from encbench.engines.users import Credentials


def generate(random_token: RandomToken) -> Credentials:
    """Fresh passwords of 128 bits and a fresh token of 256."""
    return Credentials(
        password=random_token(16), agent_password=random_token(16), token=random_token(32)
    )


def entries(made: Credentials, driver: Driver, init_sql: str) -> dict[str, str]:
    """The entries of the credentials Secret."""
    return {
        "username": made.username,
        "password": made.password,
        "agent-password": made.agent_password,
        "token": made.token,
        "sysbench.conf": sysbench_conf(made, driver),
        "init.sql": init_sql,
    }


def sysbench_conf(made: Credentials, driver: Driver) -> str:
    """For sysbench's `--config-file`, which takes option names without their leading dashes."""
    database = f"mysql-db={DATABASE}\n" if driver == "mysql" else ""
    return f"{driver}-user={made.username}\n{driver}-password={made.password}\n{database}"
