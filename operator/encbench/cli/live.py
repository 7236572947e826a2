"""TPS of running trials, read through the API server from the recorders beside their clients."""

import re
from typing import Protocol

from encbench.api.kinds import POD
from encbench.kube import labels
from encbench.ports import Cluster, Rejected, Unavailable
from encbench.tools.pod import RECORDER_PORT

_TPS = re.compile(r"^encbench_client_tps ([-+.0-9eE]+)$", re.MULTILINE)


class Scraped(Cluster, Protocol):
    """A cluster whose pods can be reached from outside."""

    async def scrape(self, namespace: str, pod: str, port: int) -> str:
        """A pod's /metrics. Unavailable or Rejected if the pod cannot be reached."""
        ...


class Live:
    """Asks once for each call, and never again once the API server has refused."""

    def __init__(self, cluster: Scraped, namespace: str) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._allowed = True

    async def tps(self, trial: str) -> float | None:
        """The sum over the trial's clients; None unless every one of them reports its own."""
        if not self._allowed:
            return None
        try:
            found = [
                _TPS.search(await self._cluster.scrape(self._namespace, name, RECORDER_PORT))
                for pod in await self._cluster.list(POD, self._namespace, {labels.TRIAL: trial})
                for name in [pod["metadata"]["name"]]
            ]
        except Unavailable:
            return None
        except Rejected:
            # A pod that no longer exists is Rejected too, but then its trial is over.
            self._allowed = False
            return None
        rates = [float(match[1]) for match in found if match]
        return sum(rates) if rates and len(rates) == len(found) else None
