"""What each of the store's users may do, as policies of S3."""

from typing import Any

OPERATOR, ANALYST = "encbench-operator", "encbench-analyst"

_READ_BUCKET = ("GetBucketLocation", "ListBucket")
_WRITE = ("PutObject", "DeleteObject")


def policies(bucket: str) -> dict[str, dict[str, Any]]:
    """By name: the operator reads and writes its bucket, and analysts read it.

    Neither may delete a version of an object, or change how the bucket keeps versions. The first is
    denied in so many words, because MinIO takes the right to delete an object for that as well.
    """
    operator = _policy(bucket, (*_READ_BUCKET, "CreateBucket"), ("GetObject", *_WRITE))
    versions = f"arn:aws:s3:::{bucket}/*"
    operator["Statement"].append(
        {"Effect": "Deny", "Action": ["s3:DeleteObjectVersion"], "Resource": [versions]}
    )
    return {OPERATOR: operator, ANALYST: _policy(bucket, _READ_BUCKET, ("GetObject",))}


def _policy(bucket: str, whole: tuple[str, ...], objects: tuple[str, ...]) -> dict[str, Any]:
    place = f"arn:aws:s3:::{bucket}"
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": [f"s3:{one}" for one in actions], "Resource": [resource]}
            for actions, resource in ((whole, place), (objects, f"{place}/*"))
        ],
    }
