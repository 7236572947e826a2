"""`python -m encbench.sidecars.reach HOST PORT`: wait until a load's pod reaches its database.

An init container of that pod. Network plugins learn of a new pod a moment after its start, and
until then some of them refuse its connections. A tool would take that for the database's own
refusal and give up, and with it the testbed.

Cluster DNS answers nothing while it and the API server come back from an outage at the same time,
which takes longer.
"""

import socket
import sys
import time

from encbench.wire.failure import leave

SECONDS = 30.0
WITHOUT_NAMES = 180.0
"""Seconds for as long as cluster DNS gives no answer at all."""
_ATTEMPT_SECONDS, _PAUSE_SECONDS = 5.0, 0.5


class OutOfReach(Exception):
    """There was no connection in all that time. The text says why."""


def reach(
    host: str, port: int, seconds: float = SECONDS, without_names: float = WITHOUT_NAMES
) -> None:
    """Return after the first connection; OutOfReach when an attempt fails after so many seconds.

    Those for the database begin when cluster DNS has answered.
    """
    began = named = time.monotonic()
    while True:
        try:
            _connect(host, port)
            return
        except OSError as error:
            # A name that does not exist is another error.
            is_dns_away = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
            now = time.monotonic()
            named = now if is_dns_away else named
            since, most = (began, without_names) if is_dns_away else (named, seconds)
            if now > since + most:
                raise OutOfReach(
                    f"no connection to {host}, port {port}, within {most:g} s: {_words(error)}"
                ) from error
        time.sleep(_PAUSE_SECONDS)


def _connect(host: str, port: int) -> None:
    """Connect as the tools do, to one address after the other in the system's order. OSError.

    sysbench waits for minutes, in each of its threads, until it gives up an address that answers
    nothing. Such an address before the one that connects is therefore an error. An address that
    refuses, or to which there is no route, costs no time.
    """
    failed = dict[str, OSError]()
    for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = str(place[0])
        try:
            socket.create_connection((address, port), timeout=_ATTEMPT_SECONDS).close()
        except OSError as error:
            failed[address] = error
            continue
        silent = [one for one, error in failed.items() if isinstance(error, TimeoutError)]
        if not silent:
            return
        first = ", ".join(silent)
        raise OSError(
            f"clients get no answer from {first} before they try {address}, which answers"
        )
    raise OSError("; ".join(f"{one}: {_words(error)}" for one, error in failed.items()))


def _words(error: OSError) -> str:
    """The error without its number."""
    return error.strerror or str(error)


def main(arguments: list[str]) -> None:
    """Wait for it, or exit with 1 and a sentence."""
    host, port = arguments
    try:
        reach(host, int(port))
    except OutOfReach as error:
        leave(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
