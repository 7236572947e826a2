"""JDBC URLs: the address of the database and the parameters of TLS.

By default Connector/J and pgJDBC negotiate TLS whenever the server offers it, and accept any
certificate. So the URL always says it: off, or on and verified down to the host's name. pgJDBC and
MariaDB's driver read the CA's PEM file; Connector/J needs a trust store, which `trust` has made
from it. A trust store holds no secret: it has a password only because Java requires one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from encbench.api.columns import DriverJar
from encbench.api.encryptionmode import InTransit
from encbench.core.columns.layout import MEK_FILE
from encbench.core.connection import Connection, Driver
from encbench.engines.facts import facts

TRUST_STORE = "/tmp/encbench/trust.p12"  # noqa: S108 - an emptyDir of the pod
TRUST_STORE_PASSWORD = "encbench"  # noqa: S105 - see above

Parameters = dict[str, str]


@dataclass(frozen=True)
class Jdbc:
    """One driver."""

    name: str
    """Its class."""
    protocol: Driver
    scheme: str
    plaintext: Parameters
    verified: Callable[[InTransit, str], Parameters]
    """TLS of that version only; the second argument is the path of the CA's certificate."""
    batches: Parameters
    """Parameters that turn a batch of inserts into one statement; without them a load takes many
    times as long. encbench's own client sets them itself, among others."""
    measured: Parameters = field(default_factory=dict)
    """Further parameters of a measured run, which encbench's own client also sets itself."""
    needs_trust_store: bool = False


_MYSQL = Jdbc(
    name="com.mysql.cj.jdbc.Driver",
    protocol="mysql",
    scheme="mysql",
    # Without TLS the server's default authentication, caching_sha2_password, sends the password
    # under the server's public key, which the client has to be allowed to ask for. Versions before
    # 8.0.13, which an image of BenchmarkSQL may have, ignore sslMode.
    plaintext={"sslMode": "DISABLED", "useSSL": "false", "allowPublicKeyRetrieval": "true"},
    verified=lambda tls, _: {
        "sslMode": "VERIFY_IDENTITY",
        "tlsVersions": tls.version,
        "trustCertificateKeyStoreUrl": f"file:{TRUST_STORE}",
        "trustCertificateKeyStoreType": "PKCS12",
        "trustCertificateKeyStorePassword": TRUST_STORE_PASSWORD,
        "fallbackToSystemTrustStore": "false",
    },
    batches={"rewriteBatchedStatements": "true"},
    needs_trust_store=True,
)
_MARIADB = Jdbc(
    name="org.mariadb.jdbc.Driver",
    protocol="mysql",
    scheme="mariadb",
    plaintext={"sslMode": "disable", "allowPublicKeyRetrieval": "true"},
    verified=lambda tls, authority: {
        "sslMode": "verify-full",
        "enabledSslProtocolSuites": tls.version,
        "serverSslCert": authority,
    },
    batches={},
    # Otherwise a batch of inserts is one bulk command. The confidential proxy offers none of
    # MariaDB's extensions, so only a direct run would have it, and the hop would include its loss.
    measured={"useBulkStmts": "false"},
)
_POSTGRESQL = Jdbc(
    name="org.postgresql.Driver",
    protocol="pgsql",
    scheme="postgresql",
    plaintext={"sslmode": "disable"},
    # The one version is pinned in the server: the driver has no parameter for it.
    verified=lambda _, authority: {"sslmode": "verify-full", "sslrootcert": authority},
    batches={"reWriteBatchedInserts": "true"},
)

DRIVERS: Mapping[str, Jdbc] = {jdbc.name: jdbc for jdbc in (_MYSQL, _MARIADB, _POSTGRESQL)}
"""By class; `api.tpcc.DRIVERS` names the same."""

ENCRYPTING = "io.encbench.jdbc.EncbenchDriver"
"""encbench's own driver around another: its URL is this prefix and the other's URL."""
ENCRYPTING_PREFIX = "jdbc:encbench:"


def driver(engine: str, chosen: str | None) -> Jdbc:
    """The driver that a workload names, or the usual one of the engine."""
    return DRIVERS[chosen or facts(engine).jdbc]


def encrypts(connection: Connection) -> bool:
    """Whether the client uses encbench's own encrypting driver around the engine's."""
    return connection.jdbc is not None and connection.jdbc.encrypting is not None


def jar(connection: Connection) -> DriverJar | None:
    """The driver of the user's own that the client uses, if any."""
    return connection.jdbc.jar if connection.jdbc is not None else None


def wants_trust_store(connection: Connection, chosen: str | None) -> bool:
    """Whether the client may need one: with a driver of the user's own its URL says which file."""
    if connection.tls is None:
        return False
    return jar(connection) is not None or driver(connection.engine, chosen).needs_trust_store


def unverified(connection: Connection) -> str | None:
    """The URL of the user's own driver is theirs whole, and only that driver knows what it asks."""
    if connection.tls is None or jar(connection) is None:
        return None
    return "all of it, unless driver.jar's own URL has it verified"


def class_name(connection: Connection, chosen: str | None) -> str:
    """Class of the driver that the client loads."""
    own = jar(connection)
    if own is not None:
        return own.class_name
    return ENCRYPTING if encrypts(connection) else driver(connection.engine, chosen).name


def template(own: DriverJar, connection: Connection) -> str:
    """The URL of the user's own driver without the key, which only the pod has."""
    return (
        own.url_template.replace("{host}", connection.host)
        .replace("{port}", str(connection.port))
        .replace("{database}", connection.database)
        .replace("{mekFile}", MEK_FILE)
    )


def url(
    jdbc: Jdbc,
    connection: Connection,
    authority: str,
    *,
    batches: bool,
    parameters: Mapping[str, str],
) -> str:
    """The URL. The user's `parameters` override ours, except those of TLS."""
    tls = connection.tls
    options = {
        **(jdbc.batches if batches else {}),
        **parameters,
        **(jdbc.plaintext if tls is None else jdbc.verified(tls, authority)),
    }
    prefix = ENCRYPTING_PREFIX if encrypts(connection) else ""
    query = "&".join(f"{name}={value}" for name, value in options.items())
    return f"{prefix}jdbc:{jdbc.scheme}://{connection.host}:{connection.port}/{connection.database}?{query}"
