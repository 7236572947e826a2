"""A real Versity S3 Gateway on this machine, set up as docs/stores.md says.

Its settings, users and bucket policy are those of the files that the page offers.
"""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from encbench.core.certificates import Issued
from tests.cluster import binaries
from tests.support.chart import REPO
from tests.support.daemon import free_port, running
from tests.support.s3 import S3Server, certificates, login, root_login

MANIFEST = REPO / "docs" / "stores" / "versitygw.yaml"
POLICY = REPO / "docs" / "stores" / "policy.json"
BUCKET, OPERATOR, ANALYST = "encbench", "encbench-operator", "encbench-analyst"
"""The names in the page's files."""


@cache
def documented() -> dict[str, dict[str, Any]]:
    """The manifest's objects by kind and name."""
    bodies = yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8"))
    return {f"{body['kind']}/{body['metadata']['name']}": body for body in bodies}


@contextmanager
def running_versity(
    folder: Path,
    port: int | None = None,
    certified_by: Issued | None = None,
    host: str = "127.0.0.1",
) -> Iterator[S3Server]:
    """A gateway over `folder`, which may hold the objects and credentials of an earlier one.

    With a certificate it speaks TLS alone.
    """
    credentials = root_login(folder)
    access, secret = login(credentials)
    for name in ("objects", "versions", "accounts"):
        (folder / name).mkdir(exist_ok=True)
    address = f"{host}:{port or free_port()}"
    pod = documented()["Deployment/versitygw"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    env = {
        **{one["name"]: one["value"] for one in container["env"] if "value" in one},
        "VGW_PORT": address,
        "VGW_IAM_DIR": str(folder / "accounts"),
        # Tests change a user and go on at once.
        "VGW_IAM_CACHE_DISABLE": "true",
        "VGW_VERSIONING_DIR": str(folder / "versions"),
        "ROOT_ACCESS_KEY_ID": access,
        "ROOT_SECRET_ACCESS_KEY": secret,
    }
    scheme, ca_file, trust = "http", None, None
    if certified_by is not None:
        own, ca_file = certificates(folder, certified_by, "tls.crt", "tls.key")
        scheme, trust = "https", ssl.create_default_context(cafile=ca_file)
        env |= {"VGW_CERT": str(own / "tls.crt"), "VGW_KEY": str(own / "tls.key")}
    backend, _ = container["args"]
    argv = [str(binaries.compiled("versitygw") / "versitygw"), backend, str(folder / "objects")]
    url = f"{scheme}://{address}"
    ready, log = f"{url}{env['VGW_HEALTH']}", folder / "versitygw.log"
    with running(argv, ready=ready, log=log, env=env, trust=trust):
        yield S3Server(url, credentials, ca_file)


def make_users(
    server: S3Server, bucket: str, operator: tuple[str, str], analyst: tuple[str, str]
) -> None:
    """The page's two users under other names, and the bucket with its policy."""
    page = json.loads(documented()["Secret/versitygw-users"]["stringData"]["users.json"])
    users = server.credentials.parent / "accounts" / "users.json"
    known = json.loads(users.read_text())
    for name, (access, secret) in ((OPERATOR, operator), (ANALYST, analyst)):
        account = page["accessAccounts"][name] | {"access": access, "secret": secret}
        known["accessAccounts"][access] = account
    users.write_text(json.dumps(known))
    root = server.client()
    with suppress(root.exceptions.BucketAlreadyOwnedByYou):
        root.create_bucket(Bucket=bucket)
    root.put_bucket_policy(Bucket=bucket, Policy=policy(bucket, operator[0], analyst[0]))


def policy(bucket: str, operator: str, analyst: str) -> str:
    """The page's policy for these names."""
    text = POLICY.read_text(encoding="utf-8")
    text = text.replace(OPERATOR, operator).replace(ANALYST, analyst)
    return text.replace(f":::{BUCKET}", f":::{bucket}")
