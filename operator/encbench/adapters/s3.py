"""The connection to an S3 service: credentials, limits, and what its errors mean to the operator.

Whose fault an error is decides what becomes of it. What a person can put right at the store or in
its settings (away, full, wrong credentials or region, no such bucket) is `Unavailable`: the caller
waits, shows the text and loses nothing. Only what would be refused of any caller is `Rejected`.

boto3 is synchronous: every call runs in a thread and is bounded by timeouts and attempts.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from encbench.ports import Rejected, Unavailable

T = TypeVar("T")

ACCESS_KEY_FILE = "access-key"
SECRET_KEY_FILE = "secret-key"  # noqa: S105 - a file's name

_SETTINGS_AT_FAULT = frozenset(
    {
        "AuthorizationHeaderMalformed",
        "ExpiredToken",
        "IllegalLocationConstraintException",
        "InvalidToken",
        "RequestTimeout",
        "RequestTimeTooSkewed",
    }
)
"""Codes of status 400 that say nothing against the request itself."""


@dataclass(frozen=True)
class S3Limits:
    """Bounds of one request. Together they end it after about a minute and a half at worst."""

    connect_seconds: float = 5
    read_seconds: float = 20
    attempts: int = 3


@dataclass(frozen=True)
class _Credentials:
    access_key: str
    secret_key: str


@dataclass(frozen=True)
class _Clients:
    credentials: _Credentials
    client: Any
    signer: Any


class S3Connection:
    """Clients for the credentials in a directory, which are read again at each call.

    So rotated keys need no restart. `signer` makes URLs that name the external endpoint.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        external_endpoint: str,
        region: str,
        credentials: Path,
        ca_file: Path | None,
        limits: S3Limits,
    ) -> None:
        self.endpoint = endpoint
        self._external_endpoint = external_endpoint
        self._region = region
        self._directory = credentials
        self._ca_file = ca_file
        self._limits = limits
        self._clients: _Clients | None = None

    async def call(self, do: Callable[[Any], T]) -> T:
        """`do(client)` in a thread, its errors translated."""
        return await self._run(lambda clients: do(clients.client))

    async def sign(self, do: Callable[[Any], T]) -> T:
        """`do(signer)` in a thread, its errors translated."""
        return await self._run(lambda clients: do(clients.signer))

    async def _run(self, do: Callable[[_Clients], T]) -> T:
        def work() -> T:
            with _translated(self.endpoint):
                return do(self._connected())

        return await asyncio.to_thread(work)

    def _connected(self) -> _Clients:
        now, clients = self._credentials(), self._clients
        if clients is None or clients.credentials != now:
            clients = self._clients = _Clients(
                now, self._client(self.endpoint, now), self._client(self._external_endpoint, now)
            )
        return clients

    def _credentials(self) -> _Credentials:
        try:
            return _Credentials(
                (self._directory / ACCESS_KEY_FILE).read_text().strip(),
                (self._directory / SECRET_KEY_FILE).read_text().strip(),
            )
        except OSError as error:
            raise Unavailable(
                f"no credentials for the object store: {error.filename}: {error.strerror}; the "
                f"Secret needs the entries {ACCESS_KEY_FILE} and {SECRET_KEY_FILE}"
            ) from error

    def _client(self, endpoint: str, credentials: _Credentials) -> Any:
        # A session of its own, for boto3's default one is not safe to use from several threads.
        # Checksums beyond the signed digest only where S3 requires them, for other stores lack
        # the newer ones.
        return boto3.session.Session().client(
            "s3",
            endpoint_url=endpoint,
            region_name=self._region,
            aws_access_key_id=credentials.access_key,
            aws_secret_access_key=credentials.secret_key,
            verify=str(self._ca_file) if self._ca_file else None,
            config=Config(
                signature_version="s3v4",
                s3={"addressing_style": "path", "payload_signing_enabled": True},
                connect_timeout=self._limits.connect_seconds,
                read_timeout=self._limits.read_seconds,
                retries={"mode": "standard", "total_max_attempts": self._limits.attempts},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )


@contextmanager
def _translated(endpoint: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _translate(error, endpoint) from error
    except ParamValidationError as error:
        raise Rejected(f"not a request that S3 takes: {error}") from error
    except BotoCoreError as error:
        raise Unavailable(f"the object store at {endpoint} cannot be reached: {error}") from error


def _translate(error: ClientError, endpoint: str) -> Unavailable | Rejected:
    status, code = status_of(error), str(error.response.get("Error", {}).get("Code", ""))
    text = f"the object store at {endpoint} answered {status}: {error}"
    if status == 501:
        return Rejected(f"{text}; it lacks something that encbench needs")
    if status == 400 and code not in _SETTINGS_AT_FAULT:
        return Rejected(text)
    if status in (405, 411, 412, 413, 416):
        return Rejected(text)
    return Unavailable(text)


def status_of(error: ClientError) -> int:
    """HTTP status of the store's answer; 0 when there was none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
