"""A real MinIO on loopback, for tests of what stores objects."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import binaries
from tests.support.daemon import free_port, running


@dataclass(frozen=True)
class Minio:
    """How to reach a MinIO. `credentials` is a directory as the adapter takes it."""

    url: str
    credentials: Path


def binary() -> Path:
    """The server's binary, compiled now unless the cache has it."""
    return binaries.compiled("minio") / "minio"


@contextmanager
def running_minio(folder: Path, port: int | None = None) -> Iterator[Minio]:
    """A MinIO with its data and credentials in `folder`, which may hold those of an earlier one."""
    credentials = folder / "credentials"
    if not credentials.exists():
        credentials.mkdir(parents=True)
        (credentials / "access-key").write_text(f"key{secrets.token_hex(6)}")
        (credentials / "secret-key").write_text(secrets.token_hex(16))
    address = f"127.0.0.1:{port or free_port()}"
    argv = [str(binary()), "server", str(folder / "data"), "--address", address]
    env = {
        "HOME": str(folder),
        "MINIO_ROOT_USER_FILE": str(credentials / "access-key"),
        "MINIO_ROOT_PASSWORD_FILE": str(credentials / "secret-key"),
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
    }
    ready = f"http://{address}/minio/health/ready"
    with running(argv, ready=ready, log=folder / "minio.log", env=env):
        yield Minio(f"http://{address}", credentials)
