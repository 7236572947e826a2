"""PostgreSQL, as the registry lists it, and who may log in to it."""

from encbench.api.testbed import TestbedSpec
from encbench.core.connection import DATABASE
from encbench.engines.engine import Engine, ServerContainer, scripts
from encbench.engines.facts import facts
from encbench.engines.log_words import LogWords
from encbench.engines.postgresql import judge, load_memory, problems
from encbench.engines.postgresql.enclave import EXTENSION
from encbench.engines.postgresql.settings import POD, openssl_conf, server_conf
from encbench.engines.users import AGENT_USER, BENCHMARK_USER, Credentials
from encbench.kube.pods import USER_ID, mount

_FACTS = facts("postgresql")
PASSWD = "passwd"  # noqa: S105 the name of a file
_USERS = f"encbench:x:{USER_ID}:{USER_ID}::/:/bin/sh\n"


def init_sql(credentials: Credentials, spec: TestbedSpec) -> str:
    """Users, grants and the database; for template1, from which the database is copied.

    Each statement ends with an empty line, because the single-user server needs one. The
    benchmark's user owns its database and nothing else. The agent may read every setting, the
    access rules and the tables (it checks a benchmark's consistency), may request a checkpoint and
    end the sessions of clients that are gone, and has a schema of its own for its marker. Encrypted
    column types are an extension of template1. Only the agent may measure what their boundary
    costs.
    """
    user, agent = BENCHMARK_USER, AGENT_USER
    statements = (
        f"CREATE ROLE {user} LOGIN PASSWORD '{credentials.password}'",
        f"CREATE ROLE {agent} LOGIN PASSWORD '{credentials.agent_password}'",
        f"GRANT pg_read_all_settings, pg_checkpoint, pg_read_all_data TO {agent}",
        f"GRANT pg_signal_backend TO {agent}",
        f"GRANT SELECT ON pg_hba_file_rules TO {agent}",
        f"GRANT EXECUTE ON FUNCTION pg_hba_file_rules() TO {agent}",
        *(
            (
                f"CREATE EXTENSION {EXTENSION}",
                f"GRANT EXECUTE ON FUNCTION enclave_calibrate(integer) TO {agent}",
            )
            if spec.mode.enclave
            else ()
        ),
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


def _config_files(spec: TestbedSpec) -> dict[str, str]:
    """Settings, rules of access, the name of the user, and the scripts."""
    in_transit = spec.mode.in_transit
    files = {
        "postgresql.conf": server_conf(spec, POD),
        "pg_hba.conf": host_rules(tls=in_transit is not None),
        PASSWD: _USERS,
        **scripts(_FACTS.package, "initialise.sh", "start.sh"),
    }
    # In place of the image's own configuration: only where nothing else pins the suite.
    if in_transit is not None and in_transit.version == "TLSv1.3":
        files["openssl.cnf"] = openssl_conf(in_transit)
    return files


POSTGRESQL = Engine(
    facts=_FACTS,
    problems=problems.problems,
    room=problems.SETTINGS.room,
    init_sql=init_sql,
    config_files=_config_files,
    initialise=ServerContainer(
        ("sh", POD.initialise, POD.volume, POD.server_conf, POD.init_sql),
        mounts=({**mount("config", "/etc/passwd"), "subPath": PASSWD},),
        needs_keys=False,
        runs_init_sql=True,
    ),
    server=ServerContainer(
        ("sh", f"{POD.config}/start.sh", POD.volume, POD.server_conf),
        mounts=(mount("shared-memory", "/dev/shm", read_only=False),),  # noqa: S108 an emptyDir
        tls13_environment={"OPENSSL_CONF": f"{POD.config}/openssl.cnf"},
    ),
    # A container's default /dev/shm has 64 MiB, which one parallel query can fill. This one counts
    # towards the server's memory.
    volumes=({"name": "shared-memory", "emptyDir": {"medium": "Memory"}},),
    socket=POD.socket,
    index_builds=load_memory.index_builds,
    process_per_connection=True,
    judge=judge.judge,
    # Under `log_line_prefix` with the process number.
    log_words=LogWords(
        started=r"\[PID\] LOG: +starting PostgreSQL ",
        recovered=(r"database system was not properly shut down; automatic recovery in progress",),
        further=(
            r"database system was interrupted",
            r"LOG: +redo starts at ",
            r"LOG: +redo done at ",
            r"LOG: +redo is not required",
        ),
    ),
)
