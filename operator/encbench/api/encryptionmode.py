"""EncryptionMode: one way of encrypting, as a campaign's treatment or baseline."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from encbench.api.base import Model, Resources, at_least, optional
from encbench.api.columns import Columns, JdbcDriver, MekSecretRef
from encbench.api.rules import Rule, Unique, either
from encbench.api.scalars import Bool, Cores, EntryName, Name, Quantity


class KeySecretRef(Model):
    """A key that the user provides, in a Secret of the same namespace."""

    name: Name = Field(description="Name of the Secret, which has the label encbench.io/use=key.")
    key: EntryName = "keyfile"
    """Entry of the Secret that holds the key file in the engine's own format: for MariaDB, lines of
    the form 1;<64 hex digits>."""


Scope = Literal["tables", "system", "redo", "undo", "temporary", "binlog"]


class FuseResources(Resources):
    """Resources of the FUSE file system's container, in addition to the server's own."""

    rules = (at_least("memory", "64Mi", ", such as 256Mi: the file system itself needs that much"),)

    cpu: Cores = "1"
    """Cores, as request and limit. Encryption runs here, so too few cores slow the database down;
    their use counts as the database's CPU."""
    memory: Quantity = "256Mi"
    """Bytes, as request and limit. It also bounds the page cache of the ciphertext. With cgroups
    version 2 the kernel slows writes down once a part of it is not on disk yet."""


class Gocryptfs(Model):
    """A FUSE file system in the database's pod, for machines without device mapper."""

    cipher: Literal["AES-GCM", "XChaCha20-Poly1305", "none"] = "AES-GCM"
    """AES-GCM, gocryptfs' own default; XChaCha20-Poly1305; or none: the same path through FUSE
    without encryption, which separates FUSE's cost from that of gocryptfs' block format, locks,
    preallocation and cipher. The mode none is proven to be plaintext."""
    resources: FuseResources = Field(default_factory=FuseResources)
    """CPU and memory of its container."""


class Volume(Model):
    """Encryption of the server's volume, below the server."""

    rules = (
        either(
            "storage_class_name",
            "gocryptfs",
            "write exactly one of storageClassName (a class whose disks are encrypted) and "
            "gocryptfs (which encrypts within the pod)",
        ),
        Rule(
            cel="!self.onTrust || has(self.storageClassName)",
            message="omit onTrust: gocryptfs is always proven",
            holds=lambda it: not it.on_trust or it.storage_class_name is not None,
        ),
    )

    storage_class_name: Name | None = None
    """StorageClass whose disks are encrypted (LUKS, or by the cloud), instead of the template's
    class. It is proven if the pod sees dm-crypt under the data. A class or volume that only
    declares encryption (encrypted: true) is accepted, and every proof says so."""
    on_trust: Bool = False
    """Accept the class as encrypted on your word if neither is visible. Every proof says so."""
    gocryptfs: Gocryptfs | None = None
    """gocryptfs in the database's pod. Its container is privileged, so the chart's
    privilegedVolumes.enabled must be set."""


class AtRest(Model):
    """Encryption of the data on disk."""

    rules = (
        Rule(
            cel="(self.method == 'volume') == has(self.volume)",
            message="write atRest.volume with method: volume, and omit it with method: engine",
            holds=lambda it: (it.method == "volume") == (it.volume is not None),
        ),
        Rule(
            cel="self.method == 'engine' || !has(self.algorithm) && !has(self.scope) && "
            "!has(self.keySecretRef)",
            message="omit algorithm, scope and keySecretRef with method: volume, because they "
            "belong to the server's own encryption; keys of volumes are generated",
            holds=lambda it: (
                it.method == "engine"
                or (it.algorithm, it.scope, it.key_secret_ref) == (None, None, None)
            ),
        ),
    )

    method: Literal["engine", "volume"]
    """engine: the server's own transparent data encryption (TDE) of tables, redo log, temporary
    files, system tables and binary log. volume: everything, below the server."""
    algorithm: Literal["AES_CTR", "AES_CBC"] | None = None
    """Cipher mode of MariaDB's file_key_management, AES_CTR if omitted. The other engines have a
    fixed one and accept none here."""
    scope: (
        Annotated[list[Scope], Field(min_length=1, max_length=len(get_args(Scope))), Unique()]
        | None
    ) = None
    """Files that TDE covers: tables (with their doublewrite buffer), system, redo, undo, temporary,
    binlog. All that the engine has if omitted."""
    key_secret_ref: KeySecretRef | None = None
    """Key to use; if omitted, one is generated per testbed."""
    volume: Volume | None = optional("How the volume is encrypted, with method: volume.")


TlsVersion = Literal["TLSv1.2", "TLSv1.3"]
CipherSuite = Literal[
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
]


