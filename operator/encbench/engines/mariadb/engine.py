"""MariaDB, as the registry lists it."""

from functools import partial

from encbench.core.connection import DATABASE
from encbench.engines.engine import Engine, KeyFile, ServerContainer, scripts
from encbench.engines.facts import facts
from encbench.engines.innodb.engine import init_sql, server
from encbench.engines.log_words import LogWords
from encbench.engines.mariadb import judge, keys, problems
from encbench.engines.mariadb.settings import KEY_FILE, POD, server_cnf

_FACTS = facts("mariadb")

MARIADB = Engine(
    facts=_FACTS,
    problems=problems.problems,
    room=problems.room,
    init_sql=partial(
        init_sql,
        create=[f"CREATE DATABASE IF NOT EXISTS {DATABASE}"],
        # RELOAD lets the agent flush, PROCESS lets it read InnoDB's catalogue, and CONNECTION ADMIN
        # lets it end the sessions of clients that are gone. The grants in the database are for the
        # marker table.
        grants=[
            "RELOAD, PROCESS, CONNECTION ADMIN ON *.*",
            f"SELECT, INSERT, CREATE, DROP, LOCK TABLES ON {DATABASE}.*",
        ],
    ),
    config_files=lambda spec: {
        "server.cnf": server_cnf(spec, POD),
        **scripts(_FACTS.package, "initialise.sh"),
    },
    initialise=ServerContainer(("sh", POD.initialise, POD.volume, POD.server_cnf)),
    server=server(_FACTS.process, POD),
    socket=POD.socket,
    key=KeyFile(KEY_FILE, POD.keys, fresh=keys.fresh, unfit=keys.unfit),
    judge=judge.judge,
    # Seen with 10.11 and 11.8.
    log_words=LogWords(
        started=r" as process PID\b",
        recovered=(r"InnoDB: Starting crash recovery",),
        further=(
            r"InnoDB: End of log at LSN",
            r"InnoDB: To recover: ",
            r"rolled back or cleaned up",
            r"Recovering after a crash using ",
            r"Crash table recovery finished",
        ),
    ),
)
