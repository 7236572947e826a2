"""MySQL and Percona Server as engines: one package, two flavours."""

from functools import partial

from encbench.engines.children import volume_claim
from encbench.engines.engine import Engine
from encbench.engines.innodb.layout import PORT
from encbench.engines.mysql import children, judge, problems, recovery
from encbench.engines.mysql.flavour import MYSQL as MYSQL_FLAVOUR
from encbench.engines.mysql.flavour import PERCONA as PERCONA_FLAVOUR
from encbench.engines.mysql.flavour import Flavour


def _engine(flavour: Flavour) -> Engine:
    return Engine(
        name=flavour.name,
        driver="mysql",
        port=PORT,
        problems=partial(problems.problems, flavour),
        room=partial(problems.room, flavour),
        credentials_secret=children.credentials_secret,
        keys_secret=children.keys_secret,
        config_map=children.config_map,
        service=children.service,
        volume_claim=volume_claim,
        stateful_set=children.stateful_set,
        judge=partial(judge.judge, flavour),
        recovery=recovery.LOG,
    )


MYSQL = _engine(MYSQL_FLAVOUR)
PERCONA = _engine(PERCONA_FLAVOUR)
