"""`python -m encbench.sidecars.driver`: bring the user's own JDBC driver into a client's pod.

An init container that copies the jar from a URL or a mounted claim into a folder that the client's
container mounts. If it is not the jar that the mode names, the container exits with 1 and a
sentence, and the client does not start. The jar gets its final name only after the digest check,
and its digest is the container's termination message, which the trial's provenance takes.
"""

import hashlib
import os
import time
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.error import HTTPError

from encbench.wire import environment as names
from encbench.wire.failure import MESSAGE, leave
from encbench.wire.jar import leave_digest

LARGEST = 256 * 2**20
"""Bytes; a larger file is not a driver."""
TIMEOUT_SECONDS = 60
PATIENCE_SECONDS = 120
"""A network plugin or a DNS server may refuse a new pod at first, and a server may be busy."""
_AGAIN_SECONDS = 2.0
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_CHUNK = 2**20
_JAR = "driver.jar"


class DriverRefused(Exception):
    """The jar is missing or wrong. The text says why, and never repeats the URL's query."""


def fetch(
    environment: Mapping[str, str], *, patience: float = PATIENCE_SECONDS, message: Path = MESSAGE
) -> Path:
    """Put the jar into place; DriverRefused when it cannot be read or is the wrong one.

    A URL that cannot be read is asked again for `patience` seconds. `message` gets the digest.
    """
    folder = Path(environment[names.DRIVERS])
    url, file = environment.get(names.JAR_URL), environment.get(names.JAR_FILE)
    wanted = environment.get(names.JAR_SHA256, "")
    part = folder / f".{_JAR}"
    source = url.partition("?")[0] if url else str(file)
    until = time.monotonic() + (patience if url else 0)
    while True:
        try:
            with _open(url, file) as stream, part.open("wb") as target:
                digest = _copy(stream, target)
            break
        except (OSError, HTTPException, ValueError) as error:
            if time.monotonic() >= until or _is_final(error):
                reason = getattr(error, "reason", None) or error
                raise DriverRefused(
                    f"the driver's jar cannot be read from {source}: {reason}"
                ) from error
        time.sleep(_AGAIN_SECONDS)
    if wanted and digest != wanted:
        part.unlink()
        raise DriverRefused(
            f"the jar at {source} has the SHA-256 digest {digest}, but driver.jar.sha256 says "
            f"{wanted}: correct the mode if that is the jar you mean"
        )
    leave_digest(f"sha256:{digest}", message)
    return part.rename(folder / _JAR)


def _is_final(error: Exception) -> bool:
    """Whether another attempt a moment later would end the same way."""
    if isinstance(error, HTTPError):
        return error.code < _SERVER_ERROR and error.code != _TOO_MANY_REQUESTS
    # A host that is none, or a length that is no number.
    return isinstance(error, ValueError)


def _open(url: str | None, file: str | None) -> IO[bytes]:
    if url is None:
        return Path(str(file)).open("rb")
    # The API takes only http and https.
    return urllib.request.build_opener(_Direct).open(url, timeout=TIMEOUT_SECONDS)  # type: ignore[no-any-return]


class _Direct(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the administrator allows hosts by the URL that the mode names."""

    def redirect_request(self, req: urllib.request.Request, *_: object) -> None:
        """See the base class."""
        source = req.full_url.partition("?")[0]
        raise DriverRefused(
            f"{source} redirects to another address: write that one into driver.jar.url"
        )


def _copy(stream: IO[bytes], target: IO[bytes]) -> str:
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > LARGEST:
            raise DriverRefused(
                f"the driver's jar is larger than {LARGEST // 2**20} MiB, so it is not a driver"
            )
        digest.update(chunk)
        target.write(chunk)
    headers = getattr(stream, "headers", None) or {}
    if (length := headers.get("Content-Length")) is not None and size != int(length):
        raise OSError(f"it ended after {size:,} of {int(length):,} bytes")
    return digest.hexdigest()


def main() -> None:
    """Fetch it, or exit with 1 and a sentence."""
    try:
        fetch(os.environ)
    except DriverRefused as error:
        leave(str(error))


if __name__ == "__main__":
    main()
