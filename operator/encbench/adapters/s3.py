"""The connection to an S3 service: credentials, limits, and what its errors mean to the operator.

The cause of an error decides how it is treated. A fault that a person can correct at the store or
in its settings (away, full, wrong credentials or region, no such bucket) is `Unavailable`: the
caller waits, shows the text and loses nothing. Only a request that the store would refuse from any
caller is `Rejected`.

botocore is synchronous: every call runs in a thread, bounded by timeouts and attempts.
"""

import asyncio
import base64
import hashlib
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from botocore import session
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigParseError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    ParamValidationError,
    ProfileNotFound,
    ProxyConnectionError,
    SSLError,
)
from urllib3.exceptions import LocationParseError
from urllib3.util.ssl_match_hostname import CertificateError

from encbench.core.proxies import proxies
from encbench.ports import NoBucket, NotLeading, NotRestored, Rejected, Unavailable
from encbench.text import certificates

T = TypeVar("T")

THREADS = 8
"""Requests to the store at once."""
ACCESS_KEY_FILE = "access-key"
SECRET_KEY_FILE = "secret-key"  # noqa: S105 - a file's name
SESSION_TOKEN_FILE = "session-token"  # noqa: S105 - a file's name

_SETTINGS_AT_FAULT = (
    "AuthorizationHeaderMalformed",
    "ExpiredToken",
    "IllegalLocationConstraintException",
    "InvalidToken",
    "RequestTimeout",
    "RequestTimeTooSkewed",
    # MinIO's for a bucket that is full; of other stores that has another status.
    "XMinioAdminBucketQuotaExceeded",
)
_WRONG_REGION = (
    "301",
    "400",
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
    "PermanentRedirect",
)
"""Codes of an answer that may name the bucket's region; HEAD has no code, but its status."""
_OF_THE_KEY = "KMS."
"""Codes of status 400 that do not concern the request itself, and what those of the KMS begin with:
a bucket's key may be disabled, be deleted or deny its use."""
_PROXY_AT_FAULT = "see HTTP_PROXY and HTTPS_PROXY, and percent-encode a password there"
_FOR_A_ROLE = "AssumeRole"
"""What operations of STS begin with. botocore performs them for the credentials of a role."""
_WRITES = ("PutObject", "DeleteObjects")
"""Operations of a leader alone. Whoever comes first makes the bucket."""


@dataclass(frozen=True)
class S3Limits:
    """Bounds of one request. Together they end it within about a minute and a half."""

    connect_seconds: float = 5
    read_seconds: float = 20
    attempts: int = 3
    pause_seconds: float = 0.5
    """Before the second attempt of an upload by a URL, and doubled before each further one; for all
    other requests botocore has pauses of its own."""


