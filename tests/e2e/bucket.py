"""The bucket as a user reads it: an S3 client through a port-forward, no code of the operator's."""

import base64
import contextlib
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore import session
from botocore.config import Config

from tests.support.install import NAMESPACE
from tests.support.kube import Kube

SERVICE = "encbench-minio"
PATIENCE = 60
"""Seconds, which a store takes to be ready again after most faults."""


@dataclass(frozen=True)
class Bucket:
    """The bucket of the installation."""

    client: Any
    name: str = "encbench"

    def get(self, key: str) -> bytes:
        """Content of an object; an error when there is none."""
        content: bytes = self.client.get_object(Bucket=self.name, Key=key)["Body"].read()
        return content

    def put(self, key: str, content: bytes) -> None:
        """Store an object, which the operator's user may."""
        self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def keys(self, prefix: str) -> list[str]:
        """All keys under a prefix."""
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.name, Prefix=prefix
        )
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]


@contextlib.contextmanager
def bucket(kube: Kube, user: str = "analyst") -> Iterator[Bucket]:
    """The bucket as that user of the store has it, for as long as the port-forward stands."""
    secret = kube.get("secret", f"{SERVICE}-{user}", NAMESPACE)
    assert secret is not None
    keys = {name: base64.b64decode(value).decode() for name, value in secret["data"].items()}
    with _forwarded(kube) as port:
        client = session.get_session().create_client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            aws_access_key_id=keys["access-key"],
            aws_secret_access_key=keys["secret-key"],
            region_name="us-east-1",
            config=Config(s3={"addressing_style": "path"}),
        )
        yield Bucket(client)


@contextlib.contextmanager
def _forwarded(kube: Kube) -> Iterator[str]:
    """The port that leads to the store, which may have been disturbed a moment ago."""
    command = ["kubectl", "port-forward", f"--namespace={NAMESPACE}", f"service/{SERVICE}", ":9000"]
    end = time.monotonic() + PATIENCE
    while True:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=kube.environment, stderr=subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            if port := re.search(r"127\.0\.0\.1:(\d+) ->", process.stdout.readline()):
                yield port[1]
                return
        finally:
            process.terminate()
            _, said = process.communicate(timeout=10)
        assert time.monotonic() < end, f"kubectl port-forward did not say its port: {said}"
        time.sleep(1)
