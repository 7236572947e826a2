"""The metrics for Prometheus, read at the scrape so that value and timestamp match."""

import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from encbench.sidecars.agent.process import Reading


class ServerCollector(Collector):
    """The server's processes and our own. Without a server there are no series for it."""

    def __init__(
        self, read: Callable[[], Reading | None], proxy: Callable[[], Reading | None] | None = None
    ) -> None:
        self._read = read
        self._proxy = proxy

    def collect(self) -> Iterator[Metric]:
        """One reading."""
        reading = self._read()
        if reading is not None:
            yield from _server(reading)
        beside = self._proxy and self._proxy()
        if beside:
            yield from _proxy(beside)
        yield CounterMetricFamily(
            "encbench_agent_cpu_seconds", "CPU time of the agent.", value=time.process_time()
        )


def exposition(
    read: Callable[[], Reading | None], proxy: Callable[[], Reading | None] | None = None
) -> Callable[[], bytes]:
    """A function that returns the metrics in Prometheus' text format.

    `proxy` reads the confidential proxy, which is counted apart from the server.
    """
    registry = CollectorRegistry()
    registry.register(ServerCollector(read, proxy))
    return lambda: generate_latest(registry)


def _proxy(reading: Reading) -> Iterator[Metric]:
    yield CounterMetricFamily(
        "encbench_proxy_cpu_seconds", "CPU time of the proxy.", value=reading.cpu_seconds
    )
    yield GaugeMetricFamily(
        "encbench_proxy_resident_bytes", "Memory of the proxy.", value=reading.resident_bytes
    )


def _server(reading: Reading) -> Iterator[Metric]:
    counters = (
        ("cpu_seconds", "CPU time of the server's processes.", reading.cpu_seconds),
        ("read_bytes", "Bytes that they read from storage.", reading.read_bytes),
        ("write_bytes", "Bytes that they wrote to storage.", reading.write_bytes),
    )
    for name, text, value in counters:
        if value is not None:
            yield CounterMetricFamily(f"encbench_database_{name}", text, value=value)
    gauges = (
        ("resident_bytes", "Memory of its processes, shared parts once.", reading.resident_bytes),
        ("start_time_seconds", "Start of the server, Unix time.", reading.started_at),
    )
    for name, text, value in gauges:
        yield GaugeMetricFamily(f"encbench_database_{name}", text, value=value)
