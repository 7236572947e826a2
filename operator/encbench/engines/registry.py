"""The engines by name."""

from encbench.engines.children import volume_claim
from encbench.engines.engine import Engine
from encbench.engines.innodb import layout
from encbench.engines.mariadb import children, judge, problems, recovery
from encbench.engines.mysql.engine import MYSQL, PERCONA
from encbench.engines.postgresql.engine import POSTGRESQL

_ENGINES = {
    known.name: known
    for known in (
        Engine(
            name="mariadb",
            driver="mysql",
            port=layout.PORT,
            problems=problems.problems,
            room=problems.OPTIONS.room,
            credentials_secret=children.credentials_secret,
            keys_secret=children.keys_secret,
            config_map=children.config_map,
            service=children.service,
            volume_claim=volume_claim,
            stateful_set=children.stateful_set,
            judge=judge.judge,
            recovery=recovery.LOG,
        ),
        MYSQL,
        PERCONA,
        POSTGRESQL,
    )
}


def engine(name: str) -> Engine:
    """The engine that `InstanceTemplate.spec.engine` names; KeyError for any other text."""
    return _ENGINES[name]
