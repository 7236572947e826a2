"""An upload to the object store by a presigned URL, and what the store's answer says.

The recorder makes them, and the check of a store tries one.
"""

HEADERS = {"If-None-Match": "*"}
"""Signed with the URL. They make the store refuse a second object of that name with 412."""

_TRY_AGAIN = (408, 409, 425, 429)


def may_pass(status: int) -> bool:
    """Whether the same upload may be taken later."""
    return status >= 500 or status in _TRY_AGAIN


def code(body: bytes) -> str:
    """The error's code in S3's XML, such as AccessDenied or KMS.DisabledException."""
    found = body.partition(b"<Code>")[2].partition(b"</Code>")[0].decode(errors="replace")
    return found if found.replace(".", "").isalnum() and len(found) <= 64 else ""
