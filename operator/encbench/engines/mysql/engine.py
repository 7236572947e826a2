"""MySQL and Percona Server as engines: one package, two flavours."""

from functools import partial

from encbench.api.testbed import TestbedSpec
from encbench.engines.engine import Engine, ServerContainer, packaged, refusals
from encbench.engines.innodb.server import server
from encbench.engines.log_words import LogWords
from encbench.engines.mysql import judge, keyring, problems
from encbench.engines.mysql.flavour import FLAVOURS, Flavour
from encbench.engines.mysql.layout import POD
from encbench.engines.mysql.settings import server_cnf
from encbench.engines.mysql.users import init_sql


def _config_files(spec: TestbedSpec) -> dict[str, str]:
    """Option file, the keyring's files, and the script that makes the data directory."""
    return {
        "server.cnf": server_cnf(spec, POD),
        **keyring.files(spec.mode, spec.instance.version, POD),
        "initialise.sh": packaged("mysql", "initialise.sh"),
        **refusals(),
    }


def _engine(flavour: Flavour) -> Engine:
    return Engine(
        facts=flavour.facts,
        problems=partial(problems.problems, flavour),
        room=partial(problems.room, flavour),
        init_sql=partial(init_sql, flavour=flavour),
        config_files=_config_files,
        initialise=ServerContainer(("sh", POD.initialise, POD.volume, POD.config)),
        server=server(POD.mysqld, POD),
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
