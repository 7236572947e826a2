"""How soon the operator reacts: a new object, until the first write that it causes.

A campaign that names nothing that exists is created every now and then. The operator writes the
step of its status before it judges it, so this is the way of an event through watch, queue and
pass, under whatever load there is.
"""

import asyncio
import itertools
import time
from dataclasses import dataclass, field

from encbench.api.kinds import CAMPAIGN
from tests.bench.scale import inputs
from tests.bench.scale.api import Api

EVERY = 2.0
"""Seconds from one to the next."""
PATIENCE = 30.0
MARK = {"scale.encbench.io/probe": "true"}


@dataclass
class Probes:
    """Run until cancelled; `seconds` are the times from creation to write."""

    api: Api
    seconds: list[float] = field(default_factory=list)
    _awaited: dict[str, asyncio.Future[float]] = field(default_factory=dict)

    async def run(self) -> None:
        """Probe."""
        watch = asyncio.create_task(self._follow())
        try:
            for number in itertools.count():
                await asyncio.sleep(EVERY)
                await self._probe(f"probe-{number:05d}")
        finally:
            watch.cancel()

    async def _probe(self, name: str) -> None:
        self._awaited[name] = asyncio.get_running_loop().create_future()
        spec = {
            "matrix": [{"instanceRefs": ["none"], "modeRefs": ["none"], "workloadRefs": ["none"]}],
            "baselineModeRef": "none",
        }
        meta = {"name": name, "namespace": inputs.SPACE, "labels": MARK}
        began = time.monotonic()
        await self.api.create(CAMPAIGN, {"metadata": meta, "spec": spec})
        try:
            self.seconds.append(await asyncio.wait_for(self._awaited[name], PATIENCE) - began)
        except TimeoutError:
            self.seconds.append(PATIENCE)
        await self.api.delete(CAMPAIGN, inputs.SPACE, name)

    async def _follow(self) -> None:
        while True:
            async for _, body in self.api.changes(CAMPAIGN, inputs.SPACE, MARK):
                waiting = self._awaited.get(body["metadata"]["name"])
                if body.get("status") and waiting is not None and not waiting.done():
                    waiting.set_result(time.monotonic())
