"""The operator as a process beside a real API server; its object store and Prometheus are away."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support import daemon

REPO = Path(__file__).resolve().parents[2]


@contextmanager
def operator(
    kubeconfig: Path, folder: Path, namespaces: Sequence[str], *more: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The operator, from when it is ready, with its log in the folder; killed in the end."""
    for name in ("access-key", "secret-key"):
        (folder / name).write_text("none-at-all")
    healthy = f"http://127.0.0.1:{daemon.free_port()}/healthz"
    argv = [sys.executable, "-m", "encbench", "--image=none", "--log-format=text"]
    argv += [f"--namespace={name}" for name in namespaces]
    argv += ["--s3-endpoint=http://127.0.0.1:1", f"--s3-credentials-dir={folder}"]
    argv += ["--prometheus-url=http://127.0.0.1:1", f"--liveness={healthy}", *more]
    env = {"KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(REPO / "operator")}
    log = folder / "operator.log"
    with daemon.running(argv, ready=healthy, log=log, env=env) as process:
        yield process
