"""Makes the store's users as soon as MinIO answers, and again when a login changes.

A user whose access key has been replaced goes after a while. Each is a member of the group with the
name of its policy, which gives no right and sets our own users apart from those of others.

Root's credentials stay in MinIO's pod: this runs beside it, and reads them where MinIO does.
"""

import argparse
import logging
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

from encbench.adapters.minio import MinioAdmin
from encbench.adapters.s3 import ACCESS_KEY_FILE, SECRET_KEY_FILE
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
    done: tuple[Login, ...] = ()
    since, is_alone = 0.0, False
    while not stop.is_set():
        try:
            logins = tuple(map(_login, (args.root, args.operator, args.analyst)))
            if logins != done:
                make(args.endpoint, args.bucket, *logins)
                done, since, is_alone = logins, time.monotonic(), False
                args.made.touch()
                log.info(
                    "the operator's and the analysts' users of bucket %s are made", args.bucket
                )
            elif not is_alone and time.monotonic() - since >= LINGER:
                for replaced in remove_replaced(args.endpoint, *logins):
                    log.info("%s was replaced, and is removed", replaced)
                is_alone = True
        except (Unavailable, Rejected, OSError) as error:
            log.warning("%s", error)
        stop.wait(LOOK_AGAIN if done else RETRY)


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


def _login(folder: Path) -> Login:
    return (
        (folder / ACCESS_KEY_FILE).read_text().strip(),
        (folder / SECRET_KEY_FILE).read_text().strip(),
    )


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
