"""MinIO's admin API, as far as users with one policy each need it.

A group is a list of users that can be read, because that of all users comes encrypted.

S3 has no request that makes a user. MinIO's takes a password only encrypted under that of the
caller, in the format of `encrypted`, which is that of madmin-go's `EncryptData`.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from encbench.ports import Rejected, Unavailable

_PBKDF2_AES_GCM = b"\x02"
_ROUNDS = 8192
_LARGEST = 16 * 1024
"""Bytes of one fragment; more would need several."""
_TIMEOUT = 10.0
_OPENER = build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class MinioAdmin:
    """The admin API of one MinIO, as its root user."""

    endpoint: str
    access_key: str
    secret_key: str

    def put_policy(self, name: str, policy: dict[str, Any]) -> None:
        """Make the policy, or replace it."""
        self._ask("PUT", "add-canned-policy", {"name": name}, json.dumps(policy).encode())

    def put_user(self, access_key: str, secret_key: str) -> None:
        """Make the user, or give it another password."""
        entry = json.dumps({"secretKey": secret_key, "status": "enabled"}).encode()
        query = {"accessKey": access_key}
        self._ask("PUT", "add-user", query, encrypted(entry, self.secret_key))

    def remove_user(self, access_key: str) -> None:
        """Remove the user from the server and from its groups; the URLs that it signed end."""
        self._ask("DELETE", "remove-user", {"accessKey": access_key})

    def join(self, access_key: str, group: str) -> None:
        """Make the user a member of the group, which comes to be with its first one."""
        members = {"group": group, "members": [access_key], "groupStatus": "enabled"}
        self._ask("PUT", "update-group-members", {}, json.dumps(members).encode())

    def members(self, group: str) -> list[str]:
        """The access keys of a group that is there."""
        found: list[str] | None = json.loads(self._ask("GET", "group", {"group": group}))["members"]
        return found or []

    def give(self, access_key: str, policy: str) -> None:
        """Let the user do what the policy says, and nothing else."""
        query = {"policyName": policy, "userOrGroup": access_key, "isGroup": "false"}
        self._ask("PUT", "set-user-or-group-policy", query)

    def _ask(self, method: str, call: str, query: dict[str, str], body: bytes = b"") -> bytes:
        # A signature is over a blank as %20, and never as a plus.
        asked = urlencode(query, quote_via=quote)
        url = f"{self.endpoint}/minio/admin/v3/{call}?{asked}"
        signed = AWSRequest(method=method, url=url, data=body)
        signed.headers["X-Amz-Content-SHA256"] = hashlib.sha256(body).hexdigest()
        S3SigV4Auth(Credentials(self.access_key, self.secret_key), "s3", "").add_auth(signed)
        # The endpoint is the chart's.
        request = Request(url, body, dict(signed.headers), method=method)  # noqa: S310
        try:
            with _OPENER.open(request, timeout=_TIMEOUT) as answer:
                return bytes(answer.read())
        except HTTPError as error:
            with error:
                said = error.read(2000).decode(errors="replace")
            kind = Rejected if error.code == 400 else Unavailable
            raise kind(f"MinIO answered {error.code} to {call}: {said}") from error
        except OSError as error:
            raise Unavailable(f"MinIO at {self.endpoint} cannot be reached: {error}") from error


def encrypted(content: bytes, password: str) -> bytes:
    """Salt, algorithm, nonce, and one last fragment of AES-256-GCM, which authenticates its place.

    The key comes from the password by PBKDF2, which is one of the ways that MinIO accepts.
    """
    if len(content) > _LARGEST:
        raise ValueError(f"{len(content)} bytes do not fit into one fragment")
    salt, nonce = os.urandom(32), os.urandom(8)
    aead = AESGCM(hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS))
    place = b"\x80" + aead.encrypt(nonce + bytes(4), b"", b"")
    number = (1).to_bytes(4, "little")
    return salt + _PBKDF2_AES_GCM + nonce + aead.encrypt(nonce + number, content, place)
