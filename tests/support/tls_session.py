"""The TLS of a session, as a server of MySQL's family names it."""

from typing import Any

import pymysql

from encbench.api.testbed import TestbedSpec
from encbench.core.tls import suite


def negotiated(connection: "pymysql.Connection[Any]") -> dict[str, str]:
    """Version and cipher suite of the connection, which is closed then."""
    with connection, connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')")
        return dict(cursor.fetchall())


def in_force(spec: TestbedSpec) -> dict[str, str]:
    """The same by the testbed's mode, which has TLS."""
    in_transit = spec.mode.in_transit
    assert in_transit is not None
    return {"Ssl_version": in_transit.version, "Ssl_cipher": suite(in_transit)}
