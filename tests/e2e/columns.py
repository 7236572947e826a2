"""What the tests of column encryption share: modes, a listener on the wire, a search for the key.

The listener and the look at processes are for our own cluster, whose pods run on this machine.
Nothing of the operator's code is used here.
"""

import base64
import contextlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e import manifests
from tests.e2e.bucket import Bucket
from tests.support.install import NAMESPACE, is_own
from tests.support.kube import CommandFailed, Kube
from tests.support.tap import tap

MAGIC = b"\x00ENC\x02"
"""How every encrypted value begins, with its version."""
SERVER, PROXY = 3306, 3307
ALGORITHMS = {"AES_128_GCM": b"\x01", "SM4_128_GCM": b"\x02"}
"""The byte that follows."""
RESOURCES = {"cpu": "150m", "memory": "64Mi"}


def columns(ratio: int, **fields: Any) -> dict[str, Any]:
    """`columns` of a mode with a small proxy."""
    return {"method": "confidential", "ratio": ratio, "resources": RESOURCES, **fields}


def mode(name: str, ratio: int, *, driver: bool = False, **fields: Any) -> dict[str, Any]:
    """A mode behind the proxy."""
    more: dict[str, Any] = {"driver": {"encrypting": {}}} if driver else {}
    return manifests.mode(name, columns=columns(ratio, **fields), **more)


@dataclass
class Heard:
    """What one port of one address sent, connection by connection."""

    parts: dict[tuple[bytes, int], dict[int, bytes]] = field(default_factory=dict)
    """By the other end; payloads by sequence number, so that what is sent again counts once."""
    size: int = 0

    def streams(self) -> list[bytes]:
        """Each connection's bytes in their order."""
        return [b"".join(own[n] for n in sorted(own)) for own in self.parts.values()]

    def count(self, pattern: bytes) -> int:
        """How often a regular expression is found."""
        return sum(len(re.findall(pattern, one)) for one in self.streams())


LIMIT = 8 * 2**20
"""Bytes that are kept of one port of one address."""
_ETHERNET, _IPV4, _TCP = 14, b"\x08\x00", 6


@dataclass(frozen=True)
class Segment:
    """What one frame of TCP bears, and between whom."""

    source: tuple[str, int]
    target: tuple[bytes, int]
    number: int
    payload: bytes

    @classmethod
    def of(cls, frame: bytes) -> "Segment | None":
        """None for a frame of anything else, or one that bears nothing."""
        packet = frame[_ETHERNET:]
        if frame[12:14] != _IPV4 or len(packet) < 40 or packet[9] != _TCP:
            return None
        head = 4 * (packet[0] & 15)
        segment = packet[head : int.from_bytes(packet[2:4], "big") or len(packet)]
        source, target = struct.unpack_from("!HH", segment)
        payload = segment[4 * (segment[12] >> 4) :]
        if not payload:
            return None
        number = int.from_bytes(segment[4:8], "big")
        here, there = (socket.inet_ntoa(packet[12:16]), source), (packet[16:20], target)
        return cls(here, there, number, payload)


