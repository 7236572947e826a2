"""Who may log in, whatever the engine: what is generated once per testbed.

Passwords are hex digits and need no quoting.
"""

from dataclasses import dataclass

from encbench.engines.engine import RandomToken

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


def entries(made: Credentials, sysbench_conf: str, init_sql: str) -> dict[str, str]:
    """The entries of the credentials Secret; the two texts are in the engine's own words."""
    return {
        "username": made.username,
        "password": made.password,
        "agent-password": made.agent_password,
        "token": made.token,
        "sysbench.conf": sysbench_conf,
        "init.sql": init_sql,
    }
