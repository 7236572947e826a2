"""A real MinIO on this machine, for tests of what stores objects."""

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from encbench.core.certificates import Issued
from tests.cluster import binaries
from tests.support.daemon import free_port, running
from tests.support.s3 import S3Server, certificates, root_login


@contextmanager
def running_minio(
    folder: Path,
    port: int | None = None,
    certified_by: Issued | None = None,
    host: str = "127.0.0.1",
) -> Iterator[S3Server]:
    """A MinIO with its data and credentials in `folder`, which may hold those of an earlier one.

    With a certificate it speaks TLS alone.
    """
    credentials = root_login(folder)
    address = f"{host}:{port or free_port()}"
    binary = binaries.compiled("minio") / "minio"
    argv = [str(binary), "server", str(folder / "data"), "--address", address]
    scheme, ca_file, trust = "http", None, None
    if certified_by is not None:
        own, ca_file = certificates(folder, certified_by, "public.crt", "private.key")
        scheme, trust = "https", ssl.create_default_context(cafile=ca_file)
        argv += ["--certs-dir", str(own)]
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
        server = S3Server(url, credentials, ca_file)
        _await_root(server)
        yield server


def _await_root(server: S3Server) -> None:
    """It says that it is ready a moment before it knows its users, and answers 503 until then."""
    root = server.client()
    for _ in range(100):
        try:
            root.list_buckets()
        except root.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != 503:
                raise
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{server.url} answered 503 for 10 s")
