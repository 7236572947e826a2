"""A real object store on this machine: where it is, and with whose keys."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore import session

from encbench.core.certificates import Issued

NAMES = ("access-key", "secret-key")


@dataclass(frozen=True)
class S3Server:
    """How to reach it. `credentials` is a directory as the adapter takes it, with root's."""

    url: str
    credentials: Path
    ca_file: Path | None = None
    """The CA of its certificate, if it speaks TLS."""

    @property
    def root(self) -> tuple[str, str]:
        """Access key and secret key of its administrator."""
        return login(self.credentials)

    def client(self, keys: tuple[str, str] | None = None, service: str = "s3") -> Any:
        """A client of botocore for this user, or for root."""
        access, secret = keys or self.root
        return session.get_session().create_client(
            service,
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=access,
            aws_secret_access_key=secret,
            verify=None if self.ca_file is None else str(self.ca_file),
        )


def login(folder: Path) -> tuple[str, str]:
    """Access key and secret key in a directory of credentials."""
    access, secret = ((folder / name).read_text().strip() for name in NAMES)
    return access, secret


def write_login(folder: Path, access: str, secret: str) -> Path:
    """A directory of credentials with these."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(NAMES, (access, secret), strict=True):
        (folder / name).write_text(text)
    return folder


def root_login(folder: Path) -> Path:
    """Root's credentials in the folder of a server: those of an earlier one there, or new ones."""
    credentials = folder / "credentials"
    if not credentials.exists():
        write_login(credentials, f"key{secrets.token_hex(6)}", secrets.token_hex(16))
    return credentials


def certificates(folder: Path, made: Issued, certificate: str, key: str) -> tuple[Path, Path]:
    """A folder with certificate and key under these names, and the file of the CA."""
    authority, own = folder / "ca.crt", folder / "certificates"
    own.mkdir(exist_ok=True)
    authority.write_text(made.authority)
    (own / certificate).write_text(made.server.certificate)
    (own / key).write_text(made.server.key)
    return own, authority
