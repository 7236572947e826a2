"""How the clients of a testbed reach its database."""

from encbench.api.testbed import TestbedSpec
from encbench.core.connection import DATABASE, Connection
from encbench.engines.registry import engine


def connection(testbed: str, spec: TestbedSpec) -> Connection:
    """The connection to the testbed of this name; its Service, if it has one, has the same name."""
    found, external = engine(spec.instance.engine), spec.instance.external
    return Connection(
        driver=found.driver,
        host=external.host if external else testbed,
        port=(external and external.port) or found.port,
        database=external.database if external else DATABASE,
        engine=spec.instance.engine,
        tls=spec.mode.in_transit,
    )
