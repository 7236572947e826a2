"""PostgreSQL, as the registry lists it."""

from encbench.engines.children import volume_claim
from encbench.engines.engine import Engine
from encbench.engines.postgresql import children, judge, problems, recovery
from encbench.engines.postgresql.layout import PORT

POSTGRESQL = Engine(
    name="postgresql",
    driver="pgsql",
    port=PORT,
    problems=problems.problems,
    room=problems.room,
    credentials_secret=children.credentials_secret,
    keys_secret=children.keys_secret,
    config_map=children.config_map,
    service=children.service,
    volume_claim=volume_claim,
    stateful_set=children.stateful_set,
    judge=judge.judge,
    recovery=recovery.LOG,
)
