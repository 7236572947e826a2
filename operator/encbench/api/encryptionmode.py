"""EncryptionMode: one way of encrypting, as a campaign's treatment or baseline."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Resources, at_least
from encbench.api.columns import (
    Columns,
    JdbcDriver,
    MekSecretRef,
    key_of_the_jar,
    proxy_speaks_no_tls,
)
from encbench.api.rules import Rule, Unique, either
from encbench.api.scalars import Bool, EntryName, Name, Quantity


class KeySecretRef(Model):
    """A key of the user's own, in a Secret of the same namespace."""

    name: Name = Field(description="Name of the Secret.")
    key: EntryName = Field(
        "keyfile",
        description="Entry of the Secret that holds the key file in the engine's own format; for "
        "MariaDB lines of the form 1;<64 hex digits>.",
    )


Scope = Literal["tables", "system", "redo", "undo", "temporary", "binlog"]


class FuseResources(Resources):
    """What the container of the FUSE file system may use, over and above the server's own."""

    rules = (
        at_least(
            "memory",
            "64Mi",
            "write memory of at least 64Mi, such as 256Mi: the file system itself takes that much",
        ),
    )

    cpu: Quantity = Field(
        "1",
        description="Cores, requested and as limit. Encryption is done here, so too few of "
        "them slow the database down; the CPU is counted as the database's.",
    )
    memory: Quantity = Field(
        "256Mi",
        description="Bytes, requested and as limit. Also the bound of the page cache that the "
        "ciphertext takes.",
    )


class Gocryptfs(Model):
    """A FUSE file system in the database's pod, for machines without device mapper."""

    cipher: Literal["AES-GCM", "XChaCha20-Poly1305", "none"] = Field(
        "AES-GCM",
        description="AES-GCM, gocryptfs' own default; XChaCha20-Poly1305; or none: the same path "
        "through FUSE without any encryption, which separates FUSE's cost from the cipher's. The "
        "mode none is plaintext, and proven to be.",
    )
    resources: FuseResources = Field(
        default_factory=FuseResources, description="CPU and memory of its container."
    )


class Volume(Model):
    """Encryption below the server, of the volume that it writes to."""

    rules = (
        either(
            "storage_class_name",
            "gocryptfs",
            "name one of the two: storageClassName, a class whose disks are encrypted, or "
            "gocryptfs, which encrypts within the pod",
        ),
        Rule(
            cel="!self.onTrust || has(self.storageClassName)",
            message="leave onTrust out: gocryptfs is always proven",
            holds=lambda it: not it.on_trust or it.storage_class_name is not None,
        ),
    )

    storage_class_name: Name | None = Field(
        None,
        description="StorageClass whose disks are encrypted (LUKS, or by the cloud), in place of "
        "the template's class. Proven when the pod sees dm-crypt under the data; a class or "
        "volume that only declares it (encrypted: true) counts, and every proof says so.",
    )
    on_trust: Bool = Field(
        False,
        description="Take the class for encrypted on your word where neither is to be seen. Every "
        "proof says so.",
    )
    gocryptfs: Gocryptfs | None = Field(
        None,
        description="gocryptfs in the database's pod. Its container is privileged: the chart's "
        "privilegedVolumes.enabled must be set.",
    )


class AtRest(Model):
    """Encryption of what the server writes to disk."""

    rules = (
        Rule(
            cel="(self.method == 'volume') == has(self.volume)",
            message="describe the volume in atRest.volume with method: volume, and leave it out "
            "with method: engine",
            holds=lambda it: (it.method == "volume") == (it.volume is not None),
        ),
        Rule(
            cel="self.method == 'engine' || !has(self.algorithm) && !has(self.scope) && "
            "!has(self.keySecretRef)",
            message="leave algorithm, scope and keySecretRef out with method: volume, for they "
            "belong to the server's own encryption; keys of volumes are generated",
            holds=lambda it: (
                it.method == "engine"
                or (it.algorithm, it.scope, it.key_secret_ref) == (None, None, None)
            ),
        ),
    )

    method: Literal["engine", "volume"] = Field(
        description="engine: the server's own transparent data encryption (TDE) of tables, redo "
        "log, temporary files, system tables and binary log. volume: everything, below the server."
    )
    algorithm: Literal["AES_CTR", "AES_CBC"] | None = Field(
        None,
        description="Cipher mode of MariaDB's file_key_management, AES_CTR when left out. The "
        "other engines have one of their own and take none here.",
    )
    scope: Annotated[list[Scope], Field(min_length=1, max_length=6), Unique()] | None = Field(
        None,
        description="What TDE covers: tables (with their doublewrite buffer), system, redo, undo, "
        "temporary, binlog. All that the engine has when left out.",
    )
    key_secret_ref: KeySecretRef | None = Field(
        None, description="Key to use; one is generated per testbed when left out."
    )
    volume: Volume | None = Field(None, description="What encrypts, with method: volume.")


TlsVersion = Literal["TLSv1.2", "TLSv1.3"]
CipherSuite = Literal[
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
]


class InTransit(Model):
    """Encryption of the connections between client and server: TLS with a verified certificate."""

    version: TlsVersion = Field("TLSv1.3", description="The one version that is negotiated.")
    cipher_suite: CipherSuite = Field(
        "TLS_AES_128_GCM_SHA256",
        description="The one cipher suite that is negotiated, by its name in TLS 1.3, so that "
        "engines compare; under TLSv1.2 the ECDHE-ECDSA suite of the same cipher.",
    )


class EncryptionModeSpec(Model):
    """What is encrypted. An empty spec is plaintext."""

    rules = (proxy_speaks_no_tls(), key_of_the_jar())

    at_rest: AtRest | None = Field(None, description="Encryption at rest; none when left out.")
    in_transit: InTransit | None = Field(
        None, description="Encryption in transit; the server has no TLS at all when left out."
    )
    columns: Columns | None = Field(
        None,
        description="Encryption of result columns by a proxy; none, and no proxy, if left out.",
    )
    driver: JdbcDriver | None = Field(
        None, description="JDBC driver of the client (TPC-C); the engine's own when left out."
    )

    @property
    def tde(self) -> AtRest | None:
        """The server's own encryption; None where nothing or the volume encrypts at rest."""
        return self.at_rest if self.at_rest and self.at_rest.method == "engine" else None

    @property
    def volume(self) -> Volume | None:
        """Encryption of the volume, or the pass-through arm that goes with it."""
        return self.at_rest.volume if self.at_rest else None

    @property
    def gocryptfs(self) -> Gocryptfs | None:
        """The FUSE file system in the pod; None in every other mode."""
        return self.volume.gocryptfs if self.volume else None

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
        """The user's own key for columns, or for a driver of his own; None: generated, or none."""
        if self.columns is not None:
            return self.columns.mek_secret_ref
        return self.driver.jar.key_secret_ref if self.driver and self.driver.jar else None

    @property
    def has_mek(self) -> bool:
        """Whether anything of it has a key for columns."""
        return self.columns is not None or self.mek_secret_ref is not None
