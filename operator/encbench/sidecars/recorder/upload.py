"""Storing a file by a presigned URL, exactly once, until it succeeds.

`If-None-Match: *` makes the store refuse a second object of that name with 412: ours is already
there then, from a try whose answer was lost. If the store is away, the upload is repeated with
growing, jittered pauses. If it refuses (403 when the URL has expired), the upload waits for fresh
URLs from the operator. A redirection is a refusal: nothing is sent to where it points. A URL is a
credential, so messages never contain one.

`http.client` is imported by the first upload or by `prepare`, because it costs 15 ms of CPU, as
much as the rest of the recorder.
"""

import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from encbench.text import certificates
from encbench.wire import upload as wire

_TIMEOUT = 30.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_STORED = (200, 201, 204, 412)


class Away(Exception):
    """The store cannot be reached, or failed."""


class UploadRefused(Exception):
    """The store understood and refused."""


def prepare() -> None:
    """Import now, while nothing is measured, what the first upload needs."""
    import http.client  # noqa: F401, PLC0415


def put(url: str, path: Path, authority: str | None = None) -> None:
    """Store the file unless the object exists already. Away or UploadRefused.

    `authority` is the PEM of the CA that certifies the store, instead of those that everyone
    trusts.
    """
    import http.client  # noqa: PLC0415 - see the module's docstring

    scheme, _, rest = url.partition("://")
    host, slash, target = rest.partition("/")
    host = host.lower()  # as the URL's signature has it
    headers = {"Content-Length": str(path.stat().st_size), **wire.HEADERS}
    try:
        connection = (
            http.client.HTTPSConnection(host, timeout=_TIMEOUT, context=_trust(authority))
            if scheme == "https"
            else http.client.HTTPConnection(host, timeout=_TIMEOUT)
        )
        try:
            connection.putrequest("PUT", slash + target)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.connect()
            with path.open("rb") as file:
                # A store may answer and hang up before it has read everything. Over TLS this Python
                # takes that for an end of file (CPython issue 115627).
                with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                    connection.endheaders(file)
                response = connection.getresponse()
                body = response.read(4096)
        finally:
            connection.close()
    except http.client.InvalidURL:
        raise UploadRefused("the upload URL is malformed") from None
    except ssl.SSLCertVerificationError as error:
        why = certificates.misfit(error) or (
            f"is not trusted: {error.verify_message}; the chart's "
            "objectStore.external.caConfigMap names its CA"
        )
        raise UploadRefused(f"its certificate {why}") from None
    except (OSError, http.client.HTTPException) as error:
        raise Away(_reason(error) or type(error).__name__) from None
    if response.status in _STORED:
        return
    text = f"{response.status} {wire.code(body)}".strip()
    if wire.may_pass(response.status):
        raise Away(text)
    raise UploadRefused(text)


def _reason(error: Exception) -> str:
    """In words that name neither the URL nor its host."""
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason}" if error.reason else "TLS"
    if isinstance(error, socket.gaierror):
        return "its name cannot be resolved"
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""


def _trust(authority: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=authority)
    except ssl.SSLError:
        raise UploadRefused("the CA of the store is no certificate in PEM") from None


def randomness() -> float:
    """A number in [0, 1) that differs between replicas. The random module would cost more."""
    return int.from_bytes(os.urandom(2)) / 65536


def pauses(random: Callable[[], float] = randomness) -> Iterator[float]:
    """Seconds between tries: they double up to 30 s, and at least half of each is waited for."""
    longest = _FIRST_PAUSE
    while True:
        yield longest * (0.5 + random() / 2)
        longest = min(_LONGEST_PAUSE, longest * 2)
