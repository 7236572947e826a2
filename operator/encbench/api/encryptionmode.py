"""EncryptionMode: one way of encrypting, as a campaign's treatment or baseline."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Name
from encbench.api.rules import matches


class KeySecretRef(Model):
    """A key of the user's own, in a Secret of the same namespace."""

    name: Name = Field(description="Name of the Secret.")
    key: Annotated[
        str,
        Field(max_length=253),
        matches(
            r"^[-._a-zA-Z0-9]+$",
            "name an entry of the Secret: letters, digits, dots, dashes and underscores",
        ),
    ] = Field(
        "keyfile",
        description="Entry of the Secret that holds the key file in the engine's own format; for "
        "MariaDB lines of the form 1;<64 hex digits>.",
    )


class AtRest(Model):
    """Encryption of what the server writes to disk."""

    method: Literal["engine"] = Field(
        description="engine: the server's own transparent data encryption (TDE) of tables, redo "
        "log, temporary files, system tables and binary log."
    )
    algorithm: Literal["AES_CTR", "AES_CBC"] = Field(
        "AES_CTR", description="Cipher mode of MariaDB's file_key_management."
    )
    key_secret_ref: KeySecretRef | None = Field(
        None, description="Key to use; one is generated per testbed when left out."
    )


class EncryptionModeSpec(Model):
    """What is encrypted. An empty spec is plaintext."""

    at_rest: AtRest | None = Field(None, description="Encryption at rest; none when left out.")

    @property
    def is_plaintext(self) -> bool:
        """True when nothing at all is encrypted."""
        return self.at_rest is None
