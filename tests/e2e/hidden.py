"""What an installation and a campaign keep secret, and a search for it wherever it must not be.

A campaign that is over takes its Secrets and pods along, so they are kept while it runs. One look
takes two calls of kubectl, because the CPU of looking is missing where it is measured. Nothing of
the operator's code is used here.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.bucket import Bucket
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, Kube

HIDDEN = {
    "agent-password",
    "agent-tls.key",
    "agent-token",
    "ca.key",
    "client.key",
    "keyfile",
    "password",
    "recorder-tls.key",
    "recorder-token",
    "secret-key",
    "tls.key",
}
"""Entries of Secrets that have to stay hidden; `keyfile` has MariaDB's key of TDE."""
OTHER = {
    "access-key",
    "agent-tls.crt",
    "ca.crt",
    "client.crt",
    "init.sql",
    "recorder-tls.crt",
    "sidecars-ca.crt",
    "sysbench.conf",
    "tls.crt",
    "username",
}
"""The others: no secrets, and two files around the passwords above."""
KINDS = (
    "campaigns,testbeds,trials,overheadreports,encryptionmodes,instancetemplates,workloads,"
    "pods,jobs,statefulsets,services,configmaps,persistentvolumeclaims,events"
)
INSTALLATION = "app.kubernetes.io/name=encbench"
EVERY = 4.0
"""Seconds between two looks."""
SHORTEST = 16
"""Characters of a line that is searched for."""


@dataclass
class Hidden:
    """Secrets, and the pods and logs in which they must not be."""

    kube: Kube
    campaign: str
    entries: dict[str, set[bytes]] = field(default_factory=dict)
    """Values by the name of their entry."""
    pods: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By name, as they were last seen."""
    lines: set[str] = field(default_factory=set)
    """Of all containers' logs, each after `[pod/<name>/<container>]`."""
    _looked: float = 0.0

    def keep(self, selector: str) -> None:
        """Keep what there is now with these labels."""
        for body in self.kube.list("secrets,pods", NAMESPACE, selector):
            if body["kind"] == "Pod":
                self.pods[body["metadata"]["name"]] = body
                continue
            for name, value in (body.get("data") or {}).items():
                self.entries.setdefault(name, set()).add(base64.b64decode(value))
        # Of a container that waits there is no log to read.
        with suppress(CommandFailed):
            text = self.kube.kubectl(
                *("logs", f"--namespace={NAMESPACE}", f"--selector={selector}", "--tail=-1"),
                *("--all-containers", "--prefix", "--ignore-errors"),
            )
            self.lines.update(text.splitlines())

    def until(self, over: Callable[[], Any]) -> Callable[[], Any]:
        """A condition to wait for, with a look at what the campaign has now and then."""

        def looking() -> Any:
            if time.monotonic() - self._looked >= EVERY:
                self._looked = time.monotonic()
                self.keep(f"encbench.io/campaign={self.campaign}")
            return over()

        return looking

    def places(self, store: Bucket, prefix: str) -> Iterator[tuple[str, bytes]]:
        """All that none of it may be in, with the name of each."""
        for name, body in self.pods.items():
            yield f"pod {name}", json.dumps(body).encode()
        logs: dict[str, list[str]] = {}
        for line in self.lines:
            logs.setdefault(line.partition(" ")[0], []).append(line)
        for container, lines in logs.items():
            yield f"the log of {container}", "\n".join(lines).encode()
        for body in self.kube.list(KINDS, NAMESPACE):
            yield f"{body['kind']} {body['metadata']['name']}", json.dumps(body).encode()
        for key in store.keys(prefix):
            yield f"object {key}", store.get(key)

    def leaks(self, places: Iterable[tuple[str, bytes]]) -> list[str]:
        """Which entries are where."""
        wanted = {
            entry: [shape for value in self.entries.get(entry, ()) for shape in shapes(value)]
            for entry in sorted(HIDDEN)
        }
        return [
            f"{entry} in {name}"
            for name, content in places
            for entry, own in wanted.items()
            if any(shape in content for shape in own)
        ]


def shapes(value: bytes) -> list[bytes]:
    """What could slip out of a value: each of its long lines, and all of it in base64."""
    parts = re.split(rb"[\n;]", value)  # A key file numbers its keys: `1;<key>`.
    lines = [one for one in parts if len(one) >= SHORTEST and not one.startswith(b"-----")]
    # Its last digit depends on what follows the value.
    return [*lines, base64.b64encode(value.strip()).rstrip(b"=")[:-1]]
