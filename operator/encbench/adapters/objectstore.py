"""The object store: `ports.Store` over any S3 service.

Keys are written once: `put_if_absent` and the presigned URLs carry `If-None-Match: *`, and the
store itself refuses the second writer (`check` tests it). A presigned URL signs that header, so its
holder cannot leave it out and overwrite a result. `adapters.s3` maps the store's errors to those of
the ports.
"""

import asyncio
import re
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError

from encbench.adapters.s3 import S3Connection, S3Limits, status_of
from encbench.ports import Conflict, Rejected, TooLarge, Unavailable
from encbench.wire import upload as wire

_LONGEST_URL = 7 * 24 * 3600
_KEYS_PER_DELETE = 1000
_CERTIFICATE = re.compile(
    r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----", re.ASCII
)
_LARGEST_AUTHORITY = 64 * 1024
"""Clients have it in a variable of their environment, for which Linux has room for 128 KiB."""
_WRITERS = 4
"""How many race for one key in `check`."""


P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[Concatenate["ObjectStore", P], Coroutine[Any, Any, R]]


def _in_thread(work: Callable[Concatenate["ObjectStore", Any, P], R]) -> Method[P, R]:
    """A method that is given a client of the store, as one that its callers await."""

    @wraps(work)
    async def call(store: "ObjectStore", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await store._connection.call(lambda s3: work(store, s3, *args, **kwargs))

    return call


class ObjectStore:
    """One bucket of an S3 service.

    `credentials` is a directory with the files `access-key` and `secret-key`, such as a mounted
    Secret; they may change at any time. Without one botocore finds credentials by itself. Presigned
    URLs name `external_endpoint`, for clients that reach the store by a different address than the
    operator. While `may_write` says no, all that would store or delete an object is Unavailable.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        bucket: str,
        region: str,
        credentials: Path | None,
        external_endpoint: str | None = None,
        ca_file: Path | None = None,
        limits: S3Limits | None = None,
        may_write: Callable[[], bool] = lambda: True,
    ) -> None:
        self.bucket = bucket
        self._clients_endpoint = external_endpoint or endpoint
        self._connection = S3Connection(
            endpoint, region, credentials, ca_file, limits or S3Limits(), may_write
        )

    # -- for clients

    @property
    def url(self) -> str:
        """URL of the bucket as clients reach it; a presigned URL goes on with a slash."""
        return f"{self._clients_endpoint.rstrip('/')}/{self.bucket}"

    def authority(self) -> str | None:
        """PEM of the CA that certifies the store, or None if everyone trusts its certificate.

        Rejected when clients cannot be given it.
        """
        file = self._connection.ca_file
        if file is None:
            return None
        try:
            found = _CERTIFICATE.findall(file.read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            raise Unavailable(f"the CA of the object store: {file}: {error.strerror}") from error
        pem = "".join(f"{one}\n" for one in found)
        if not 0 < len(pem) <= _LARGEST_AUTHORITY:
            raise Rejected(
                f"the CA of the object store has {len(pem):,} bytes of certificates, and clients "
                f"take 1 to {_LARGEST_AUTHORITY:,}: write only the CA that certified the store "
                "into the ConfigMap objectStore.external.caConfigMap"
            )
        return pem

    # -- ports.Store

    @_in_thread
    def ensure_bucket(self, s3: Any) -> None:
        """Create the bucket unless it exists."""
        try:
            s3.head_bucket(Bucket=self.bucket)
            return
        except ClientError as error:
            if status_of(error) != 404:
                raise
        # S3 takes every region by name here but us-east-1.
        region = self._connection.region
        place = {"CreateBucketConfiguration": {"LocationConstraint": region}}
        with suppress(s3.exceptions.BucketAlreadyOwnedByYou):
            s3.create_bucket(Bucket=self.bucket, **(place if region != "us-east-1" else {}))

    @_in_thread
    def put_if_absent(self, s3: Any, key: str, content: bytes, content_type: str) -> None:
        """Store unless the key exists. Conflict when it exists with other content."""
        try:
            wanted = {"Bucket": self.bucket, "Key": key, "ContentType": content_type}
            s3.put_object(**wanted, Body=content, IfNoneMatch="*")
        except ClientError as error:
            if status_of(error) != 412:
                raise
            # Perhaps our own earlier attempt, whose answer was lost.
            there = self._content(s3, key)
            if there is None:
                raise Unavailable(f"{key} was deleted while it was being stored") from error
            if there != content:
                raise Conflict(f"{key} exists with other content") from error

    @_in_thread
    def put(self, s3: Any, key: str, content: bytes, content_type: str) -> None:
        """Store, replacing what was there."""
        s3.put_object(Bucket=self.bucket, Key=key, Body=content, ContentType=content_type)

    @_in_thread
    def get(self, s3: Any, key: str, limit: int | None = None) -> bytes | None:
        """The content, or None. TooLarge, without reading on, if it has more than `limit` bytes."""
        return self._content(s3, key, limit)

    def _content(self, s3: Any, key: str, limit: int | None = None) -> bytes | None:
        try:
            found = s3.get_object(Bucket=self.bucket, Key=key)
        except s3.exceptions.NoSuchKey:
            return None
        with closing(found["Body"]) as body:
            size = found.get("ContentLength")
            if limit is None:
                return bytes(body.read())
            if size is None:
                # A gateway may send it in chunks, without its size.
                content = bytes(body.read(limit + 1))
                if len(content) > limit:
                    raise TooLarge(f"{key} has more than {limit:,} bytes")
                return content
            if size > limit:
                raise TooLarge(f"{key} has {size:,} bytes, more than {limit:,}")
            return bytes(body.read())

    @_in_thread
    def _keys(self, s3: Any, prefix: str) -> list[str]:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", ()))

    async def list(self, prefix: str) -> list[str]:
        """All keys under a prefix, in order.

        What was being stored when its trial was deleted is there by then, and can be deleted.
        """
        await self._connection.settled()
        return await self._keys(prefix)

    @_in_thread
    def delete(self, s3: Any, keys: Sequence[str]) -> None:
        """Delete these keys; keys that do not exist are ignored."""
        for first in range(0, len(keys), _KEYS_PER_DELETE):
            some = [{"Key": key} for key in keys[first : first + _KEYS_PER_DELETE]]
            wanted = {"Objects": some, "Quiet": True}
            answer = s3.delete_objects(Bucket=self.bucket, Delete=wanted)
            for left in answer.get("Errors", ()):
                raise Unavailable(
                    f"the object store did not delete {left.get('Key')}: "
                    f"{left.get('Code')}: {left.get('Message')}"
                )

    async def presign_put(self, key: str, seconds: int) -> str:
        """A URL for one PUT of this key with the header `If-None-Match: *`.

        Makes no request. It lasts at most seven days; more is a ValueError.
        """
        return await self._presigned("put_object", seconds, Key=key, IfNoneMatch="*")

    async def presign_get(self, key: str, seconds: int) -> str:
        """A URL from which anyone can fetch this key, for as long as that of `presign_put`."""
        return await self._presigned("get_object", seconds, Key=key)

    async def _presigned(self, operation: str, seconds: int, **wanted: str) -> str:
        if not 0 < seconds <= _LONGEST_URL:
            raise ValueError(f"a presigned URL lasts 1 to {_LONGEST_URL} seconds, not {seconds}")
        return await self._connection.sign(
            lambda s3: self._signed(s3, operation, seconds, **wanted), self._clients_endpoint
        )

    def _signed(self, s3: Any, operation: str, seconds: int, **wanted: str) -> str:
        given = {"Bucket": self.bucket, **wanted}
        return str(s3.generate_presigned_url(operation, Params=given, ExpiresIn=seconds))

    # -- for `encbench check`

    async def check(self) -> None:
        """Store and read as the operator does, and store as clients do.

        Rejected where results could be overwritten, when other content comes back, and when clients
        could not be given its CA; Unavailable when they could not be given a URL, or one is
        refused. Their own way to the store, which may be another one, is not tried.
        """
        self.authority()
        await self.presign_put(_unused(), 60)
        await self._check_writers(_unused())
        await self._check_uploads(_unused())

    async def _check_writers(self, key: str) -> None:
        """Let writers race for an unused key, see that one wins, and read and delete the object.

        Two writes in turn would not do: some stores look for the key and then write, which is right
        as long as writers take turns.
        """
        await self.get(key)  # makes the client, so that no writer has a start on the others
        ends = await asyncio.gather(
            *(self.put_if_absent(key, b"%d" % n, "text/plain") for n in range(_WRITERS)),
            return_exceptions=True,
        )
        errors = [end for end in ends if end is not None]
        stored = len(ends) - len(errors)
        if not stored:
            raise errors[0]
        try:
            back = await self.get(key, limit=1024)  # with a limit, as results are read
        finally:
            await self.delete([key])
        if stored > 1:
            raise Rejected(
                f"the object store at {self._connection.endpoint} stored {stored} objects under "
                "one key, although each had If-None-Match: *, so results could be overwritten: "
                "use a store with conditional writes, of which docs/stores.md names some"
            )
        if back != b"%d" % ends.index(None):
            raise Rejected(
                f"the object store at {self._connection.endpoint} did not give back what it had "
                "stored: use another store, of which docs/stores.md names some"
            )

    async def _check_uploads(self, key: str) -> None:
        """Upload by a presigned URL, and see that nothing is overwritten by one."""
        try:
            first = await self._answers(key)
            second = await self._answers(key)
        finally:
            await self.delete([key])
        (status, code), (again, why) = first[-1], second[-1]
        # An attempt may have stored although its answer was a failure.
        if status >= 300 and (status != 412 or len(first) == 1):
            raise self._refusal("an upload", status, code)
        if again < 300:
            raise Rejected(
                f"the object store at {self._connection.endpoint} answered {again} and not 412 to "
                "a second upload by a presigned URL, although it had If-None-Match: *, so results "
                "could be overwritten: use a store with conditional writes, of which "
                "docs/stores.md names some"
            )
        if again != 412:
            raise self._refusal("a second upload", again, why)

    def _refusal(self, what: str, status: int, code: str) -> Unavailable:
        return Unavailable(
            f"the object store at {self._connection.endpoint} answered {status} {code} to {what} "
            "by a presigned URL, by which clients store their logs: see that neither a policy nor "
            "a proxy before the store refuses such URLs, and that a proxy passes Host and "
            "If-None-Match on"
        )

    async def _answers(self, key: str) -> Sequence[tuple[int, str]]:
        """Status and code of an upload; another attempt follows one that a recorder repeats."""
        limits = self._connection.limits
        found = [await self._upload(key)]
        for attempt in range(1, limits.attempts):
            status, _ = found[-1]
            if not wire.may_pass(status):
                break
            await asyncio.sleep(limits.pause_seconds * 2 ** (attempt - 1))
            found.append(await self._upload(key))
        return found

    @_in_thread
    def _upload(self, s3: Any, key: str) -> tuple[int, str]:
        """Upload as a recorder does, with the client's own CA and proxy: status and code."""
        url = self._signed(s3, "put_object", 60, Key=key, IfNoneMatch="*")
        request = AWSRequest("PUT", url, wire.HEADERS, b"0").prepare()
        try:
            answer = s3._endpoint.http_session.send(request)
        except BotoCoreError as error:
            # Its text has the URL, which is a credential.
            why = type(error).__name__
            raise Unavailable(f"an upload to {self._connection.endpoint} failed: {why}") from None
        return answer.status_code, wire.code(answer.content)


def _unused() -> str:
    """A key that no object has."""
    return f".encbench-check/{secrets.token_hex(8)}"
