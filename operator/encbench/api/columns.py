"""Encryption of result columns, and the JDBC driver that decrypts them: two parts of a mode.

The confidential proxy beside the database encrypts chosen columns of what a query returns; storage
and execution stay on plaintext. docs/design/0007-columns.md is the contract of all parts of it.
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Resources, at_least
from encbench.api.rules import Rule, Unique, either, matches
from encbench.api.scalars import Bool, EntryName, Name, Quantity

Algorithm = Literal["AES_128_GCM", "SM4_128_GCM"]
Ratio = Literal[0, 20, 50, 100]

PLACES = ("host", "port", "database", "mek", "mekFile")
"""What `urlTemplate` may name in braces."""

# Kept short: the API server has a budget, and holds this against it for each mode of a campaign.
_NAME = "[0-9A-Za-z_$]+"
_BRACES = f"[{{]({'|'.join(PLACES)})[}}]"
_TEMPLATE = f"^jdbc:([^{{}}]|{_BRACES})+$"


class MekSecretRef(Model):
    """A master encryption key (MEK) of the user's own, in a Secret of the same namespace."""

    name: Name = Field(description="Name of the Secret.")
    key: EntryName = Field(
        "mek", description="Entry of the Secret that holds the key: 32 hex digits."
    )


class ProxyResources(Resources):
    """What the confidential proxy's container may use, over and above the server's own."""

    rules = (
        at_least(
            "memory",
            "32Mi",
            "write memory of at least 32Mi, such as 64Mi: each connection has buffers of 24 KiB",
        ),
    )

    cpu: Quantity = Field(
        "1",
        description="Cores, requested and as limit. Results are encrypted here, so too few of "
        "them slow every query down; the CPU is counted apart from the server's.",
    )
    memory: Quantity = Field("64Mi", description="Bytes, requested and as limit.")


class Columns(Model):
    """Encryption of columns of the result sets, on their way to the client."""

    rules = (
        Rule(
            cel="has(self.ratio) != has(self.list)",
            message="write one of the two: ratio, which is 0, 20, 50 or 100, or list, such as "
            "[bmsql_customer.c_balance]; ratio: 0 is the proxy without any encryption",
            holds=lambda it: (it.ratio is None) != (it.chosen is None),
        ),
    )

    method: Literal["confidential"] = Field(
        description="confidential: a proxy beside the database encrypts the values of these "
        "columns in every result; storage and statements stay in plaintext."
    )
    algorithm: Algorithm = Field(
        "AES_128_GCM", description="Cipher, with a key of 128 bits and a tag of 16 bytes a value."
    )
    ratio: Ratio | None = Field(
        None,
        description="How much of the workload's schema is encrypted, as the published study has "
        "it: 20 is identifiers and order numbers; 50 these and prices, dates, quantities; 100 "
        "everything; 0 nothing, but through the proxy.",
    )
    chosen: (
        Annotated[
            list[
                Annotated[
                    str,
                    Field(max_length=80),
                    matches(
                        f"^{_NAME}[.]{_NAME}$",
                        "write a column as table.column, such as bmsql_customer.c_balance",
                    ),
                ]
            ],
            Field(min_length=1, max_length=100),
            Unique(),
        ]
        | None
    ) = Field(
        None,
        alias="list",
        description="The columns to encrypt as table.column; sbtest.c is the column c of all of "
        "sysbench's tables.",
    )
    strict: Bool = Field(
        True,
        description="A column of unknown origin (a derived table's, a view's, an expression's) is "
        "encrypted as well, for it may show a chosen one's values.",
    )
    mek_secret_ref: MekSecretRef | None = Field(
        None, description="Key to use; one is generated per testbed when left out."
    )
    resources: ProxyResources = Field(
        default_factory=ProxyResources, description="CPU and memory of the proxy's container."
    )

    @property
    def encrypts(self) -> bool:
        """Whether any value is encrypted; with a ratio of 0 none is."""
        return self.ratio != 0


class EncryptingDriver(Model):
    """encbench's own encrypting driver, around the engine's. There is nothing to choose."""


