"""Who may log in: the statements that make users, and the rules that let them in."""

from encbench.core.connection import DATABASE
from encbench.engines.users import AGENT_USER, BENCHMARK_USER, Credentials


def init_sql(credentials: Credentials) -> str:
    """Users, grants and the database; for template1, from which the database is copied.

    Each statement ends with an empty line, because the single-user server needs one. The
    benchmark's user owns its database and nothing else. The agent may read every setting, the
    access rules and the tables (it checks a benchmark's consistency), may request a checkpoint, and
    has a schema of its own for its marker.
    """
    user, agent = credentials.username, AGENT_USER
    statements = (
        f"CREATE ROLE {user} LOGIN PASSWORD '{credentials.password}'",
        f"CREATE ROLE {agent} LOGIN PASSWORD '{credentials.agent_password}'",
        f"GRANT pg_read_all_settings, pg_checkpoint, pg_read_all_data TO {agent}",
        f"GRANT SELECT ON pg_hba_file_rules TO {agent}",
        f"GRANT EXECUTE ON FUNCTION pg_hba_file_rules() TO {agent}",
        f"CREATE DATABASE {DATABASE} OWNER {user} TEMPLATE template1",
        f"GRANT CREATE ON DATABASE {DATABASE} TO {agent}",
    )
    return "".join(f"{statement};\n\n" for statement in statements)


def host_rules(*, tls: bool) -> str:
    """Who may connect: the agent by the unix socket, the benchmark's user over the network.

    The rules admit no other user, not even the superuser. Under TLS no rule admits a connection
    without it.
    """
    network = "hostssl" if tls else "host"
    rules = (
        f"local {DATABASE} {AGENT_USER} scram-sha-256",
        f"{network} {DATABASE} {BENCHMARK_USER} all scram-sha-256",
    )
    return "".join(f"{rule}\n" for rule in rules)
