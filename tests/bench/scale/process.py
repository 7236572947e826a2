"""The operator as a process of its own, with the arguments that the chart gives it."""

import re
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.bench.scale import inputs
from tests.bench.scale.plane import Plane
from tests.support import chart, daemon
from tests.support.daemon import free_port

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
READING = ("GET",)
ENDED = ("succeeded", "invalid", "failed")


@dataclass(frozen=True)
class Operator:
    """A running one."""

    pid: int
    metrics: str
    """URL."""

    def requests(self) -> tuple[float, float]:
        """Reads and writes of the API server so far; watches and leases are not among them.

        Watches are kopf's, and leases are renewed by the clock.
        """
        found = {True: 0.0, False: 0.0}
        for own, value in self._samples("encbench_api_requests_total"):
            if own["resource"] != "leases":
                found[own["method"] in READING] += value
        return found[True], found[False]

    def finished(self, campaign: str) -> float:
        """Trials of a campaign that are over, as the operator knows since its start."""
        return sum(
            value
            for own, value in self._samples("encbench_campaign_trials")
            if own["campaign"] == campaign and own["state"] in ENDED
        )

    def _samples(self, metric: str) -> Iterator[tuple[dict[str, str], float]]:
        with urllib.request.urlopen(self.metrics, timeout=30) as answer:  # noqa: S310 - loopback
            text = answer.read().decode()
        for name, labels, value in _SAMPLE.findall(text):
            if name == metric:
                yield dict(_LABEL.findall(labels)), float(value)


@contextmanager
def running(plane: Plane, prometheus: str, log: Path) -> Iterator[Operator]:
    """Ready when the block begins, killed when it ends."""
    health, metrics = free_port(), free_port()
    own = {
        "--namespace": inputs.SPACE,
        "--s3-endpoint": plane.store.url,
        "--s3-credentials-dir": str(plane.store.credentials),
        "--prometheus-url": prometheus,
        "--liveness": f"http://127.0.0.1:{health}/healthz",
        "--metrics-port": str(metrics),
        "--release-namespace": "",
        "--lease-namespace": inputs.SPACE,
        # One after the other, as processes of one pod, which do not wait for each other's Lease.
        "--pod": "bench",
    }
    argv = [sys.executable, "-m", "encbench", *arguments(own)]
    ready = f"http://127.0.0.1:{health}/healthz"
    env = {"KUBECONFIG": str(plane.kubeconfig), "OPENBLAS_NUM_THREADS": "1"}
    with daemon.running(argv, ready=ready, log=log, env=env) as process:
        yield Operator(process.pid, f"http://127.0.0.1:{metrics}/metrics")


def arguments(own: dict[str, str]) -> list[str]:
    """The chart's, but for what is elsewhere on this machine."""
    kept = [one for one in _of_the_chart() if one.partition("=")[0] not in own]
    return [*kept, *(f"{name}={value}" for name, value in own.items())]


@cache
def _of_the_chart() -> Sequence[str]:
    manifest = chart.render().one("Deployment", "operator")
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    found: list[str] = container["args"]
    return found
