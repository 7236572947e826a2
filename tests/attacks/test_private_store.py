"""Object stores behind a company's own CA: the operator and its clients reach each by TLS alone.

Both have users that can do no more than docs/stores.md says.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended, trials
from tests.support import certified
from tests.support.install import NAMESPACE, install, is_own
from tests.support.kube import Kube, wait_for
from tests.support.s3 import S3Server
from tests.support.stores import PROGRAMS

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not is_own(), reason="the store is a process of this machine"),
]

NAME, BUCKET, AUTHORITY = "private", "private-results", "private-ca"
OPERATOR = ("private-operator", "password-of-the-operator")
ANALYST = ("private-analyst", "password-of-the-analyst")


@pytest.fixture(scope="module", params=PROGRAMS)
def private(
    request: pytest.FixtureRequest, installed: Kube, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[S3Server]:
    """The installation with a store on the node's address, whose CA is its own."""
    program = PROGRAMS[request.param]
    issued = certified.issued((NODE_ADDRESS,))
    folder = tmp_path_factory.mktemp("private")
    # What makes MinIO's users is beside it, and trusts no CA.
    with program.running(folder) as server:
        program.make_users(server, BUCKET, OPERATOR, ANALYST)
    with program.running(folder, certified_by=issued, host=NODE_ADDRESS) as server:
        installed.apply(*_named(issued.authority))
        external = {
            "endpoint": server.url,
            "bucket": BUCKET,
            "existingSecret": OPERATOR[0],
            "readerSecret": ANALYST[0],
            "caConfigMap": AUTHORITY,
        }
        port = server.url.rpartition(":")[2]
        try:
            install(
                installed,
                "minio.enabled=false",
                f"networkPolicy.objectStore.ports={{{port}}}",
                *(f"objectStore.external.{name}={value}" for name, value in external.items()),
            )
            yield server
        finally:
            delete_campaign(installed, NAME)
            install(installed)


def _named(authority: str) -> list[dict[str, Any]]:
    """A Secret for each user, under its access key, and the CA's ConfigMap."""
    secrets = [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": access, "namespace": NAMESPACE},
            "stringData": {"access-key": access, "secret-key": secret},
        }
        for access, secret in (OPERATOR, ANALYST)
    ]
    return [
        *secrets,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": AUTHORITY, "namespace": NAMESPACE},
            "data": {"ca.crt": authority},
        },
    ]


def test_results_are_stored_over_tls(installed: Kube, private: S3Server) -> None:
    blocks = {"min": 1, "maxReplacements": 0}
    installed.apply(manifests.campaign(NAME, ["plaintext"], blocks=blocks))
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    assert conditions(body).get("Complete", {}).get("status") == "True", body["status"]
    done = trials(installed, NAME)
    assert {trial["status"]["outcome"] for trial in done} == {"Succeeded"}
    store = private.client(ANALYST)
    for trial in done:
        folder = trial["status"]["artefactKey"].rpartition("/")[0]
        log = store.get_object(Bucket=BUCKET, Key=f"{folder}/client-0/output.log")["Body"].read()
        assert b"SQL statistics:" in log
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    key = report["status"]["artefacts"]["html"]["key"]
    assert b"<svg" in store.get_object(Bucket=BUCKET, Key=key)["Body"].read()