@dataclass
class S3Connection:
    """Clients for the credentials in a directory, which every call reads again.

    So rotated keys need no restart. Without a directory, botocore finds and renews credentials by
    itself: those of the service account's role (IRSA, EKS Pod Identity), or of the environment.
    """

    endpoint: str
    region: str
    credentials: Path | None
    ca_file: Path | None
    limits: S3Limits
    may_write: Callable[[], bool] = lambda: True
    """Whether objects may be stored and deleted now."""
    _requests: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS))
    """Of our own: while the store is a black hole, others must not wait for a thread."""
    _signatures: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    """For what needs no request: a release of clients waits for it."""
    _clients: dict[str, tuple[tuple[str, ...], Any]] = field(default_factory=dict)
    """By endpoint, with its access key, secret key and session token. One that is replaced serves
    the requests that have it, and then its memory is free: it has 12 MB of the API's model."""
    _abandoned: set[Future[Any]] = field(default_factory=set)
    """Requests that go on though whoever waited for them was cancelled."""

    async def call(self, do: Callable[[Any], T]) -> T:
        """`do(client)` in a thread, its errors translated."""
        return await self._in(self._requests, do, self.endpoint)

    async def sign(self, do: Callable[[Any], T], endpoint: str) -> T:
        """The same for what makes no request, with a client of that endpoint."""
        return await self._in(self._signatures, do, endpoint)

    async def settled(self) -> None:
        """Wait for the end of abandoned requests: one may yet store."""
        left = map(asyncio.wrap_future, tuple(self._abandoned))
        await asyncio.gather(*left, return_exceptions=True)

    async def _in(self, pool: ThreadPoolExecutor, do: Callable[[Any], T], endpoint: str) -> T:

        def work() -> T:
            with _translated(endpoint, self.region):
                return do(self._client(endpoint))

        request = pool.submit(work)
        try:
            return await asyncio.wrap_future(request)
        except asyncio.CancelledError:
            # A thread cannot be stopped. One that was not begun is not begun any more.
            self._abandoned.add(request)
            request.add_done_callback(self._abandoned.discard)
            raise

    def _client(self, endpoint: str) -> Any:
        keys = self._read_keys()
        known, client = self._clients.get(endpoint, ((), None))
        if client is None or known != keys:
            client = self._connect(endpoint, keys)
            self._clients[endpoint] = (keys, client)
        return client

    def _read_keys(self) -> tuple[str, ...]:
        """Access key, secret key and, if there is one, session token; empty without a directory."""
        if self.credentials is None:
            return ()
        keys, file = read_login(self.credentials), self.credentials / SESSION_TOKEN_FILE
        # Templates write a blank one for a user without a session.
        token = _entry(file, may_be_blank=True) if file.exists() else ""
        return (*keys, token) if token else keys

    def _connect(self, endpoint: str, keys: tuple[str, ...]) -> Any:
        names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
        # A separate one, because a session is not safe to share between threads. Its limits hold
        # for STS too, which botocore asks for the credentials of a role.
        own = session.get_session()
        own.set_default_client_config(
            Config(
                connect_timeout=self.limits.connect_seconds,
                read_timeout=self.limits.read_seconds,
                retries={"mode": "standard", "total_max_attempts": self.limits.attempts},
            )
        )
        # Else STS would be asked in the region of the environment, or in none.
        own.set_config_variable("region", self.region)
        if not keys and own.get_credentials() is None:
            # Whoever gives them may not be up yet, and a client without any would be kept.
            raise NoCredentialsError
        # Checksums beyond the signed digest only where S3 requires them, because other stores
        # lack the newer ones.
        with _valid(endpoint):
            client = own.create_client(
                "s3",
                endpoint_url=endpoint,
                region_name=self.region,
                **dict(zip(names, keys, strict=False)),
                verify=str(self.ca_file) if self.ca_file else None,
                config=Config(
                    signature_version="s3v4",
                    s3={"addressing_style": "path", "payload_signing_enabled": True},
                    proxies=proxies(endpoint),
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                ),
            )
        client.meta.events.register_last("before-parameter-build.s3", _stay)
        client.meta.events.register("before-sign.s3.DeleteObjects", _digest)
        for operation in _WRITES:
            client.meta.events.register(f"before-send.s3.{operation}", self._send)
        return client

    def _send(self, **_: Any) -> None:
        """Called before each attempt: a thread may repeat its request after its process has led."""
        if not self.may_write():
            raise NotLeading("this process does not lead its shard at the moment")


def _stay(context: dict[str, Any], **_: Any) -> None:
    """Keep botocore from asking another region than the one in the settings.

    It would do so for the operator's own requests and not for presigned URLs, so that a wrong
    region would show at the clients' uploads alone.
    """
    context["s3_redirect"]["redirected"] = True


def _digest(request: Any, **_: Any) -> None:
    """Some stores demand this digest of what is to be deleted, and do not know botocore's CRC32."""
    digest = hashlib.md5(request.body, usedforsecurity=False).digest()
    request.headers["Content-MD5"] = base64.b64encode(digest).decode()


def read_login(folder: Path) -> tuple[str, str]:
    """Access key and secret key of a mounted Secret. Unavailable names a file that has none."""
    return _entry(folder / ACCESS_KEY_FILE), _entry(folder / SECRET_KEY_FILE)


def _entry(file: Path, *, may_be_blank: bool = False) -> str:
    """What a mounted Secret has there, which no message repeats."""
    reason: str | None
    try:
        text = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        reason = error.strerror
    except UnicodeDecodeError:
        reason = "it is not text in UTF-8"
    else:
        if (reason := _misprint(file.name, text, may_be_blank)) is None:
            return text
    raise Unavailable(
        f"no credentials for the object store: {file}: {reason}; the Secret needs the entries "
        f"{ACCESS_KEY_FILE} and {SECRET_KEY_FILE}"
    )


def _misprint(name: str, text: str, may_be_blank: bool) -> str | None:
    """Why no request could be made with this entry; None where one could."""
    if not text:
        return None if may_be_blank else "it is empty"
    if not text.isprintable():
        return (
            "it has a line break or another character that is not printable: write the bare value "
            "on one line"
        )
    # The others go into headers, a secret key never does.
    if name != SECRET_KEY_FILE and not text.isascii():
        return "it has a letter that is not ASCII"
    return None


