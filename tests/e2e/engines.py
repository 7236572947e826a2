"""The smallest instance of each engine, and the modes that it has."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Engine:
    """An engine with the modes that one campaign compares."""

    fields: dict[str, Any]
    """Those of its InstanceTemplate."""
    modes: tuple[str, ...]
    marked: tuple[str, ...]
    """Kinds of files in which the marker is readable, unless the engine encrypts them."""


SMALL: dict[str, dict[str, str]] = {
    "resources": {"cpu": "250m", "memory": "384Mi"},
    "storage": {"size": "1Gi"},
    "settings": {},
}
ENGINES = {
    "mariadb": Engine(
        {
            **SMALL,
            "engine": "mariadb",
            "version": "10.11",
            "image": "docker.io/encbench/mariadb:10.11",
        },
        ("tde", "tls"),
        ("table", "redo", "binlog"),
    ),
    "mysql": Engine(
        {
            **SMALL,
            "engine": "mysql",
            "version": "9.7",
            "image": "docker.io/encbench/mysql:9.7",
            "resources": {"cpu": "250m", "memory": "768Mi"},
            "storage": {"size": "2Gi"},
        },
        ("tde", "tls"),
        ("table", "redo", "binlog"),
    ),
    "postgresql": Engine(
        {
            **SMALL,
            "engine": "postgresql",
            "version": "15",
            "image": "docker.io/encbench/postgresql:15",
            "settings": {"shared_buffers": "128MB"},
        },
        ("tls",),
        ("table", "redo"),
    ),
}
