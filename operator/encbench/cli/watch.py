"""`kubectl encbench watch`: live lines on a terminal, one line for each change elsewhere."""

import argparse
import asyncio
import math
import re
import sys
import time
from datetime import UTC, datetime
from typing import Protocol

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, parse_time
from encbench.api.kinds import POD, TRIAL
from encbench.api.lifecycle import ACCEPTED
from encbench.cli import progress
from encbench.cli.connection import campaign
from encbench.cli.output import say
from encbench.cli.screen import Screen
from encbench.kube import labels
from encbench.ports import Cluster, NotAuthenticated, Rejected, Unavailable
from encbench.reconcile import objects
from encbench.reconcile.draft import backoff
from encbench.reconcile.objects import Campaign
from encbench.tools.pod import RECORDER_PORT

INTERVAL = 1.0
PATIENCE = 3.0
"""Seconds for a pod's answer. An API server that may not reach the pod is silent for ten times as
long."""
TOO_OFTEN = 3
"""Silences in a row, after which pods are taken for hidden, as by a network policy."""
PARTS_AGAIN = (10.0, 60.0)
"""Seconds between the operator's looks at the parts of a refused campaign, at first and at most."""
REFUSAL_STANDS = 5.0
"""Seconds beyond these after which a refusal that was there at the first look is believed. Its part
may have been corrected just before."""
FAILED, REFUSED, TIMED_OUT = 1, 2, 3
_REMEDY = "apply it, or name another namespace with -n"
_TPS = re.compile(r"^encbench_client_tps ([-+.0-9eE]+)$", re.MULTILINE)


class Scraped(Cluster, Protocol):
    """A cluster whose pods can be reached from outside."""

    async def scrape(self, namespace: str, pod: str, port: int) -> str:
        """A pod's /metrics. Unavailable or Rejected if the pod cannot be reached."""
        ...


class Live:
    """TPS of running trials through the API server.

    It never asks again once the API server has refused, or was silent: NetworkPolicies drop what
    they forbid, and each look would wait.
    """

    def __init__(self, cluster: Scraped, namespace: str) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._allowed = True
        self._late = 0

    async def tps(self, trial: str) -> float | None:
        """The sum over the trial's clients; None unless every one of them reports its own."""
        if not self._allowed:
            return None
        try:
            found = [
                _TPS.search(await self._scraped(pod["metadata"]["name"]))
                for pod in await self._cluster.list(POD, self._namespace, {labels.TRIAL: trial})
            ]
        except Unavailable:
            return None
        except TimeoutError:
            self._late += 1
            self._allowed = self._late < TOO_OFTEN
            return None
        except (Rejected, NotAuthenticated):
            # A pod that no longer exists is Rejected too, but then its trial is over. Its image can
            # answer 401 itself: whether the API server does, the next look at the campaign says.
            self._allowed = False
            return None
        self._late = 0
        if not found or None in found:
            return None
        try:
            total = sum(float(match[1]) for match in found if match)
        except ValueError:
            # The client's own image can write what is no number.
            return None
        return total if 0 <= total < math.inf else None

    async def _scraped(self, pod: str) -> str:
        asked = self._cluster.scrape(self._namespace, pod, RECORDER_PORT)
        return await asyncio.wait_for(asked, PATIENCE)


async def watch(cluster: Scraped, namespace: str, args: argparse.Namespace) -> int:
    """Follow the campaign to its end; the exit code."""
    return await follow(cluster, namespace, args.campaign, args.timeout)


async def follow(cluster: Scraped, namespace: str, name: str, limit: float | None) -> int:
    """The exit code, as `--help` has them; CommandError or Unavailable if it cannot begin."""
    screen = Screen()
    try:
        return await _followed(cluster, namespace, name, limit, screen)
    finally:
        # An error's sentence, or the shell's prompt, begins below the lines.
        screen.close()


async def _followed(
    cluster: Scraped, namespace: str, name: str, limit: float | None, screen: Screen
) -> int:
    live = Live(cluster, namespace)
    look = Look(cluster, namespace, name, screen)
    began = time.monotonic()
    undecided = False
    while True:
        seen = await look.campaign()
        late = limit is not None and time.monotonic() >= began + limit
        if seen is not None:
            status = seen.status
            why = progress.refusal(status)
            undecided = undecided or not why
            stands = time.monotonic() - began >= refusal_stands(status, datetime.now(UTC))
            if why and (undecided or late or stands):
                screen.close()
                say(f"campaign {name} was refused: {why}")
                return REFUSED
            lines = [progress.line(name, status, datetime.now(UTC))]
            end = progress.ending(status)
            if screen.is_terminal and end is None:
                lines += await _trials(cluster, live, seen)
            screen.show(lines, steady=status.step)
            if end is not None:
                screen.close()
                good, message = end
                say(message, sys.stdout if good else sys.stderr)
                return 0 if good else FAILED
        if late:
            screen.close()
            say(f"campaign {name} has not ended within {limit:.0f} s; it keeps running")
            return TIMED_OUT
        await asyncio.sleep(INTERVAL)


def refusal_stands(status: CampaignStatus, now: datetime) -> float:
    """Seconds after which a refusal is believed: the older it is, the more seldom it is judged."""
    refused = find(status.conditions, ACCEPTED)
    since = parse_time(refused.last_transition_time) if refused is not None else now
    return backoff((now - since).total_seconds(), *PARTS_AGAIN) + REFUSAL_STANDS


class Look:
    """Reads a campaign again and again; waits for an API server that has answered once."""

    def __init__(self, cluster: Cluster, namespace: str, name: str, screen: Screen) -> None:
        self._cluster = cluster
        self._campaign = (namespace, name)
        self._screen = screen
        self._answered = False
        self._away = False

    async def campaign(self) -> Campaign | None:
        """The campaign; None while the API server is away, which it says once on standard error.

        Unavailable if it has never answered, because a wrong context or address does not pass.
        """
        try:
            body = await campaign(self._cluster, *self._campaign, _REMEDY)
        except Unavailable as error:
            if not self._answered:
                raise
            if not self._away:
                self._screen.close()
                say(f"waiting for the API server to answer again: {error}")
            self._away = True
            return None
        self._answered, self._away = True, False
        return objects.campaign(body)


async def _trials(cluster: Cluster, live: Live, of: Campaign) -> list[str]:
    """A line for each running trial; none while the API server is away."""
    own = {labels.CAMPAIGN: of.name, labels.ACTIVE: "true"}
    try:
        found = [objects.trial(body) for body in await cluster.list(TRIAL, of.namespace, own)]
    except Unavailable:
        return []
    now = datetime.now(UTC)
    return [
        progress.trial_line(
            trial,
            of.spec.blocks,
            await live.tps(trial.name) if progress.is_under_load(trial, now) else None,
            now,
        )
        for trial in sorted(found, key=lambda trial: (trial.created, trial.name))
    ]
