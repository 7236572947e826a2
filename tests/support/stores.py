"""The object stores that tests start, and what each lacks; docs/stores.md has the same table."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from encbench.sidecars.storeusers.__main__ import make
from tests.support.minio import running_minio
from tests.support.s3 import S3Server
from tests.support.versity import make_users, running_versity

TOKENS: Final = "session tokens"
Login = tuple[str, str]


@dataclass(frozen=True)
class Program:
    """A store that can be started here.

    `lacks` names what encbench can do without; tests of it are expected to fail.
    """

    name: str
    running: Callable[..., AbstractContextManager[S3Server]]
    make_users: Callable[[S3Server, str, Login, Login], None]
    """Make the operator's and the analysts' users of a bucket, as an administrator does."""
    lacks: frozenset[str] = frozenset()


def _minio_users(server: S3Server, bucket: str, operator: Login, analyst: Login) -> None:
    make(server.url, bucket, server.root, operator, analyst)


PROGRAMS: Final = {
    program.name: program
    for program in (
        Program("minio", running_minio, _minio_users),
        Program("versitygw", running_versity, make_users, frozenset({TOKENS})),
    )
}
