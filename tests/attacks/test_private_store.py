"""An object store behind a company's own CA: the operator and its clients reach it by TLS alone."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore import session
from botocore.config import Config

from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests
from tests.e2e.conftest import conditions, delete_campaign, ended
from tests.faults.running import trials
from tests.support import certified
from tests.support.install import NAMESPACE, install, is_own
from tests.support.kube import Kube, wait_for
from tests.support.minio import Minio, running_minio

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not is_own(), reason="the store is a process of this machine"),
]

NAME, BUCKET, KEYS, AUTHORITY = "private", "private-results", "private-store", "private-ca"


@pytest.fixture(scope="module")
def private(installed: Kube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    """The installation with a store on the node's address, whose CA nobody else knows."""
    issued = certified.issued((NODE_ADDRESS,))
    folder = tmp_path_factory.mktemp("private")
    with running_minio(folder, certified_by=issued, host=NODE_ADDRESS) as minio:
        installed.apply(*_named(minio, issued.authority))
        external = {
            "endpoint": minio.url,
            "bucket": BUCKET,
            "existingSecret": KEYS,
            "readerSecret": KEYS,
            "caConfigMap": AUTHORITY,
        }
        port = minio.url.rpartition(":")[2]
        try:
            install(
                installed,
                "minio.enabled=false",
                f"networkPolicy.objectStore.ports={{{port}}}",
                *(f"objectStore.external.{name}={value}" for name, value in external.items()),
            )
            yield minio
        finally:
            delete_campaign(installed, NAME)
            install(installed)


def _named(minio: Minio, authority: str) -> list[dict[str, Any]]:
    keys = {
        name: base64.b64encode((minio.credentials / name).read_bytes()).decode()
        for name in ("access-key", "secret-key")
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": KEYS, "namespace": NAMESPACE},
            "data": keys,
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": AUTHORITY, "namespace": NAMESPACE},
            "data": {"ca.crt": authority},
        },
    ]


def test_results_are_stored_over_tls(installed: Kube, private: Minio) -> None:
    blocks = {"min": 1, "maxReplacements": 0}
    installed.apply(manifests.campaign(NAME, ["plaintext"], blocks=blocks))
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    assert conditions(body).get("Complete", {}).get("status") == "True", body["status"]
    done = trials(installed, NAME)
    assert {trial["status"]["outcome"] for trial in done} == {"Succeeded"}
    store = _client(private)
    for trial in done:
        folder = trial["status"]["artefactKey"].rpartition("/")[0]
        log = store.get_object(Bucket=BUCKET, Key=f"{folder}/client-0/output.log")["Body"].read()
        assert b"SQL statistics:" in log
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    key = report["status"]["artefacts"]["html"]["key"]
    assert b"<svg" in store.get_object(Bucket=BUCKET, Key=key)["Body"].read()


def _client(minio: Minio) -> Any:
    def text(name: str) -> str:
        return Path(minio.credentials, name).read_text()

    return session.get_session().create_client(
        "s3",
        endpoint_url=minio.url,
        aws_access_key_id=text("access-key"),
        aws_secret_access_key=text("secret-key"),
        region_name="us-east-1",
        verify=str(minio.ca_file),
        config=Config(s3={"addressing_style": "path"}),
    )
