"""Credentials that a cloud hands out: session tokens, and AWS's own ways to find them."""

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Unavailable
from tests.contract.store.harness import QUICK, RealHarness, that_have
from tests.support.stores import TOKENS, Program

USER, READER = ("temporary-user", "password-of-the-user"), ("reader", "password-of-the-reader")


@pytest.fixture
def temporary(program: Program, real: RealHarness) -> dict[str, Any]:
    """Credentials for an hour, of a user with the bucket's rights."""
    program.make_users(real.server, real.store.bucket, USER, READER)
    client = real.server.client(USER, "sts")
    role = "arn:xxx:xxx:xxx:xxxx"  # MinIO looks at none, and botocore wants twenty characters.
    given: dict[str, Any] = client.assume_role(RoleArn=role, RoleSessionName="encbench")[
        "Credentials"
    ]
    return given


def store(real: RealHarness, credentials: Path | None) -> ObjectStore:
    return ObjectStore(
        endpoint=real.server.url,
        bucket=real.store.bucket,
        region="us-east-1",
        credentials=credentials,
        limits=QUICK,
    )


async def works(real: RealHarness, own: ObjectStore) -> None:
    await own.put("key", b"text", "text/plain")
    assert await own.get("key") == b"text"
    url = await own.presign_put("uploaded", 60)
    assert await asyncio.to_thread(real.upload, url, b"x", {"If-None-Match": "*"}) == 200


@that_have(TOKENS)
async def test_a_session_token_may_stand_beside_the_keys(
    real: RealHarness, temporary: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "access-key").write_text(temporary["AccessKeyId"])
    (tmp_path / "secret-key").write_text(temporary["SecretAccessKey"])
    with pytest.raises(Unavailable):
        await store(real, tmp_path).get("key")
    (tmp_path / "session-token").write_text(temporary["SessionToken"] + "\n")
    await works(real, store(real, tmp_path))


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A pod without any credentials of AWS's."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


@pytest.fixture
def pod_identity(temporary: dict[str, Any]) -> Iterator[str]:
    """The URL where an agent of EKS Pod Identity hands them out."""
    answer = {
        "AccessKeyId": temporary["AccessKeyId"],
        "SecretAccessKey": temporary["SecretAccessKey"],
        "Token": temporary["SessionToken"],
        "Expiration": temporary["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ"),
    }

    class Agent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            good = self.headers["Authorization"] == "token-of-the-pod"
            self.send_response(200 if good else 401)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode() if good else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Agent)
    worker = Thread(target=server.serve_forever)
    worker.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/credentials"
    server.shutdown()
    worker.join()
    server.server_close()


@that_have(TOKENS)
async def test_without_a_secret_the_pods_role_is_found(
    real: RealHarness, no_keys: pytest.MonkeyPatch, pod_identity: str, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("token-of-the-pod")
    no_keys.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", pod_identity)
    no_keys.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", str(tmp_path / "token"))
    await works(real, store(real, None))


async def test_without_any_it_says_what_to_do(
    real: RealHarness, no_keys: pytest.MonkeyPatch
) -> None:
    assert no_keys
    with pytest.raises(Unavailable, match=r"no credentials.*existingSecret, or give the operator"):
        await store(real, None).get("key")
