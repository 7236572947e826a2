"""Waiting for campaigns, with a line of progress meanwhile."""

import asyncio
import sys
import time
from collections.abc import Callable, Sequence

from encbench.api.kinds import CAMPAIGN
from tests.bench.scale.api import Api, Body
from tests.bench.scale.inputs import SPACE, Plan

LOOK = 2.0
"""Seconds between two looks."""
STUCK = 300.0
"""Seconds without another finished trial after which nothing more is expected."""

_ENDED = ("succeeded", "invalid", "failed")


def done(campaign: Body) -> int:
    """Its finished trials, by its own account."""
    progress = (campaign.get("status") or {}).get("progress") or {}
    return sum(progress.get(name, 0) for name in _ENDED)


def is_over(campaign: Body) -> bool:
    """Whether it has ended."""
    return (campaign.get("status") or {}).get("phase") in ("Succeeded", "Failed")


async def until(api: Api, plans: Sequence[Plan], holds: Callable[[Body], bool], title: str) -> int:
    """Wait until it holds of each campaign; their finished trials then. TimeoutError when stuck."""
    names, whole = {plan.name for plan in plans}, sum(plan.trials for plan in plans)
    began = since = time.monotonic()
    last = -1
    while True:
        bodies = [one for one in await api.all(CAMPAIGN, SPACE) if one["metadata"]["name"] in names]
        found, now = sum(map(done, bodies)), time.monotonic()
        if found != last:
            last, since = found, now
            say(f"{title}: {found} of {whole} trials after {now - began:.0f} s")
        if all(map(holds, bodies)):
            return found
        if now - since > STUCK:
            raise TimeoutError(f"{title}: {found} trials, and no more for {STUCK:.0f} s")
        await asyncio.sleep(LOOK)


def say(text: str) -> None:
    """Show how far it is; on a terminal one line is overwritten."""
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{text:<72}", end=end, flush=True, file=sys.stderr)
