"""MySQL and Percona Server as engines: one package, two flavours."""

from functools import partial

from encbench.api.testbed import TestbedSpec
from encbench.core.connection import DATABASE
from encbench.engines.engine import Engine, ServerContainer, scripts
from encbench.engines.innodb import engine as innodb
from encbench.engines.log_words import LogWords
from encbench.engines.mysql import judge, problems
from encbench.engines.mysql.flavour import FIRST_8, FLAVOURS, Flavour, number
from encbench.engines.mysql.layout import POD, keyring_files
from encbench.engines.mysql.settings import server_cnf
from encbench.engines.users import Credentials


def init_sql(flavour: Flavour, credentials: Credentials, spec: TestbedSpec) -> str:
    """Database, users and grants, and the encryption that no setting does.

    A database created here ignores `default_table_encryption`, so its tables would be in plaintext.
    Only these statements encrypt the system's own tables.

    RELOAD lets the agent flush, PROCESS and the performance schema let it read the catalogue, and
    REPLICATION CLIENT lets it list the binary logs. The grants in the database are for the marker
    table. To end the sessions of clients that are gone it may kill them, for which 5.7 has no less
    than SUPER. Nothing logs in as root.
    """
    scope = flavour.scope(spec.mode)
    killing = "CONNECTION_ADMIN" if number(spec.instance.version) >= FIRST_8 else "SUPER"
    encryption = " DEFAULT ENCRYPTION='Y'" if "tables" in scope else ""
    system = ["ALTER TABLESPACE mysql ENCRYPTION='Y'", "ALTER TABLE sys.sys_config ENCRYPTION='Y'"]
    return innodb.init_sql(
        credentials,
        spec,
        create=[
            f"CREATE DATABASE IF NOT EXISTS {DATABASE}{encryption}",
            *(system if "system" in scope else []),
        ],
        grants=[
            f"RELOAD, PROCESS, REPLICATION CLIENT, {killing} ON *.*",
            "SELECT ON performance_schema.*",
            f"SELECT, INSERT, UPDATE, CREATE, DROP, LOCK TABLES ON {DATABASE}.*",
        ],
        last=["ALTER USER 'root'@'localhost' ACCOUNT LOCK"],
    )


def _engine(flavour: Flavour) -> Engine:
    return Engine(
        facts=flavour.facts,
        problems=partial(problems.problems, flavour),
        room=partial(problems.room, flavour),
        init_sql=partial(init_sql, flavour),
        config_files=lambda spec: {
            "server.cnf": server_cnf(spec, POD),
            **keyring_files(spec.mode, spec.instance.version, POD),
            **scripts("mysql", "initialise.sh"),
        },
        initialise=ServerContainer(("sh", POD.initialise, POD.volume, POD.config)),
        server=innodb.server(POD.mysqld, POD),
        socket=POD.socket,
        judge=partial(judge.judge, flavour),
        # At `log_error_verbosity` 3, which `settings` sets.
        log_words=LogWords(
            started=r"\bstarting as process PID\b",
            recovered=(r"Starting crash recovery",),
            further=(
                r"Database was not shutdown normally",
                r"Doing recovery: scanned up to log sequence number",
                r"Applying a batch of \d+ redo log records",
                r"Apply batch completed",
                r"Starting XA crash recovery",
                r"XA crash recovery finished",
                r"rolled back or cleaned up",
            ),
        ),
    )


MYSQL, PERCONA = (_engine(FLAVOURS[name]) for name in ("mysql", "percona"))
