"""The object store: `ports.Store` over any S3 service.

Keys are written once: `put_if_absent` and the presigned URLs carry `If-None-Match: *`, and the
store itself refuses the second writer (S3 and MinIO since 2024; `check` tests it). A presigned URL
signs that header, so its holder cannot leave it out and overwrite a result. `adapters.s3` maps the
store's errors to those of the ports.
"""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from encbench.adapters.s3 import S3Connection, S3Limits, status_of
from encbench.ports import Conflict, Rejected, Unavailable

_LONGEST_URL = 7 * 24 * 3600
_KEYS_PER_DELETE = 1000


class ObjectStore:
    """One bucket of an S3 service.

    `credentials` is a directory with the files `access-key` and `secret-key`, such as a mounted
    Secret; they may change at any time. Presigned URLs name `external_endpoint`, for clients that
    reach the store by a different address than the operator.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        bucket: str,
        region: str,
        credentials: Path,
        external_endpoint: str | None = None,
        ca_file: Path | None = None,
        limits: S3Limits | None = None,
    ) -> None:
        self.bucket = bucket
        self._external_endpoint = external_endpoint
        self._connection = S3Connection(
            endpoint, region, credentials, ca_file, limits or S3Limits()
        )

    # -- ports.Store

    async def put_if_absent(self, key: str, content: bytes, content_type: str) -> None:
        """Store unless the key exists. Conflict when it exists with other content."""
        await self._connection.call(lambda s3: self._put_if_absent(s3, key, content, content_type))

    async def put(self, key: str, content: bytes, content_type: str) -> None:
        """Store, replacing what was there."""

        def put(s3: Any) -> None:
            s3.put_object(Bucket=self.bucket, Key=key, Body=content, ContentType=content_type)

        return await self._connection.call(put)

    async def get(self, key: str) -> bytes | None:
        """The content, or None."""
        return await self._connection.call(lambda s3: self._get(s3, key))

    async def list(self, prefix: str) -> list[str]:
        """All keys under a prefix, in order."""

        def find(s3: Any) -> list[str]:
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
            return sorted(entry["Key"] for page in pages for entry in page.get("Contents", ()))

        return await self._connection.call(find)

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete these keys; keys that do not exist are ignored."""

        def delete(s3: Any) -> None:
            for first in range(0, len(keys), _KEYS_PER_DELETE):
                some = [{"Key": key} for key in keys[first : first + _KEYS_PER_DELETE]]
                wanted = {"Objects": some, "Quiet": True}
                answer = s3.delete_objects(Bucket=self.bucket, Delete=wanted)
                for left in answer.get("Errors", ()):
                    raise Unavailable(
                        f"the object store did not delete {left.get('Key')}: "
                        f"{left.get('Code')}: {left.get('Message')}"
                    )

        await self._connection.call(delete)

    async def abort_uploads(self, prefix: str) -> None:
        """Abort the unfinished multipart uploads under a prefix.

        Lists those of the whole bucket, because MinIO takes a prefix only if it is a whole key.
        """

        def abort(s3: Any) -> None:
            pages = s3.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket)
            for upload in [upload for page in pages for upload in page.get("Uploads", ())]:
                if not upload["Key"].startswith(prefix):
                    continue
                with suppress(s3.exceptions.NoSuchUpload):
                    s3.abort_multipart_upload(
                        Bucket=self.bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                    )

        await self._connection.call(abort)

    async def presign_put(self, key: str, seconds: int) -> str:
        """A URL for one PUT of this key with the header `If-None-Match: *`.

        Makes no request. It lasts at most seven days; more is a ValueError.
        """
        if not 0 < seconds <= _LONGEST_URL:
            raise ValueError(f"a presigned URL lasts 1 to {_LONGEST_URL} seconds, not {seconds}")
        wanted = {"Bucket": self.bucket, "Key": key, "IfNoneMatch": "*"}
        url: str = await self._connection.call(
            lambda s3: s3.generate_presigned_url("put_object", Params=wanted, ExpiresIn=seconds),
            self._external_endpoint,
        )
        return url

    # -- for the start and for `encbench check`

    async def ensure_bucket(self) -> None:
        """Create the bucket unless it exists."""
        await self._connection.call(self._ensure_bucket)

    async def check(self) -> None:
        """Write, refuse to overwrite, and delete an object under an unused name.

        Rejected when the store ignores `If-None-Match`: results could be overwritten there.
        """
        key = f".encbench-check/{secrets.token_hex(8)}"
        await self.put_if_absent(key, b"first", "text/plain")
        try:
            await self.put_if_absent(key, b"second", "text/plain")
        except Conflict:
            return
        finally:
            await self.delete([key])
        raise Rejected(
            f"the object store at {self._connection.endpoint} ignores If-None-Match, so results "
            "could be overwritten: use one with conditional writes, such as S3 or a current MinIO"
        )

    # -- in a thread

    def _put_if_absent(self, s3: Any, key: str, content: bytes, content_type: str) -> None:
        try:
            wanted = {"Bucket": self.bucket, "Key": key, "ContentType": content_type}
            s3.put_object(**wanted, Body=content, IfNoneMatch="*")
        except ClientError as error:
            if status_of(error) != 412:
                raise
            # Perhaps our own earlier attempt, whose answer was lost.
            there = self._get(s3, key)
            if there is None:
                raise Unavailable(f"{key} was deleted while it was being stored") from error
            if there != content:
                raise Conflict(f"{key} exists with other content") from error

    def _get(self, s3: Any, key: str) -> bytes | None:
        try:
            return bytes(s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())
        except s3.exceptions.NoSuchKey:
            return None

    def _ensure_bucket(self, s3: Any) -> None:
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
