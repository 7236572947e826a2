"""What the tests of encrypted column types share: manifests, and a search of stopped servers.

Nothing of the operator's code is used here. The search reads the volumes of our own cluster on this
machine, while no pod has them.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e import manifests
from tests.e2e.campaigns import conditions
from tests.support.install import NAMESPACE, is_own
from tests.support.kube import Kube

PLAINTEXT = re.compile(rb"[0-9]{11}(?:-[0-9]{11}){4}")
"""What sysbench writes into c and pad: groups of eleven digits."""
SEALED = bytes.fromhex("ec010102")
"""How an encrypted text begins."""
DEFAULT_BOUNDARY = {"transition": "8us", "value": "1200ns"}
INSTANCE = "postgresql-enclave"


def instance() -> dict[str, Any]:
    """A PostgreSQL with the extension in its image; one runs at a time."""
    return manifests.instance(
        INSTANCE,
        engine="postgresql",
        version="15",
        image="docker.io/encbench/postgresql:15",
        resources={"cpu": "700m", "memory": "256Mi"},
        settings={"shared_buffers": "64MB"},
    )


def mode(name: str, ratio: int, **boundary: str) -> dict[str, Any]:
    """A mode with encrypted types."""
    enclave = {**DEFAULT_BOUNDARY, **boundary}
    return manifests.mode(name, columns={"method": "enclave", "ratio": ratio, "enclave": enclave})


def workload(name: str, script: str, **options: str) -> dict[str, Any]:
    """A short run of one of encbench's own scripts."""
    return manifests.workload(
        name, sysbench={"script": script, "options": options}, load={"duration": "8s"}
    )


@dataclass(frozen=True)
class Contents:
    """What a stopped server's files hold."""

    files: int
    readable: frozenset[str]
    """Files with a text of sysbench's in plaintext, relative to the volume."""
    sealed: frozenset[str]
    """Files with the beginning of an encrypted text."""


@dataclass
class StoppedServers:
    """Searches the volume of each arm while its server is stopped, after its load."""

    kube: Kube
    campaign: str
    found: dict[str, Contents] = field(default_factory=dict)
    """By arm."""

    def look(self) -> None:
        """Search the volumes that no pod has now, each arm's once."""
        if not is_own():
            return
        label = f"encbench.io/campaign={self.campaign}"
        # The pod of a load stays for as long as its testbed, with no volume.
        database = f"{label},app.kubernetes.io/component=database"
        running = {
            pod["metadata"]["labels"]["encbench.io/testbed"]
            for pod in self.kube.list("pods", NAMESPACE, database)
        }
        for testbed in self.kube.list("testbeds", NAMESPACE, label):
            name, arm = testbed["metadata"]["name"], testbed["spec"]["arm"]["name"]
            loaded = conditions(testbed).get("Proven", {}).get("status") == "True"
            if loaded and name not in running and arm not in self.found:
                path = self._volume(name)
                if path is not None:
                    self.found[arm] = searched(path)

    def _volume(self, testbed: str) -> Path | None:
        claim = self.kube.get("persistentvolumeclaim", f"{testbed}-data", NAMESPACE)
        if claim is None or "volumeName" not in claim["spec"]:
            return None
        volume = self.kube.get("persistentvolume", claim["spec"]["volumeName"], NAMESPACE)
        if volume is None:
            return None
        source = volume["spec"].get("hostPath") or volume["spec"]["local"]
        return Path(source["path"])


def searched(volume: Path) -> Contents:
    """Every file of a volume, the write-ahead log included."""
    readable, sealed, count = set(), set(), 0
    for path in volume.rglob("*"):
        if not path.is_file():
            continue
        content, name = path.read_bytes(), path.relative_to(volume).as_posix()
        count += 1
        if PLAINTEXT.search(content):
            readable.add(name)
        if SEALED in content:
            sealed.add(name)
    return Contents(count, frozenset(readable), frozenset(sealed))
