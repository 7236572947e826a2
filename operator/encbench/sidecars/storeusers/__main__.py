"""Makes the store's users as soon as MinIO answers, and again when a login changes.

A user whose access key has been replaced goes after a while. Each is a member of the group with the
name of its policy, which gives no right and sets our own users apart from those of others.

Root's credentials stay in MinIO's pod: this runs beside it, and reads them where MinIO does. MinIO
does so only when it starts. If they change, the earlier ones hold until its pod is replaced.
"""

import argparse
import logging
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from encbench.adapters.minio import MinioAdmin
from encbench.adapters.s3 import ACCESS_KEY_FILE, SECRET_KEY_FILE, read_login
from encbench.ports import Rejected, Unavailable
from encbench.sidecars.storeusers.policies import ANALYST, OPERATOR, policies

log = logging.getLogger("encbench.storeusers")

LOOK_AGAIN = 30.0
"""Seconds between looks at the files, which the kubelet changes about a minute after a Secret."""
RETRY = 2.0
LINGER = 900.0
"""Seconds for which a replaced login stays valid, because the operator hears of the new one from
its own kubelet."""

Login = tuple[str, str]


def main(stop: Event, words: list[str]) -> None:
    """Run until `stop` is set."""
    args = arguments().parse_args(words)
    users = Users(args.endpoint, args.bucket)
    while not stop.is_set():
        try:
            users.keep(*map(read_login, (args.root, args.operator, args.analyst)))
            args.made.touch()
        except (Unavailable, Rejected, OSError) as error:
            log.warning("%s", error)
        stop.wait(LOOK_AGAIN if users.made else RETRY)


@dataclass
class Users:
    """The users of one MinIO, and what is known of them."""

    endpoint: str
    bucket: str
    made: tuple[Login, ...] = ()
    """All logins as they were when the users were made last, root's first."""
    root: Login | None = None
    """The last login of root's that MinIO took."""
    since: float = 0.0
    is_alone: bool = False
    """Whether the users of replaced logins are gone."""

    def keep(self, root: Login, *users: Login) -> None:
        """Make the users, and later remove those that were replaced."""
        try:
            self._keep(root, (root, *users))
        except Unavailable:
            if self.root in (None, root):
                raise
            self._keep(self.root, (root, *users))

    def _keep(self, root: Login, logins: tuple[Login, ...]) -> None:
        """The same by this login of root's, which may be an earlier one."""
        if logins != self.made:
            make(self.endpoint, self.bucket, root, *logins[1:])
            self.made, self.since, self.is_alone = logins, time.monotonic(), False
            log.info("the operator's and the analysts' users of bucket %s are made", self.bucket)
            if root != logins[0]:
                log.warning("root's new login does not hold yet: delete MinIO's pod")
        elif not self.is_alone and time.monotonic() - self.since >= LINGER:
            for replaced in remove_replaced(self.endpoint, root, *logins[1:]):
                log.info("%s was replaced, and is removed", replaced)
            self.is_alone = True
        else:
            return
        self.root = root


def make(endpoint: str, bucket: str, root: Login, operator: Login, analyst: Login) -> None:
    """The users with their policies; what is there already stays. Unavailable without MinIO."""
    admin = MinioAdmin(endpoint, *root)
    for name, document in policies(bucket).items():
        admin.put_policy(name, document)
    if operator[0] == analyst[0]:
        raise Rejected("operator and analysts have one access key: give each one of its own")
    for policy, login in ((OPERATOR, operator), (ANALYST, analyst)):
        if login[0] == root[0]:
            raise Rejected(f"{policy} has root's access key: give it one of its own")
        admin.put_user(*login)
        # Before it may do anything, so that none that may is forgotten.
        admin.join(login[0], policy)
        admin.give(login[0], policy)


def remove_replaced(endpoint: str, root: Login, *kept: Login) -> Iterator[str]:
    """Remove the users that this program made and whose access key is none of these any more."""
    admin, keys = MinioAdmin(endpoint, *root), {login[0] for login in kept}
    for group in (OPERATOR, ANALYST):
        for key in admin.members(group):
            if key not in keys:
                admin.remove_user(key)
                yield key


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="encbench.sidecars.storeusers")
    parser.add_argument("--endpoint", default="http://127.0.0.1:9000")
    parser.add_argument("--bucket", required=True)
    for user in ("root", "operator", "analyst"):
        text = f"folder with {user}'s {ACCESS_KEY_FILE} and {SECRET_KEY_FILE}"
        parser.add_argument(f"--{user}", type=Path, required=True, help=text)
    parser.add_argument("--made", type=Path, required=True, help="file to make once they are there")
    return parser


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    stopped = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    main(stopped, sys.argv[1:])
