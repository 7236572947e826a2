"""Who may log in, whatever the engine. The agent imports this module: the standard library only."""

from dataclasses import dataclass

BENCHMARK_USER = "encbench"
AGENT_USER = "encbench_agent"


@dataclass(frozen=True)
class Credentials:
    """What is generated once for each testbed. Passwords are hex digits and need no quoting."""

    password: str
    agent_password: str
