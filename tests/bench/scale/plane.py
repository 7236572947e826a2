"""What the operator needs around it, as processes of this machine: the API server and the others.

Nothing runs in a container. Only the controllers that a campaign needs are on; a rate limit of
theirs can be the first limit of all, so it is an argument.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from tests.bench.scale import stages
from tests.cluster import binaries
from tests.support import apiserver, daemon
from tests.support.daemon import free_port
from tests.support.minio import running_minio
from tests.support.s3 import S3Server

CONTROLLERS = (
    "job-controller",
    "statefulset-controller",
    "garbage-collector-controller",
    "persistentvolume-binder-controller",
)
FASTEST = 1000.0
"""Requests a second that controllers may send where their limit is not in question."""

_WATCHES = "--feature-gates=WatchList=false"
"""Debian's etcd is too old for watches that begin with a list: KWOK's would end at once."""


@dataclass(frozen=True)
class Plane:
    """How to reach it."""

    kubeconfig: Path
    kubectl: Path
    store: S3Server
    folder: Path
    """For logs, and whatever else goes with it."""


@contextmanager
def running(controller_qps: float = FASTEST) -> Iterator[Plane]:
    """Everything but the operator and the stand-ins; it all ends with the block."""
    kwok = binaries.compiled("kwok") / "kwok"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="encbench-scale-")))
        server = stack.enter_context(apiserver.running(_WATCHES))
        server.install(_definitions())
        config = ("--kubeconfig", str(server.kubeconfig))
        own = ("--leader-elect=false", "--bind-address=127.0.0.1", "--profiling=false")
        limits = (f"--kube-api-qps={controller_qps:g}", f"--kube-api-burst={controller_qps:g}")

        def start(name: str, argv: Sequence[str], ready: str) -> None:
            log = folder / f"{name}.log"
            stack.enter_context(daemon.running(argv, ready=ready, log=log))

        written = folder / "kwok.yaml"
        written.write_text(stages.document())
        healthy = f"http://127.0.0.1:{free_port()}/healthz"
        argv = [str(kwok), *config, "--config", str(written), "--manage-all-nodes"]
        argv += [f"--cidr={stages.ADDRESSES}", f"--server-address={urlsplit(healthy).netloc}"]
        # Heartbeats are not the operator's, and 200 nodes would write 20 of them a second.
        argv += ["--node-lease-duration-seconds=0", "--node-ip=127.0.0.1"]
        start("kwok", argv, healthy)
        for name, more in (
            ("kube-controller-manager", [f"--controllers={','.join(CONTROLLERS)}"]),
            ("kube-scheduler", []),
        ):
            # Their own health is behind certificates of their own making; they start as quickly.
            argv = [str(server.binaries / name), *config, *own, *limits, *more]
            start(name, [*argv, f"--secure-port={free_port()}"], healthy)
        store = stack.enter_context(running_minio(folder / "store"))
        yield Plane(server.kubeconfig, server.binaries / "kubectl", store, folder)


def _definitions() -> list[dict[str, Any]]:
    crds = sorted((apiserver.REPOSITORY / "crds").glob("*.yaml"))
    return [yaml.safe_load(path.read_text()) for path in crds]
