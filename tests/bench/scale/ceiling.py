"""What this API server, its controllers and KWOK carry without the operator.

Each trial's objects are created, changed and deleted as the operator does it, with the same content
and as many requests, by a client that decides nothing. So no operator can be faster here.
"""

import asyncio
import copy
import itertools
import time
from dataclasses import dataclass, field

from encbench.api.kinds import JOB, NAMESPACE, POD, TRIAL
from encbench.kube import labels
from tests.bench.scale.api import Api, Body
from tests.bench.scale.recording import Script

SPACE = "ceiling"
AT_ONCE = 48
"""Trials under way."""
PATIENCE = 120.0


@dataclass
class Ceiling:
    """A replay; `ends` are the times at which its trials were over."""

    api: Api
    script: Script
    hosts: list[str]
    """Nodes, round and round."""
    ends: list[float] = field(default_factory=list)
    _running: dict[str, asyncio.Future[Body]] = field(default_factory=dict)
    _complete: dict[str, asyncio.Future[Body]] = field(default_factory=dict)

    async def measure(self, trials: int) -> list[float]:
        """Replay so many; the times of their ends."""
        await self.api.create(NAMESPACE, {"metadata": {"name": SPACE}})
        watches = [asyncio.create_task(self._pods()), asyncio.create_task(self._jobs())]
        numbers = itertools.count()

        async def work() -> None:
            while (number := next(numbers)) < trials:
                await self._replay(f"r{number:05d}", self.hosts[number % len(self.hosts)])
                self.ends.append(time.time())

        try:
            await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        finally:
            for task in watches:
                task.cancel()
        return self.ends

    async def _replay(self, name: str, host: str) -> None:
        api, loop = self.api, asyncio.get_running_loop()
        self._running[name], self._complete[name] = loop.create_future(), loop.create_future()
        trial = await api.create(TRIAL, _named(self.script.trial, name))
        job = _named(self.script.job, name)
        template = job["spec"]["template"]
        template["spec"]["nodeSelector"] = {"kubernetes.io/hostname": host}
        template["spec"].pop("affinity", None)
        template["metadata"]["labels"][labels.TRIAL] = name
        await api.create(JOB, job)
        pod = await asyncio.wait_for(self._running[name], PATIENCE)
        *statuses, last = self.script.statuses
        for status in statuses:
            trial = await api.put_status(TRIAL, {**trial, "status": status})
        await api.patch(POD, SPACE, pod["metadata"]["name"], {"status": _over(pod)}, "status")
        await asyncio.wait_for(self._complete[name], PATIENCE)
        await api.put_status(TRIAL, {**trial, "status": last})
        await api.delete(JOB, SPACE, name)
        await api.patch(TRIAL, SPACE, name, {"metadata": {"labels": {labels.ACTIVE: None}}})

    async def _pods(self) -> None:
        while True:
            async for kind, pod in self.api.changes(POD, SPACE):
                name = pod["metadata"]["labels"].get(labels.TRIAL, "")
                if kind != "DELETED" and (pod.get("status") or {}).get("phase") == "Running":
                    _tell(self._running.get(name), pod)

    async def _jobs(self) -> None:
        while True:
            async for _, job in self.api.changes(JOB, SPACE):
                facts = (job.get("status") or {}).get("conditions") or []
                if any(fact["type"] == "Complete" and fact["status"] == "True" for fact in facts):
                    _tell(self._complete.get(job["metadata"]["name"]), job)


def _tell(waiting: "asyncio.Future[Body] | None", body: Body) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(body)


def _named(body: Body, name: str) -> Body:
    made = copy.deepcopy(body)
    made["metadata"] |= {"name": name, "namespace": SPACE}
    return made


def _over(pod: Body) -> Body:
    ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    found = [
        {**was, "ready": False, "started": False, "state": ended}
        for was in pod["status"]["containerStatuses"]
    ]
    return {"phase": "Succeeded", "containerStatuses": found}
