"""How the clients of a testbed reach its database."""

from dataclasses import replace

from encbench.api.testbed import TestbedSpec
from encbench.core.columns.enclave import encrypted
from encbench.core.columns.layout import PORT
from encbench.core.connection import DATABASE, Connection, EnclaveClient
from encbench.database.proxy import mek_of
from encbench.engines.facts import facts


def connection(testbed: str, spec: TestbedSpec) -> Connection:
    """How measured clients reach the testbed of this name; its Service, if any, has that name.

    In a mode with a proxy they connect through it, even where it encrypts nothing.
    """
    direct = loading(testbed, spec)
    jdbc, proxy = spec.mode.driver, spec.mode.proxy
    return replace(
        direct,
        port=direct.port if proxy is None else PORT,
        jdbc=jdbc,
        mek=mek_of(testbed, spec) if jdbc is not None else direct.mek,
        columns=proxy is not None,
    )


def loading(testbed: str, spec: TestbedSpec) -> Connection:
    """How the load step reaches it: the server itself, by the engine's own driver, in every arm.

    The data are then equal to the byte whatever the mode, and no load waits for a proxy. Encrypted
    column types are the exception: their values are ciphertext that the load itself seals.
    """
    engine, external = facts(spec.instance.engine), spec.instance.external
    own = spec.mode.enclave
    return Connection(
        driver=engine.driver,
        host=external.host if external else testbed,
        port=(external and external.port) or engine.port,
        database=external.database if external else DATABASE,
        engine=engine.name,
        tls=spec.mode.in_transit,
        mek=mek_of(testbed, spec) if own else None,
        outside=external is not None,
        enclave=EnclaveClient(encrypted(own), own.boundary.index) if own else None,
    )
