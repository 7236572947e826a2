"""TPS of running trials, asked of the recorders beside their clients through the API server."""

import re
from typing import Protocol

from encbench.api.kinds import POD
from encbench.kube import labels
from encbench.ports import Cluster, Rejected, Unavailable
from encbench.reconcile.agents import RECORDER_PORT

_TPS = re.compile(r"^encbench_client_tps ([-+.0-9eE]+)$", re.MULTILINE)


class Scraped(Cluster, Protocol):
    """A cluster whose pods can be reached from outside."""

    async def scrape(self, namespace: str, pod: str, port: int) -> str:
        """What a pod says at /metrics. Unavailable or Rejected where it cannot be had."""
        ...


class Live:
    """Asks at most as often as it is called; gives up for good where it is not allowed to."""

    def __init__(self, cluster: Scraped, namespace: str) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._allowed = True

    async def tps(self, trial: str) -> float | None:
        """Sum over the trial's clients; None unless every one of them says its own."""
        if not self._allowed:
            return None
        try:
            pods = await self._cluster.list(POD, self._namespace, {labels.TRIAL: trial})
            said = [
                await self._cluster.scrape(self._namespace, pod["metadata"]["name"], RECORDER_PORT)
                for pod in pods
            ]
        except Unavailable:
            return None
        except Rejected:
            # A pod that is gone by now is Rejected too, but then its trial is over.
            self._allowed = False
            return None
        found = [_TPS.search(text) for text in said]
        if not found or not all(found):
            return None
        return sum(float(match[1]) for match in found if match)
