"""A Prometheus whose series come from no pod: counters that grow evenly with time.

It answers the operator's questions alone: an instant query for the raw samples of one selector.
"""

import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.bench.scale.pods import Pods
from tests.support.daemon import free_port

CORES = 2
DATABASE, SIDECAR, NODE = 0.02, 0.002, 0.1
"""Cores that each uses, all the time."""
_QUERY = re.compile(r"(\w+)\{(.*)\}\[(\d+)ms\]")
_MATCHER = re.compile(r'(\w+)(=~|!=|=)"([^"]*)"')
_USED = {
    "encbench_database_cpu_seconds_total": DATABASE,
    "encbench_agent_cpu_seconds_total": SIDECAR,
    "encbench_database_resident_bytes": 0.0,
    "encbench_database_read_bytes_total": 4096.0,
    "encbench_database_write_bytes_total": 65536.0,
    "encbench_database_limit_periods_total": 10.0,
    "encbench_database_throttled_periods_total": 0.0,
    "encbench_agent_uptime_seconds": 1.0,
}
"""Growth a second of each database pod's series."""

Labels = dict[str, str]
Matchers = list[tuple[str, str, str]]
"""Label, operator and text of each."""


@dataclass
class Prometheus:
    """The pods that it would scrape are those of the stand-ins."""

    pods: Pods
    asked: int = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Its URL."""
        app = web.Application()
        app.add_routes([web.post("/api/v1/query", self._query)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            await runner.cleanup()

    async def _query(self, request: web.Request) -> web.Response:
        self.asked += 1
        form = await request.post()
        query, at = str(form["query"]), float(str(form.get("time", time.time())))
        asked = _QUERY.fullmatch(query)
        if asked is None:
            return _success({"resultType": "scalar", "result": [at, str(at)]})
        first = int(at - int(asked[3]) / 1000) + 1
        times = range(first, int(min(at, time.time())) + 1)
        wanted: Matchers = _MATCHER.findall(asked[2])
        found: list[dict[str, Any]] = [
            {
                "metric": {"__name__": asked[1], **labels},
                "values": [[second, str(growth * second)] for second in times],
            }
            for labels, growth in self._series(asked[1], wanted)
        ]
        return _success({"resultType": "matrix", "result": found})

    def _series(self, metric: str, wanted: Matchers) -> Iterator[tuple[Labels, float]]:
        if metric == "node_cpu_seconds_total":
            node = next(text for name, _, text in wanted if name == "node")
            for cpu in range(CORES):
                own = {"node": node, "cpu": str(cpu)}
                yield {**own, "mode": "idle"}, 1 - NODE / CORES
                yield {**own, "mode": "iowait"}, 0.0
                yield {**own, "mode": "steal"}, 0.0
        if metric in _USED:
            for bed in list(self.pods.beds.values()):
                own = {"namespace": self.pods.namespace, "campaign": bed.campaign}
                own |= {"testbed": bed.name, "node": bed.node}
                if all(_fits(own.get(name, ""), how, text) for name, how, text in wanted):
                    yield own, _USED[metric]


def _fits(value: str, how: str, text: str) -> bool:
    if how == "=~":
        return re.fullmatch(text.replace("\\\\", "\\"), value) is not None
    return (value == text) is (how == "=")


def _success(data: dict[str, Any]) -> web.Response:
    return web.json_response({"status": "success", "data": data})
