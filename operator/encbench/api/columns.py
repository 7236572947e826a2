"""Encryption of columns, and the JDBC driver that decrypts them: two parts of a mode.

With the method `confidential` a proxy beside the database encrypts chosen columns of what a query
returns; storage and execution stay on plaintext (docs/design/0007-columns.md). With the method
`enclave` the columns have encrypted types, which PostgreSQL computes on behind a SIMULATION of an
enclave's boundary (docs/design/0010-enclave.md).
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Resources, at_least, optional
from encbench.api.enclave import Enclave
from encbench.api.rules import Rule, Unique, either, matches, together
from encbench.api.scalars import Bool, Cores, EntryName, Name, Quantity

Algorithm = Literal["AES_128_GCM", "SM4_128_GCM"]
Ratio = Literal[0, 20, 50, 75, 100]
METHOD_RATIOS = {"confidential": (0, 20, 50, 100), "enclave": (75, 100)}

# Kept short, because each mode of a campaign counts against the API server's cost budget.
_NAME = "[0-9A-Za-z_$]+"

ColumnName = Annotated[
    str,
    Field(max_length=80),
    matches(
        f"^{_NAME}[.]{_NAME}$", "write a column as table.column, such as bmsql_customer.c_balance"
    ),
]
JarUrl = Annotated[
    str,
    Field(max_length=1024),
    matches(
        r"^https?://([A-Za-z0-9](\.?[-_A-Za-z0-9])*\.?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
        r"([/?][!-?A-~]*)?$",
        "write an http or https URL without a user or password in it, such as "
        "https://example.com/driver-1.0.jar",
    ),
]
JarDigest = Annotated[
    str,
    Field(max_length=64),
    matches("^[0-9a-f]{64}$", "write the 64 lower-case hex digits of sha256sum"),
]
JarPath = Annotated[
    str,
    Field(max_length=512),
    matches(
        "^([-_a-zA-Z0-9][-._a-zA-Z0-9]*/)*[-_a-zA-Z0-9][-._a-zA-Z0-9]*[.]jar$",
        "write the path of a .jar within the claim, without a leading /, such as "
        "drivers/EncJDBC-1.0.6.jar",
    ),
]


class MekSecretRef(Model):
    """A master encryption key (MEK) that the user provides, in a Secret of the same namespace."""

    name: Name = Field(description="Name of the Secret, which has the label encbench.io/use=key.")
    key: EntryName = "mek"
    """Entry of the Secret that holds the key: 32 hex digits."""


class ProxyResources(Resources):
    """Resources of the confidential proxy's container, in addition to the server's own."""

    rules = (
        at_least(
            "memory",
            "32Mi",
            ", such as 64Mi: each connection has buffers of 24 KiB, and half is for long rows",
        ),
    )

    cpu: Cores = "1"
    """Cores, as request and limit. Results are encrypted here, so too few cores slow every query
    down; their use is counted separately from the server's CPU."""
    memory: Quantity = Field("64Mi", description="Bytes, as request and limit.")

    @property
    def row_bytes(self) -> int:
        """Memory for long rows: half. The rest is for the program and its connections."""
        return self.memory_bytes // 2


