"""Makes the store's users as soon as MinIO answers, and again when a password changes.

Root's credentials stay in MinIO's pod: this runs beside it, and reads them where MinIO does.
"""

import argparse
import logging
import signal
import sys
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

Login = tuple[str, str]


def main(stop: Event, words: list[str]) -> None:
    """Run until `stop` is set."""
    args = arguments().parse_args(words)
    done: tuple[Login, ...] = ()
    while not stop.is_set():
        try:
            logins = tuple(map(_login, (args.root, args.operator, args.analyst)))
            if logins != done:
                make(args.endpoint, args.bucket, *logins)
                done = logins
                args.made.touch()
                log.info(
                    "the operator's and the analysts' users of bucket %s are made", args.bucket
                )
        except (Unavailable, Rejected, OSError) as error:
            log.warning("%s", error)
        stop.wait(LOOK_AGAIN if done else RETRY)


def make(endpoint: str, bucket: str, root: Login, operator: Login, analyst: Login) -> None:
    """The users with their policies; what is there already stays. Unavailable without MinIO."""
    admin = MinioAdmin(endpoint, *root)
    for name, document in policies(bucket).items():
        admin.put_policy(name, document)
    for policy, login in ((OPERATOR, operator), (ANALYST, analyst)):
        if login[0] == root[0]:
            raise Rejected(f"{policy} has root's access key: give it one of its own")
        admin.put_user(*login)
        admin.give(login[0], policy)


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
