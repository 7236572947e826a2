"""Where everything lies: the checkout, the cache and the state directory.

The cache outlives the cluster and may be shared by several checkouts; the state directory belongs
to one running cluster and ``down`` removes it.
"""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Paths of one checkout, its cache and its cluster."""

    repo: Path
    cache: Path
    state: Path

    @classmethod
    def from_environment(cls) -> "Layout":
        """Read ``ENCBENCH_CACHE``, ``XDG_CACHE_HOME`` and ``ENCBENCH_CLUSTER_STATE``."""
        user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cls(
            repo=Path(__file__).resolve().parents[2],
            cache=Path(os.environ.get("ENCBENCH_CACHE") or user_cache / "encbench").resolve(),
            state=Path(
                os.environ.get("ENCBENCH_CLUSTER_STATE") or "/var/lib/encbench-cluster"
            ).resolve(),
        )

    @property
    def tools(self) -> Path:
        """The Go modules that pin and build the Go parts."""
        return self.repo / "tests" / "cluster" / "tools"

    @property
    def build_logs(self) -> Path:
        return self.cache / "logs"

    @property
    def lock(self) -> Path:
        return self.cache / "cluster.lock"

    @property
    def bin(self) -> Path:
        """Links to the binaries of the running cluster: ``kubectl``, ``helm`` and the daemons."""
        return self.state / "bin"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.state / "kubeconfig"

    @property
    def pki(self) -> Path:
        return self.state / "pki"

    @property
    def config(self) -> Path:
        """Configuration files and kubeconfigs of the daemons."""
        return self.state / "config"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def volumes(self) -> Path:
        """Directories of the volumes that the default StorageClass provisions."""
        return self.state / "volumes"

    @property
    def ready_marker(self) -> Path:
        """Written last by ``up``; holds the fingerprint of what was started."""
        return self.state / "ready"

    @property
    def snapshot(self) -> Path:
        """The machine as it was before the first change."""
        return self.state / "before.json"
