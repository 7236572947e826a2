"""Which image a template means: its own, or upstream's of that engine and version.

Names are fully qualified, for not every container runtime completes a short one.
"""

from encbench.api.instancetemplate import InstanceTemplateSpec

_UPSTREAM = {
    "mariadb": "docker.io/library/mariadb",
    "mysql": "docker.io/library/mysql",
    "percona": "docker.io/percona/percona-server",
    "postgresql": "docker.io/library/postgres",
}


def default_image(engine: str, version: str) -> str:
    """Upstream's image of this version; KeyError for an engine that is none of ours."""
    return f"{_UPSTREAM[engine]}:{version}"


def server_image(instance: InstanceTemplateSpec) -> str:
    """The image of the server's containers."""
    return instance.image or default_image(instance.engine, instance.version)
