"""The engines by name."""

from encbench.engines.engine import Engine
from encbench.engines.mariadb import children, judge, problems

_ENGINES = {
    known.name: known
    for known in (
        Engine(
            name="mariadb",
            problems=problems.problems,
            credentials_secret=children.credentials_secret,
            keys_secret=children.keys_secret,
            config_map=children.config_map,
            service=children.service,
            volume_claim=children.volume_claim,
            stateful_set=children.stateful_set,
            judge=judge.judge,
        ),
    )
}


def engine(name: str) -> Engine:
    """The engine that `InstanceTemplate.spec.engine` names; KeyError for any other text."""
    return _ENGINES[name]
