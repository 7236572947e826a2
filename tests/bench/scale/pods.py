"""What runs in the pods that KWOK plays: followed by a watch, and ended when it is over."""

import asyncio
import base64
import json
import re
import ssl
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import POD, SECRET, TESTBED
from encbench.core.naming import credentials_name
from encbench.kube import labels
from encbench.sidecars import certificate
from encbench.wire.recorder import Termination
from encbench.wire.sidecar import CERTIFICATE, KEY, TOKEN, Sidecar, certified_name, entry_name
from tests.bench.scale.api import Api, Body, Refused
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.fake_recorder import FakeClient, FakeRecorder

SIDECARS: tuple[Sidecar, ...] = ("agent", "recorder")
_THREADS = re.compile(r"--threads=(\d+)")


@dataclass
class Bed:
    """A testbed, once its Secret is known."""

    name: str
    campaign: str
    node: str
    tokens: dict[Sidecar, str]
    mode: EncryptionModeSpec


@dataclass
class Client:
    """A trial's client pod."""

    pod: Body
    campaign: str
    testbed: str
    node: str
    threads: int
    since: float
    """Unix time at which it was seen to run."""
    asked: bool = False
    """Whether its recorder was."""


@dataclass
class Pods:
    """All of them; `agent` and `recorder` answer by the pod's address, without a port."""

    api: Api
    namespace: str
    agent: FakeAgent = field(default_factory=FakeAgent)
    recorder: FakeRecorder = field(default_factory=FakeRecorder)
    beds: dict[str, Bed] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    """By address."""
    contexts: dict[str, ssl.SSLContext] = field(default_factory=dict)
    """A sidecar's side of TLS by the name that it is certified for."""
    _uids: dict[str, str] = field(default_factory=dict)
    """Of the pod that has the address."""

    async def follow(self) -> None:
        """Until cancelled."""
        ours = {labels.MANAGED_BY: labels.MANAGER}
        async with asyncio.TaskGroup() as group:
            while True:
                async for kind, pod in self.api.changes(POD, self.namespace, ours):
                    status = pod.get("status") or {}
                    if kind == "DELETED" or pod["metadata"].get("deletionTimestamp"):
                        self._gone(pod)
                    elif status.get("phase") == "Running" and self._is_new(pod):
                        if labels.TRIAL in pod["metadata"]["labels"]:
                            self._client(pod)
                        elif pod["metadata"]["labels"][labels.COMPONENT] == "database":
                            group.create_task(self._database(pod))

    def _is_new(self, pod: Body) -> bool:
        """KWOK gives an address again as soon as its pod has ended."""
        address, uid = pod["status"]["podIP"], pod["metadata"]["uid"]
        if self._uids.get(address) == uid:
            return False
        self._forget(address)
        self._uids[address] = uid
        return True

    async def _database(self, pod: Body) -> None:
        name = pod["metadata"]["labels"][labels.TESTBED]
        secret = await self.api.get(SECRET, self.namespace, credentials_name(name))
        testbed = await self.api.get(TESTBED, self.namespace, name)
        entries = {key: base64.b64decode(text).decode() for key, text in secret["data"].items()}
        for sidecar in SIDECARS:
            own = {file: entries[entry_name(sidecar, file)] for file in (CERTIFICATE, KEY)}
            self.contexts[certified_name(sidecar, name)] = _context(own)
        tokens = {one: entries[entry_name(one, TOKEN)].strip() for one in SIDECARS}
        mode = EncryptionModeSpec.model_validate(testbed["spec"]["mode"])
        campaign = testbed["spec"]["campaignRef"]["name"]
        self.beds[name] = Bed(name, campaign, pod["spec"]["nodeName"], tokens, mode)
        self.agent.servers[pod["status"]["podIP"]] = FakeServer(
            token=tokens["agent"], in_force=mode, started_at=time.time()
        )

    def _client(self, pod: Body) -> None:
        marks, address = pod["metadata"]["labels"], pod["status"]["podIP"]
        bed = self.beds[marks[labels.TESTBED]]
        told = _THREADS.search(json.dumps(pod["spec"]["containers"]))
        assert told is not None, "a client without a number of threads"
        node, threads = pod["spec"]["nodeName"], int(told[1])
        self.clients[address] = Client(
            pod, marks[labels.CAMPAIGN], bed.name, node, threads, time.time()
        )
        client = FakeClient(bed.tokens["recorder"])
        client.wait()
        self.recorder.clients[address] = client

    def _gone(self, pod: Body) -> None:
        address = (pod.get("status") or {}).get("podIP", "")
        if self._uids.get(address) == pod["metadata"]["uid"]:
            self._forget(address)

    def _forget(self, address: str) -> None:
        self._uids.pop(address, None)
        self.clients.pop(address, None)
        self.recorder.clients.pop(address, None)
        self.agent.servers.pop(address, None)

    async def end(self, played: FakeClient) -> None:
        """The client's containers have ended, the recorder's with its message; once at most."""
        found = [at for at, one in self.recorder.clients.items() if one is played]
        if not found or played.away:
            return
        played.away = True
        client = self.clients[found[0]]
        message = Termination(prefix="scale", digests=played.digests)
        meta, ends = client.pod["metadata"], list[Body]()
        for was in client.pod["status"]["containerStatuses"]:
            text = {"message": json.dumps(message)} if was["name"] == "recorder" else {}
            over = {"exitCode": 0, "reason": "Completed", **text}
            ends.append({**was, "ready": False, "started": False, "state": {"terminated": over}})
        status = {"phase": "Succeeded", "containerStatuses": ends}
        try:
            await self.api.patch(POD, self.namespace, meta["name"], {"status": status}, "status")
        except Refused:
            return  # It is gone: the operator deletes the Job of a trial that is over.


def _context(files: dict[str, str]) -> ssl.SSLContext:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        return certificate.context(Path(folder))