@contextmanager
def _valid(endpoint: str) -> Iterator[None]:
    """Making a client of that endpoint, which botocore refuses with a bare ValueError."""
    try:
        yield
    except BotoCoreError:
        # A wrong region is both a BotoCoreError and a ValueError.
        raise
    except ValueError as error:
        raise Unavailable(
            f"{endpoint} is not a valid URL of an object store ({error}): correct endpoint or "
            "clientEndpoint of objectStore.external, whose hosts have letters, digits, hyphens and "
            "dots only"
        ) from error


@contextmanager
def _translated(endpoint: str, region: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        status, code = status_of(error), str(error.response.get("Error", {}).get("Code", ""))
        if error.operation_name.startswith(_FOR_A_ROLE):
            raise Unavailable(
                f"no credentials for the object store: STS answered {status}: {error}; see the "
                "role of the operator's service account"
            ) from error
        text = f"the object store at {endpoint} answered {status}: {error}"
        right = _bucket_region(error)
        if code in _WRONG_REGION and right not in ("", region):
            raise Unavailable(
                f"{text}; the bucket is in region {right}: correct objectStore.external.region, "
                f"which is {region}, and a region that its endpoint or clientEndpoint names"
            ) from error
        if status == 501:
            raise Rejected(f"{text}; it lacks a feature that encbench needs") from error
        at_fault = code in _SETTINGS_AT_FAULT or code.startswith(_OF_THE_KEY)
        bad_request = status == 400 and not at_fault
        if bad_request or status in (405, 411, 412, 413, 416):
            raise Rejected(text) from error
        if code == "InvalidObjectState":
            raise NotRestored(f"{text}: restore it from its archive class") from error
        raise (NoBucket if code == "NoSuchBucket" else Unavailable)(text) from error
    except ParamValidationError as error:
        raise Rejected(f"not a request that S3 takes: {error}") from error
    except (NoCredentialsError, CredentialRetrievalError) as error:
        raise Unavailable(
            f"no credentials for the object store: {error}; name a Secret in "
            "objectStore.external.existingSecret, or give the operator's service account a role"
        ) from error
    except (ConfigParseError, ProfileNotFound) as error:
        raise Unavailable(
            f"your AWS configuration cannot be used: {error}; correct ~/.aws/config, or "
            "AWS_CONFIG_FILE and AWS_PROFILE where they are set"
        ) from error
    except SSLError as error:
        asked = _asked(error, endpoint)
        if (why := _misfit(error)) is not None:
            raise Unavailable(
                f"the certificate of {asked}, or that of a proxy before it, {why}"
            ) from error
        raise Unavailable(
            f"no TLS with {asked}: {error}; if its certificate, or that of "
            "a proxy before it, is by a CA of your own, name a file with that CA in AWS_CA_BUNDLE "
            "for the plugin, and a ConfigMap with it in objectStore.external.caConfigMap for the "
            "operator"
        ) from error
    except BotoCoreError as error:
        # What is not repeated must not show in a traceback either.
        cause = error if (instead := _instead(error)) is None else None
        raise Unavailable(
            f"the object store at {endpoint} cannot be reached: {instead or error}"
        ) from cause


def _instead(error: BotoCoreError) -> str | None:
    """What to say in place of a text that may have a credential in it; None where it has none."""
    if isinstance(error, ProxyConnectionError):
        # botocore hides a password there, but not one with a / or # that should be escaped.
        address = str(error.kwargs["proxy_url"]).rpartition("@")[2]
        return f"no connection to the proxy {address}: {_PROXY_AT_FAULT}"
    if type(error) is not HTTPClientError:
        return None
    # Of these botocore knows nothing; a header that cannot be sent has the header in its text.
    inner = error.kwargs["error"]
    if isinstance(inner, LocationParseError):
        return f"the URL of its proxy cannot be read: {_PROXY_AT_FAULT}"
    return type(inner).__name__


def _asked(error: SSLError, endpoint: str) -> str:
    """Whose TLS failed: STS has a host of its own. A request's URL may itself be a credential."""
    host = urlsplit(str(error.kwargs.get("endpoint_url", endpoint))).hostname
    return f"the object store at {endpoint}" if host == urlsplit(endpoint).hostname else str(host)


def _bucket_region(error: ClientError) -> str:
    """Where the store says that the bucket is; empty if it does not."""
    named = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    said = error.response.get("Error", {}).get("Region", "")
    return str(named.get("x-amz-bucket-region", said))


def _misfit(error: BaseException | None) -> str | None:
    """What is wrong with a certificate by a trusted CA; urllib3 compares its names itself."""
    while error is not None:
        if isinstance(error, CertificateError):
            return certificates.misnamed(str(error))
        if isinstance(error, ssl.SSLCertVerificationError):
            return certificates.misfit(error)
        error = error.__context__
    return None


def status_of(error: ClientError) -> int:
    """HTTP status of the store's answer; 0 if it gave none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
