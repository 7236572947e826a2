"""`python -m encbench.sidecars.reach HOST PORT`: wait until a load's pod reaches its database.

An init container of that pod. Network plugins learn of a new pod a moment after its start, and
until then some of them refuse its connections. A tool would take that for the database's own
refusal and give up, and with it the testbed.
"""

import socket
import sys
import time

from encbench.wire.failure import leave

SECONDS = 30.0
_ATTEMPT_SECONDS, _PAUSE_SECONDS = 5.0, 0.5


class OutOfReach(Exception):
    """There was no connection in all that time. The text says why."""


def reach(host: str, port: int, seconds: float = SECONDS) -> None:
    """Return after the first connection; OutOfReach when an attempt fails after so many seconds."""
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=_ATTEMPT_SECONDS).close()
            return
        except OSError as error:
            if time.monotonic() > until:
                raise OutOfReach(
                    f"no connection to {host}, port {port}, within {seconds:g} s: {error}"
                ) from error
        time.sleep(_PAUSE_SECONDS)


def main(arguments: list[str]) -> None:
    """Wait for it, or exit with 1 and a sentence."""
    host, port = arguments
    try:
        reach(host, int(port))
    except OutOfReach as error:
        leave(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
