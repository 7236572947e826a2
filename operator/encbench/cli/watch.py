"""`kubectl encbench watch`: one live line on a terminal, one line a change elsewhere."""

import asyncio
import shutil
import sys
import time
from datetime import UTC, datetime

from encbench.api.campaign import CampaignStatus
from encbench.api.kinds import CAMPAIGN
from encbench.cli import progress
from encbench.cli.errors import CommandError
from encbench.ports import Cluster, Unavailable
from encbench.reconcile.objects import campaign as parse

INTERVAL = 1.0
FAILED, REFUSED, TIMED_OUT = 1, 2, 3


async def watch(cluster: Cluster, namespace: str, name: str, limit: float | None) -> int:
    """Follow until the campaign ends; exit code 0 completed, 1 failed, 2 refused, 3 late."""
    line = _Line()
    until = time.monotonic() + limit if limit else None
    while until is None or time.monotonic() < until:
        status = await _status(cluster, namespace, name)
        if status is not None:
            why = progress.refusal(status)
            if why:
                line.close()
                print(f"campaign {name} is refused: {why}", file=sys.stderr)
                return REFUSED
            line.show(progress.line(name, status, datetime.now(UTC)), steady=status.step)
            end = progress.ending(status)
            if end is not None:
                line.close()
                good, message = end
                print(message, file=sys.stdout if good else sys.stderr)
                return 0 if good else FAILED
        await asyncio.sleep(INTERVAL)
    line.close()
    print(f"campaign {name} has not ended within {limit:.0f} s; it goes on", file=sys.stderr)
    return TIMED_OUT


async def _status(cluster: Cluster, namespace: str, name: str) -> CampaignStatus | None:
    """The status, or None while the API server is away for a moment."""
    try:
        body = await cluster.get(CAMPAIGN, namespace, name)
    except Unavailable:
        return None
    if body is None:
        raise CommandError(
            f"there is no campaign {name} in namespace {namespace}: apply it, or name another "
            "namespace with -n"
        )
    return parse(body).status


class _Line:
    """Rewrites one line on a terminal; elsewhere prints a line when the step changes."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._last = ""

    def show(self, text: str, *, steady: str) -> None:
        if self._terminal:
            width = shutil.get_terminal_size().columns
            print(f"\r\033[K{text[: width - 1]}", end="", flush=True)
        elif steady != self._last:
            print(text, flush=True)
            self._last = steady

    def close(self) -> None:
        if self._terminal:
            print(flush=True)
