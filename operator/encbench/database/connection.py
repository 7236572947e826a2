"""How the clients of a testbed reach its database."""

from dataclasses import replace

from encbench.api.testbed import TestbedSpec
from encbench.core.columns.layout import PORT
from encbench.core.connection import DATABASE, Connection
from encbench.database.proxy import mek_of
from encbench.engines.facts import facts


def connection(testbed: str, spec: TestbedSpec) -> Connection:
    """How measured clients reach the testbed of this name; its Service, if any, has that name.

    With `columns` they connect through the proxy, even where it encrypts nothing.
    """
    direct = loading(testbed, spec)
    jdbc, columns = spec.mode.driver, spec.mode.columns
    return replace(
        direct,
        port=direct.port if columns is None else PORT,
        jdbc=jdbc,
        mek=mek_of(testbed, spec) if jdbc is not None else None,
        columns=columns is not None,
    )


def loading(testbed: str, spec: TestbedSpec) -> Connection:
    """How the load step reaches it: the server itself, by the engine's own driver, in every arm.

    The data are then equal to the byte whatever the mode, and no load waits for a proxy.
    """
    engine, external = facts(spec.instance.engine), spec.instance.external
    return Connection(
        driver=engine.driver,
        host=external.host if external else testbed,
        port=(external and external.port) or engine.port,
        database=external.database if external else DATABASE,
        engine=engine.name,
        tls=spec.mode.in_transit,
    )
