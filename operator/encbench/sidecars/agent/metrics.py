"""The metrics for Prometheus, read at the scrape so that value and timestamp match."""

import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from encbench.sidecars.agent.process import Reading

Read = Callable[[], Reading | None]


def exposition(read: Read, proxy: Read | None = None) -> Callable[[], bytes]:
    """A function that returns the metrics in Prometheus' text format.

    `proxy` reads the confidential proxy, which is counted apart from the server.
    """
    registry = CollectorRegistry()
    registry.register(_Processes(read, proxy))
    return lambda: generate_latest(registry)


class _Processes(Collector):
    """The server's processes, the proxy, and our own. What does not run has no series."""

    def __init__(self, read: Read, proxy: Read | None) -> None:
        self._read, self._proxy = read, proxy

    def collect(self) -> Iterator[Metric]:
        server, proxy = self._read(), self._proxy() if self._proxy else None
        if server is not None:
            yield from _server(server)
        if proxy is not None:
            cpu, memory = proxy.cpu_seconds, proxy.resident_bytes
            yield CounterMetricFamily("encbench_proxy_cpu_seconds", "CPU time of the proxy.", cpu)
            yield GaugeMetricFamily("encbench_proxy_resident_bytes", "Memory of the proxy.", memory)
        # A clock that is never set: it shows where Prometheus' own was set between two scrapes.
        uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
        yield GaugeMetricFamily("encbench_agent_uptime_seconds", "Since the node's start.", uptime)
        own = time.process_time()
        yield CounterMetricFamily("encbench_agent_cpu_seconds", "CPU time of the agent.", own)


def _server(reading: Reading) -> Iterator[Metric]:
    counters = (
        ("cpu_seconds", "CPU time of the server's processes.", reading.cpu_seconds),
        ("read_bytes", "Bytes that they read from storage.", reading.read_bytes),
        ("write_bytes", "Bytes that they wrote to storage.", reading.write_bytes),
    )
    for name, text, value in counters:
        if value is not None:
            yield CounterMetricFamily(f"encbench_database_{name}", text, value)
    gauges = (
        ("resident_bytes", "Memory of its processes, shared parts once.", reading.resident_bytes),
        ("start_time_seconds", "Start of the server, Unix time.", reading.started_at),
    )
    for name, text, value in gauges:
        yield GaugeMetricFamily(f"encbench_database_{name}", text, value)