class InTransit(Model):
    """Encryption of the connections between client and server: TLS with a verified certificate."""

    version: TlsVersion = Field("TLSv1.3", description="The only version that is negotiated.")
    cipher_suite: CipherSuite = "TLS_AES_128_GCM_SHA256"
    """The only cipher suite that is negotiated, by its TLS 1.3 name, so that engines are
    comparable; with TLSv1.2 it is the ECDHE-ECDSA suite of the same cipher."""


class EncryptionModeSpec(Model):
    """The encryption of a mode. An empty spec is plaintext."""

    rules = (
        Rule(
            cel="!has(self.columns) || !has(self.inTransit) || self.columns.method == 'enclave'",
            message="omit inTransit from a mode with columns, because the confidential proxy does "
            "not support TLS: measure them as two modes",
            holds=lambda it: it.proxy is None or it.in_transit is None,
        ),
        Rule(
            cel="!has(self.columns) || !has(self.driver) || self.columns.method != 'enclave'",
            message="omit driver from a mode with columns.method: enclave, because encbench's "
            "sysbench scripts decrypt at the client",
            holds=lambda it: it.enclave is None or it.driver is None,
        ),
        Rule(
            cel="!has(self.driver) || !has(self.driver.jar) || has(self.driver.jar.keySecretRef) "
            "== (!has(self.columns) && (self.driver.jar.urlTemplate.contains('{mek}') || "
            "self.driver.jar.urlTemplate.contains('{mekFile}')))",
            message="write driver.jar.keySecretRef if urlTemplate has {mek} or {mekFile} and the "
            "mode has no columns; otherwise omit it, because the key is that of columns",
            holds=lambda it: (
                it.driver is None
                or it.driver.jar is None
                or (it.driver.jar.key_secret_ref is not None)
                == (it.columns is None and it.driver.jar.needs_key)
            ),
        ),
        Rule(
            cel="!has(self.columns) || !has(self.driver) || !has(self.driver.jar) || "
            "self.driver.jar.urlTemplate.contains('{port}') || "
            "self.driver.jar.urlTemplate.contains(':3307')",
            message="write {port} in driver.jar.urlTemplate of a mode with columns, because "
            "clients at the server's own port go past the confidential proxy",
            holds=lambda it: (
                it.columns is None
                or it.driver is None
                or it.driver.jar is None
                or "{port}" in it.driver.jar.url_template
                or ":3307" in it.driver.jar.url_template
            ),
        ),
    )

    at_rest: AtRest | None = optional("Encryption at rest; none if omitted.")
    in_transit: InTransit | None = None
    """Encryption in transit; if omitted, the server has no TLS at all."""
    columns: Columns | None = None
    """Encryption of columns, by a proxy or by encrypted types; none if omitted."""
    driver: JdbcDriver | None = None
    """JDBC driver of the client (TPC-C); the engine's own if omitted."""

    @property
    def tde(self) -> AtRest | None:
        """The server's own encryption; None if nothing or only the volume encrypts at rest."""
        return self.at_rest if self.at_rest and self.at_rest.method == "engine" else None

    @property
    def volume(self) -> Volume | None:
        """Encryption of the volume, or its pass-through arm."""
        return self.at_rest.volume if self.at_rest else None

    @property
    def storage_class(self) -> str | None:
        """The StorageClass that encrypts the volume; None in every other mode."""
        return self.volume.storage_class_name if self.volume else None

    @property
    def at_rest_key(self) -> KeySecretRef | None:
        """The user's own key for TDE; None if generated or not needed."""
        return self.at_rest.key_secret_ref if self.at_rest else None

    @property
    def gocryptfs(self) -> Gocryptfs | None:
        """The FUSE file system in the pod; None in every other mode."""
        return self.volume.gocryptfs if self.volume else None

    @property
    def proxy(self) -> Columns | None:
        """The columns that the confidential proxy serves; None in a mode without a proxy."""
        return self.columns if self.columns and self.columns.method == "confidential" else None

    @property
    def enclave(self) -> Columns | None:
        """The columns with encrypted types; None in a mode without any."""
        return self.columns if self.columns and self.columns.method == "enclave" else None

    @property
    def encrypts_at_rest(self) -> bool:
        """Whether anything is encrypted on disk; the pass-through arm of gocryptfs is plaintext."""
        through = self.gocryptfs is not None and self.gocryptfs.cipher == "none"
        return self.at_rest is not None and not through

    @property
    def is_plaintext(self) -> bool:
        """True when nothing at all is encrypted."""
        encrypted = self.columns is not None and self.columns.encrypts
        return not self.encrypts_at_rest and self.in_transit is None and not encrypted

    @property
    def mek_secret_ref(self) -> MekSecretRef | None:
        """The user's own key for columns or their driver; None if generated or not needed."""
        if self.columns is not None:
            return self.columns.mek_secret_ref
        return self.driver.jar.key_secret_ref if self.driver and self.driver.jar else None

    @property
    def has_mek(self) -> bool:
        """Whether the mode has a key for columns."""
        return self.columns is not None or self.mek_secret_ref is not None
