"""How every benchmark runs as a program."""

import signal
import sys
from collections.abc import Callable
from typing import NoReturn


def run(main: Callable[[], int]) -> NoReturn:
    """Exit with what it returns.

    SIGTERM ends it as Ctrl-C does, so that campaigns, servers and clients that it began end with
    it, and processes that it paused go on.
    """
    signal.signal(signal.SIGTERM, _stopped)
    sys.exit(main())


def _stopped(number: int, _frame: object) -> NoReturn:
    sys.exit(128 + number)
