"""What Prometheus scrapes: read when it asks, so that value and timestamp belong together."""

import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from encbench.sidecars.agent.process import Reading


class ServerCollector(Collector):
    """The server's processes and our own. While there is no server there are no series of it."""

    def __init__(self, read: Callable[[], Reading | None]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """One reading."""
        reading = self._read()
        if reading is not None:
            yield from _server(reading)
        yield CounterMetricFamily(
            "encbench_agent_cpu_seconds", "CPU time of the agent.", value=time.process_time()
        )


def exposition(read: Callable[[], Reading | None]) -> Callable[[], bytes]:
    """A function that gives the metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(ServerCollector(read))
    return lambda: generate_latest(registry)


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
