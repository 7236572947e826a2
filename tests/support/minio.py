"""A real MinIO on this machine, for tests of what stores objects."""

import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from encbench.core.certificates import Issued
from tests.cluster import binaries
from tests.support.daemon import free_port, running


@dataclass(frozen=True)
class Minio:
    """How to reach a MinIO. `credentials` is a directory as the adapter takes it."""

    url: str
    credentials: Path
    ca_file: Path | None = None
    """The CA of its certificate, if it speaks TLS."""


def binary() -> Path:
    """The server's binary, compiled now unless the cache has it."""
    return binaries.compiled("minio") / "minio"


@contextmanager
def running_minio(
    folder: Path,
    port: int | None = None,
    certified_by: Issued | None = None,
    host: str = "127.0.0.1",
) -> Iterator[Minio]:
    """A MinIO with its data and credentials in `folder`, which may hold those of an earlier one.

    With a certificate it speaks TLS alone.
    """
    credentials = folder / "credentials"
    if not credentials.exists():
        credentials.mkdir(parents=True)
        (credentials / "access-key").write_text(f"key{secrets.token_hex(6)}")
        (credentials / "secret-key").write_text(secrets.token_hex(16))
    address = f"{host}:{port or free_port()}"
    argv = [str(binary()), "server", str(folder / "data"), "--address", address]
    scheme, ca_file, trust = "http", None, None
    if certified_by is not None:
        scheme, ca_file = "https", folder / "ca.crt"
        ca_file.write_text(certified_by.authority)
        trust = ssl.create_default_context(cafile=ca_file)
        argv += ["--certs-dir", str(_certificates(folder / "certificates", certified_by))]
    env = {
        "HOME": str(folder),
        "MINIO_ROOT_USER_FILE": str(credentials / "access-key"),
        "MINIO_ROOT_PASSWORD_FILE": str(credentials / "secret-key"),
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
    }
    url = f"{scheme}://{address}"
    ready, log = f"{url}/minio/health/ready", folder / "minio.log"
    with running(argv, ready=ready, log=log, env=env, trust=trust):
        yield Minio(url, credentials, ca_file)


def _certificates(folder: Path, made: Issued) -> Path:
    """The folder as MinIO wants it."""
    folder.mkdir(exist_ok=True)
    (folder / "public.crt").write_text(made.server.certificate)
    (folder / "private.key").write_text(made.server.key)
    return folder