class Wire:
    """Listens to what servers and proxies answer; root alone may.

    With `ports`, it listens to what these say, and with `both` also to what they are told.
    """

    def __init__(self, ports: Sequence[int] = (SERVER, PROXY), *, both: bool = False) -> None:
        self.heard: dict[tuple[str, int], Heard] = {}
        self._socket = tap(ports, both=both)
        self._socket.settimeout(0.5)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> "Wire":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(10)
        self._socket.close()

    def of(self, address: str, port: int) -> Heard:
        """What was sent from there."""
        return self.heard.get((address, port), Heard())

    def _listen(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                self.take(self._socket.recv(70_000))

    def take(self, frame: bytes) -> None:
        """One frame: kept when it bears something."""
        found = Segment.of(frame)
        if found is None:
            return
        own = self.heard.setdefault(found.source, Heard())
        stream = own.parts.setdefault(found.target, {})
        if found.number not in stream and own.size < LIMIT:
            own.size += len(found.payload)
            stream[found.number] = found.payload


@dataclass
class Watch:
    """What a campaign shows while it runs: addresses, logs, command lines, keys."""

    kube: Kube
    campaign: str
    addresses: dict[str, set[str]] = field(default_factory=dict)
    """Of the database of each testbed; a start anew may bring another."""
    logs: dict[str, str] = field(default_factory=dict)
    """Of all containers, by pod, as long as it was there."""
    processes: set[bytes] = field(default_factory=set)
    """Command lines and environments of whatever ran on this machine."""
    keys: set[str] = field(default_factory=set)
    """Those of all testbeds, as text; a campaign that is over takes them along."""
    _looked: float = 0.0

    def look(self) -> None:
        """See what there is now; logs and processes every two seconds."""
        if time.monotonic() - self._looked < 2:
            return
        self._looked = time.monotonic()
        self.keys.update(meks(self.kube, self.campaign))
        label = f"encbench.io/campaign={self.campaign}"
        for pod in self.kube.list("pods", NAMESPACE, label):
            name, labels = pod["metadata"]["name"], pod["metadata"]["labels"]
            address = pod.get("status", {}).get("podIP")
            if address and labels.get("app.kubernetes.io/component") == "database":
                self.addresses.setdefault(name.removesuffix("-0"), set()).add(address)
            self._log(name)
        if is_own():
            for place in Path("/proc").glob("[0-9]*"):
                for what in ("cmdline", "environ"):
                    with contextlib.suppress(OSError):
                        self.processes.add((place / what).read_bytes())

    def _log(self, pod: str) -> None:
        # A pod that is gone by now, or a container that waits, has no log to read.
        with contextlib.suppress(CommandFailed):
            found = self.kube.kubectl(
                *("logs", pod, f"--namespace={NAMESPACE}", "--all-containers"),
                "--ignore-errors=true",
            )
            if len(found) >= len(self.logs.get(pod, "")):
                self.logs[pod] = found

    def until(self, over: Callable[[], Any]) -> Callable[[], Any]:
        """A condition to wait for, with a look at each turn."""

        def looking() -> Any:
            self.look()
            return over()

        return looking


def meks(kube: Kube, campaign: str) -> list[str]:
    """The keys of the testbeds that there are now, as text."""
    testbeds = kube.list("testbeds", NAMESPACE, f"encbench.io/campaign={campaign}")
    found = []
    for testbed in testbeds:
        name = f"{testbed['metadata']['name']}-credentials"
        secret = kube.get("secret", name, NAMESPACE)
        if secret is not None and "mek" in secret["data"]:
            found.append(base64.b64decode(secret["data"]["mek"]).decode().strip())
    return found


def shapes(mek: str) -> list[bytes]:
    """Every form in which a key could slip out."""
    raw = bytes.fromhex(mek)
    texts = (mek.lower(), mek.upper(), base64.b64encode(raw).decode().rstrip("="))
    again = base64.b64encode(mek.encode()).decode().rstrip("=")
    return [raw, again.encode(), *(text.encode() for text in texts)]


def places(kube: Kube, watch: Watch, store: Bucket, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Everything in which the key must not be, with the name of each."""
    for pod, text in watch.logs.items():
        yield f"the log of {pod}", text.encode()
    operator = (
        "logs",
        "deployment/encbench-operator",
        f"--namespace={NAMESPACE}",
        "--all-containers",
    )
    yield "the operator's log", kube.kubectl(*operator).encode()
    for process in watch.processes:
        yield f"a process: {process[:60]!r}", process
    kinds = "campaigns,testbeds,trials,overheadreports,encryptionmodes,instancetemplates,workloads"
    more = "pods,jobs,statefulsets,services,configmaps,persistentvolumeclaims,events"
    for kind in (*kinds.split(","), *more.split(",")):
        for body in kube.list(kind, NAMESPACE):
            yield f"{kind} {body['metadata']['name']}", json.dumps(body).encode()
    for key in store.keys(prefix):
        yield f"object {key}", store.get(key)


def leaks(found: Iterator[tuple[str, bytes]], keys: list[str]) -> tuple[list[str], int]:
    """Names of the places that hold a key in any form, and how many places were searched."""
    wanted = [shape for key in keys for shape in shapes(key)]
    bad, count = [], 0
    for name, content in found:
        count += 1
        if any(shape in content for shape in wanted):
            bad.append(name)
    return bad, count