class DriverJar(Model):
    """A JDBC driver of the user's own. encbench never ships it."""

    rules = (
        either(
            "url",
            "claim_name",
            "say where the jar is by one of the two: url, or claimName with path",
        ),
        Rule(
            cel="!has(self.url) || has(self.sha256)",
            message="write sha256 beside url, the digest of the jar that you mean (sha256sum "
            "driver.jar)",
            holds=lambda it: it.url is None or it.sha256 is not None,
        ),
        Rule(
            cel="has(self.claimName) == has(self.path)",
            message="write claimName and path together: the PersistentVolumeClaim, and where in it "
            "the jar lies",
            holds=lambda it: (it.claim_name is None) == (it.path is None),
        ),
    )

    url: (
        Annotated[
            str,
            Field(max_length=1024),
            matches(
                "^https?://[^@\\s]+$",
                "write an http or https URL without a user or password in it, such as "
                "https://example.com/driver-1.0.jar",
            ),
        ]
        | None
    ) = Field(None, description="Where each client pod fetches the jar before it starts.")
    sha256: (
        Annotated[
            str,
            Field(max_length=64),
            matches("^[0-9a-f]{64}$", "write the 64 hex digits, in lower case, of sha256sum"),
        ]
        | None
    ) = Field(
        None,
        description="Digest of the jar. Another file than this is never run; optional with "
        "claimName.",
    )
    claim_name: Name | None = Field(
        None, description="PersistentVolumeClaim that has the jar; it is mounted read-only."
    )
    path: (
        Annotated[
            str,
            Field(max_length=512),
            matches(
                "^([-_a-zA-Z0-9][-._a-zA-Z0-9]*/)*[-_a-zA-Z0-9][-._a-zA-Z0-9]*[.]jar$",
                "write the path of a .jar within the claim, without a / in front, such as "
                "drivers/EncJDBC-1.0.6.jar",
            ),
        ]
        | None
    ) = Field(None, description="Path of the jar within the claim.")
    class_name: Annotated[
        str,
        Field(max_length=256),
        matches(
            "^([a-zA-Z_$][a-zA-Z0-9_$]*[.])*[a-zA-Z_$][a-zA-Z0-9_$]*$",
            "write the driver's class as Java names it, such as "
            "com.aliyun.encdb.mysql.jdbc.EncDriver",
        ),
    ] = Field(alias="class", description="Class of the driver.")
    url_template: Annotated[
        str,
        Field(max_length=1024),
        matches(
            _TEMPLATE,
            "write a JDBC URL whose braces hold host, port, database, mek or mekFile, such as "
            "jdbc:mysql:encdb://{host}:{port}/{database}?MEK={mek}&ENC_ALGO=SM4_128_GCM",
        ),
        Rule(
            cel="self.contains('{host}')",
            message="write {host} where the URL names the server, for each testbed has another",
            holds=lambda text: "{host}" in text,
        ),
    ] = Field(
        description="The JDBC URL with {host}, {port}, {database}, {mek} (the key itself) and "
        "{mekFile} (a file that holds it). It is put together in the client's memory."
    )
    key_secret_ref: MekSecretRef | None = Field(
        None,
        description="Key for {mek} and {mekFile} where the mode has no columns; with them it is "
        "that of columns.",
    )

    @property
    def needs_key(self) -> bool:
        """Whether the URL names the key."""
        return re.search("[{]mek(File)?[}]", self.url_template) is not None


class JdbcDriver(Model):
    """The JDBC driver that the client uses in place of the engine's own."""

    rules = (
        either(
            "encrypting",
            "jar",
            "write one of the two: encrypting: {} for encbench's own encrypting driver, or "
            "jar for a driver of yours",
        ),
    )

    encrypting: EncryptingDriver | None = Field(
        None, description="encbench's own: it decrypts what the confidential proxy encrypts."
    )
    jar: DriverJar | None = Field(None, description="A driver of yours, such as EncJDBC.")


def proxy_speaks_no_tls() -> Rule:
    """Of a mode: what stands between client and server speaks no TLS."""
    return Rule(
        cel="!has(self.columns) || !has(self.inTransit)",
        message="leave inTransit out of a mode with columns, for the confidential proxy speaks no "
        "TLS: measure the two as two modes",
        holds=lambda it: it.columns is None or it.in_transit is None,
    )


def key_of_the_jar() -> Rule:
    """Of a mode: the key that a driver's URL names is the proxy's, or one that is named."""
    jar = "self.driver.jar"
    named = f"{jar}.urlTemplate.contains('{{mek}}') || {jar}.urlTemplate.contains('{{mekFile}}')"
    return Rule(
        cel=f"!has(self.driver) || !has({jar}) || "
        f"has({jar}.keySecretRef) == (!has(self.columns) && ({named}))",
        message="write driver.jar.keySecretRef where urlTemplate names {mek} or {mekFile} and the "
        "mode has no columns, and leave it out everywhere else: the key is that of columns",
        holds=_key_is_named_once,
    )


def _key_is_named_once(mode: "object") -> bool:
    driver, columns = getattr(mode, "driver", None), getattr(mode, "columns", None)
    jar: DriverJar | None = driver.jar if driver else None
    if jar is None:
        return True
    return (jar.key_secret_ref is not None) == (columns is None and jar.needs_key)
