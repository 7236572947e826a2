"""The metrics for Prometheus, read at the scrape so that value and timestamp match."""

import time
from collections.abc import Callable, Iterator

from encbench.sidecars.agent.process import Reading
from encbench.sidecars.exposition import Metric

Read = Callable[[], Reading | None]


def metrics(read: Read, proxy: Read | None = None, volume: Read | None = None) -> Iterator[Metric]:
    """The server's processes, the proxy, and our own. What does not run has no series.

    `proxy` reads the confidential proxy, which is counted apart from the server; `volume` a file
    system beneath the server, whose CPU is part of the server's series and has a limit of its own.
    """
    server, beside = read(), proxy() if proxy else None
    if server is not None:
        yield from _server(server)
    beneath = volume() if volume else None
    if beneath is not None:
        words, cpu = "CPU time of the file system.", beneath.cpu_seconds
        yield Metric("encbench_volume_cpu_seconds_total", "counter", words, cpu)
        yield from _periods("volume", beneath)
    if beside is not None:
        cpu, memory = beside.cpu_seconds, beside.resident_bytes
        yield Metric("encbench_proxy_cpu_seconds_total", "counter", "CPU time of the proxy.", cpu)
        yield Metric("encbench_proxy_resident_bytes", "gauge", "Memory of the proxy.", memory)
        yield from _periods("proxy", beside)
    # A clock that is never set: it shows where Prometheus' own was set between two scrapes.
    uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
    yield Metric("encbench_agent_uptime_seconds", "gauge", "Since the node's start.", uptime)
    own = time.process_time()
    yield Metric("encbench_agent_cpu_seconds_total", "counter", "CPU time of the agent.", own)


def _server(reading: Reading) -> Iterator[Metric]:
    counters = (
        ("cpu_seconds", "CPU time of the server's processes.", reading.cpu_seconds),
        ("read_bytes", "Bytes that they read from storage.", reading.read_bytes),
        ("write_bytes", "Bytes written to storage, or to be.", reading.write_bytes),
    )
    for name, words, value in counters:
        if value is not None:
            yield Metric(f"encbench_database_{name}_total", "counter", words, value)
    gauges = (
        ("resident_bytes", "Memory of its processes, shared parts once.", reading.resident_bytes),
        ("start_time_seconds", "Start of the server, Unix time.", reading.started_at),
    )
    for name, words, value in gauges:
        yield Metric(f"encbench_database_{name}", "gauge", words, value)
    yield from _periods("database", reading)


def _periods(part: str, reading: Reading) -> Iterator[Metric]:
    if reading.periods is None:
        return
    ran, throttled = reading.periods
    words = "Periods of the CPU limit in which the container ran."
    yield Metric(f"encbench_{part}_limit_periods_total", "counter", words, ran)
    words = "Those of them in which the limit held it up."
    yield Metric(f"encbench_{part}_throttled_periods_total", "counter", words, throttled)
