"""The engines by name."""

from encbench.engines.engine import Engine
from encbench.engines.mariadb.engine import MARIADB
from encbench.engines.mysql.engine import MYSQL, PERCONA
from encbench.engines.postgresql.engine import POSTGRESQL

_ENGINES = {known.facts.name: known for known in (MARIADB, MYSQL, PERCONA, POSTGRESQL)}


def engine(name: str) -> Engine:
    """The engine that `InstanceTemplate.spec.engine` names; KeyError for any other text."""
    return _ENGINES[name]