class Columns(Model):
    """Encryption of columns: in result sets on their way to the client, or by encrypted types."""

    rules = (
        Rule(
            cel="has(self.ratio) != has(self.list)",
            message="write exactly one of ratio (0, 20, 50 or 100; with method: enclave 75 or 100) "
            "and list (such as [bmsql_customer.c_balance]); ratio: 0 is the proxy without "
            "encryption",
            holds=lambda it: (it.ratio is None) != (it.chosen is None),
        ),
        Rule(
            cel="(self.method == 'enclave') == has(self.enclave)",
            message="write enclave: {transition: 8us, value: 1200ns} with method: enclave, and "
            "omit it with method: confidential",
            holds=lambda it: (it.method == "enclave") == (it.enclave is not None),
        ),
        Rule(
            cel="!has(self.ratio) || self.ratio in (self.method == 'enclave' ? [75, 100] : "
            "[0, 20, 50, 100])",
            message="write a ratio of 75 (k, c and pad) or 100 (id too) with method: enclave, and "
            "one of 0, 20, 50 and 100 with method: confidential",
            holds=lambda it: it.ratio is None or it.ratio in METHOD_RATIOS[it.method],
        ),
        Rule(
            cel="self.method != 'enclave' || self.algorithm == 'AES_128_GCM' && self.strict && "
            "!has(self.upstream)",
            message="omit algorithm, strict and upstream with method: enclave: the encrypted types "
            "use AES_128_GCM, and strict and upstream belong to the proxy",
            holds=lambda it: (
                it.method != "enclave"
                or (it.algorithm == "AES_128_GCM" and it.strict and it.upstream is None)
            ),
        ),
    )

    method: Literal["confidential", "enclave"]
    """confidential: a proxy beside the database encrypts the values of these columns in every
    result; storage and statements stay in plaintext. enclave: the columns of PostgreSQL have
    encrypted types, which the server computes on. It is a SIMULATION of the boundary; the
    cryptography is real."""
    algorithm: Algorithm = "AES_128_GCM"
    """Cipher, with a key of 128 bits and a tag of 16 bytes per value."""
    ratio: Ratio | None = None
    """Share of the workload's schema that is encrypted, as in the published studies. confidential:
    20 covers identifiers and order numbers; 50 adds prices, dates and quantities; 100 is
    everything; 0 is nothing, but through the proxy. enclave: 75 is k, c and pad of sysbench's
    tables; 100 is id as well."""
    chosen: Annotated[list[ColumnName], Field(min_length=1, max_length=100), Unique()] | None = (
        Field(None, alias="list")
    )
    """The columns to encrypt, as table.column; sbtest.c is the column c of all sysbench tables."""
    strict: Bool = True
    """Also encrypt columns of unknown origin (derived tables, views, expressions), because they may
    show values of chosen columns. confidential only."""
    upstream: Literal["Tcp", "Socket"] | None = None
    """How the proxy reaches the server in its pod: by TCP, which is the default, or by the server's
    unix socket. They are two topologies, which cost differently. confidential only."""
    mek_secret_ref: MekSecretRef | None = None
    """Key to use; if omitted, one is generated per testbed."""
    resources: ProxyResources = Field(default_factory=ProxyResources)
    """CPU and memory of the proxy's container; without effect with method: enclave."""
    enclave: Enclave | None = None
    """The SIMULATION of the enclave's boundary, with method: enclave."""

    @property
    def boundary(self) -> Enclave:
        """The enclave's boundary, of a mode with the method enclave."""
        assert self.enclave is not None  # noqa: S101 - a rule of this model
        return self.enclave

    @property
    def by_socket(self) -> bool:
        """Whether the proxy reaches the server by its unix socket."""
        return self.upstream == "Socket"

    @property
    def encrypts(self) -> bool:
        """Whether any value is encrypted; with a ratio of 0 none is."""
        return self.ratio != 0


class EncryptingDriver(Model):
    """encbench's own encrypting driver, around the engine's. It has no options."""


class DriverJar(Model):
    """The user's own JDBC driver. encbench never ships it."""

    rules = (
        either(
            "url", "claim_name", "write exactly one place of the jar: url, or claimName with path"
        ),
        Rule(
            cel="!has(self.url) || has(self.sha256)",
            message="write sha256 beside url: the digest of the expected jar (sha256sum "
            "driver.jar)",
            holds=lambda it: it.url is None or it.sha256 is not None,
        ),
        together(
            "claim_name",
            "path",
            "write claimName and path together: the PersistentVolumeClaim, and the jar's path in "
            "it",
        ),
    )

    url: JarUrl | None = optional(
        "URL from which each client pod fetches the jar before it starts."
    )
    sha256: JarDigest | None = None
    """Digest of the jar. A file with another digest is never run; optional with claimName."""
    claim_name: Name | None = None
    """PersistentVolumeClaim that holds the jar, with the label encbench.io/use=driver; it is
    mounted read-only."""
    path: JarPath | None = optional("Path of the jar within the claim.")
    class_name: Annotated[
        str,
        Field(max_length=256),
        matches(
            "^([a-zA-Z_$][a-zA-Z0-9_$]*[.])*[a-zA-Z_$][a-zA-Z0-9_$]*$",
            "write the driver's class as Java names it, such as "
            "com.aliyun.encdb.mysql.jdbc.EncDriver",
        ),
    ] = Field(alias="class")
    """Class of the driver."""
    url_template: Annotated[
        str,
        Field(max_length=1024),
        matches(
            "^jdbc:([!-z|~]|[{](host|port|database|mek|mekFile)[}])+$",
            "write a JDBC URL whose braces hold host, port, database, mek or mekFile, in ASCII "
            "without blanks, such as "
            "jdbc:mysql:encdb://{host}:{port}/{database}?MEK={mek}&ENC_ALGO=SM4_128_GCM",
        ),
        Rule(
            cel="self.contains('{host}')",
            message="write {host} in place of the server's name, because every testbed has its own",
            holds=lambda text: "{host}" in text,
        ),
    ]
    """The JDBC URL with {host}, {port}, {database}, {mek} (the key itself) and {mekFile} (a file
    with the key). It is assembled in the client's memory."""
    key_secret_ref: MekSecretRef | None = None
    """Key for {mek} and {mekFile} if the mode has no columns; otherwise it is the key of
    columns."""

    @property
    def needs_key(self) -> bool:
        """Whether the URL names the key."""
        return re.search("[{]mek(File)?[}]", self.url_template) is not None


class JdbcDriver(Model):
    """The JDBC driver that the client uses instead of the engine's own."""

    rules = (
        either(
            "encrypting",
            "jar",
            "write exactly one of encrypting: {} (encbench's own encrypting driver) and jar (your "
            "own driver)",
        ),
    )

    encrypting: EncryptingDriver | None = None
    """encbench's own driver, which decrypts the values that the confidential proxy encrypts."""
    jar: DriverJar | None = optional("Your own driver, such as EncJDBC.")
