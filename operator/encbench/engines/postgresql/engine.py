"""PostgreSQL, as the registry lists it."""

from encbench.api.testbed import TestbedSpec
from encbench.engines.engine import Engine, ServerContainer, packaged, refusals
from encbench.engines.facts import facts
from encbench.engines.log_words import LogWords
from encbench.engines.postgresql import judge, problems, users
from encbench.engines.postgresql.layout import PASSWD, POD
from encbench.engines.postgresql.settings import openssl_conf, server_conf
from encbench.kube.pods import USER_ID, mount

_FACTS = facts("postgresql")
_USERS = f"encbench:x:{USER_ID}:{USER_ID}::/:/bin/sh\n"


def _config_files(spec: TestbedSpec) -> dict[str, str]:
    """Settings, rules of access, the name of the user, and the scripts."""
    in_transit = spec.mode.in_transit
    files = {
        "postgresql.conf": server_conf(spec, POD),
        "pg_hba.conf": users.host_rules(tls=in_transit is not None),
        PASSWD: _USERS,
        **{name: packaged(_FACTS.package, name) for name in ("initialise.sh", "start.sh")},
        **refusals(),
    }
    if in_transit is not None:
        files["openssl.cnf"] = openssl_conf(in_transit)
    return files


POSTGRESQL = Engine(
    facts=_FACTS,
    problems=problems.problems,
    room=problems.room,
    init_sql=lambda credentials, _: users.init_sql(credentials),
    config_files=_config_files,
    initialise=ServerContainer(
        ("sh", POD.initialise, POD.volume, POD.server_conf, POD.init_sql),
        mounts=({**mount("config", "/etc/passwd"), "subPath": PASSWD},),
        needs_keys=False,
        runs_init_sql=True,
    ),
    server=ServerContainer(
        ("sh", POD.start, POD.volume, POD.server_conf),
        mounts=(mount("shared-memory", "/dev/shm", read_only=False),),  # noqa: S108 an emptyDir
        tls_environment={"OPENSSL_CONF": POD.openssl_conf},
    ),
    # A container's default /dev/shm has 64 MiB, which one parallel query can fill. This one counts
    # towards the server's memory.
    volumes=({"name": "shared-memory", "emptyDir": {"medium": "Memory"}},),
    socket=POD.socket,
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
