"""MariaDB, as the registry lists it."""

from encbench.api.testbed import TestbedSpec
from encbench.engines.engine import Engine, KeyFile, ServerContainer, packaged, refusals
from encbench.engines.facts import facts
from encbench.engines.innodb.layout import KEY_FILE
from encbench.engines.innodb.server import server
from encbench.engines.log_words import LogWords
from encbench.engines.mariadb import judge, problems
from encbench.engines.mariadb.layout import POD
from encbench.engines.mariadb.settings import server_cnf
from encbench.engines.mariadb.users import init_sql

_FACTS = facts("mariadb")


def _config_files(spec: TestbedSpec) -> dict[str, str]:
    """The option file and the script that makes the data directory."""
    script = packaged(_FACTS.package, "initialise.sh")
    return {"server.cnf": server_cnf(spec, POD), "initialise.sh": script, **refusals()}


MARIADB = Engine(
    facts=_FACTS,
    problems=problems.problems,
    room=problems.OPTIONS.room,
    init_sql=init_sql,
    config_files=_config_files,
    initialise=ServerContainer(("sh", POD.initialise, POD.volume, POD.server_cnf)),
    server=server(_FACTS.process, POD),
    socket=POD.socket,
    # For file_key_management: one key of 256 bits with the number 1.
    key=KeyFile(KEY_FILE, POD.keys, fresh=lambda random_token: f"1;{random_token(32)}\n"),
    judge=judge.judge,
    # Seen with 10.11 and 11.8.
    log_words=LogWords(
        started=r"[Ss]tarting .* as process PID\b",
        recovered=(r"InnoDB: Starting crash recovery",),
        further=(
            r"InnoDB: End of log at LSN",
            r"InnoDB: To recover: ",
            r"InnoDB: .*rolled back or cleaned up",
            r"Recovering after a crash using ",
            r"Crash table recovery finished",
        ),
    ),
)
