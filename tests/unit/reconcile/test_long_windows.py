"""Windows of hours, and of many databases: what is asked of Prometheus, kept and judged."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from encbench.api.trial import Window
from encbench.core.artefact import decode, encode
from encbench.core.records import ClientFacts, MetricsRecord
from encbench.ports import Series
from encbench.reconcile.trial import gather, series, windowed
from encbench.reconcile.trial.series import MetricsPlace
from tests.support.fake_metrics import FakeMetrics

START = 1_000_000.0
HOUR = 3600.0
PLACE = MetricsPlace(
    namespace="ns",
    campaign="study",
    testbed="bed-0",
    node="n0.zone-a",
    limit=2.0,
    server_limit=2.0,
    clients=(ClientFacts(node="n0.zone-a", cpu_cores=0.2),),
)
CORES = {"database": 0.01, "agent": 0.002, "recorder": 0.003, "client": 0.1}


@dataclass
class Steady(FakeMetrics):
    """A Prometheus of counters that rise evenly and are scraped each second."""

    rates: dict[tuple[tuple[str, str], ...], float] = field(default_factory=dict)
    span: tuple[float, float] = (0.0, math.inf)
    """From when until when it has samples."""
    given: list[tuple[str, list[Mapping[str, str]], int]] = field(default_factory=list)
    """Of each answer its selector, its series' labels, and how many samples it had."""

    def rises(self, name: str, rate: float, **labels: str) -> None:
        self.add(name, labels, [(0.0, 0.0)])
        self.rates[tuple(sorted({"__name__": name, **labels}.items()))] = rate

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        start, end = max(start, self.span[0]), min(end, self.span[1])
        seconds = [float(at) for at in range(math.ceil(start), math.floor(end) + 1)]
        found = []
        for one in await super().raw(selector, 0.0, 0.0):
            rate = self.rates[tuple(sorted(one.labels.items()))]
            found.append(Series(one.labels, tuple((at, rate * (at - START)) for at in seconds)))
        labels = [one.labels for one in found]
        self.given.append((selector, labels, len(found) * len(seconds)))
        return found


def scraped(testbeds: int, node_of: Mapping[int, str], *, clients: int = 0) -> Steady:
    """Databases, of which the first one is measured, with their sidecars; and the trial's node.

    Each has so many clients, each of these with a recorder, or a recorder alone.
    """
    metrics = Steady()
    for number in range(testbeds):
        labels = {"namespace": "ns", "campaign": "study", "testbed": f"bed-{number}"}
        labels["node"] = node_of.get(number, "n0.zone-a")
        for part, cores in CORES.items():
            used = 0.5 if (part, number) == ("database", 0) else cores
            pods = {"client": clients, "recorder": max(1, clients)}.get(part, 1)
            for pod in range(pods):
                metrics.rises(f"encbench_{part}_cpu_seconds_total", used, pod=str(pod), **labels)
    own = {"namespace": "ns", "campaign": "study", "testbed": "bed-0", "node": "n0.zone-a"}
    periods = ("limit_periods_total", "throttled_periods_total")
    for metric in ("resident_bytes", "read_bytes_total", "write_bytes_total", *periods):
        metrics.rises(f"encbench_database_{metric}", 1024.0, **own)
    metrics.rises("encbench_agent_uptime_seconds", 1.0, **own)
    for cpu in range(8):
        for mode, rate in (("idle", 0.8), ("iowait", 0.0), ("steal", 0.0)):
            name, labels = "node_cpu_seconds_total", {"cpu": str(cpu), "mode": mode}
            metrics.rises(name, rate, node="n0.zone-a", **labels)
    return metrics


async def stored(metrics: Steady, place: MetricsPlace, seconds: float) -> MetricsRecord:
    window = Window(start=START + 0.5, end=START + 0.5 + seconds)
    return decode(MetricsRecord, encode(await series.read(metrics, place, window)), "a record")


def count(record: MetricsRecord) -> int:
    nodes = sum(len(one.samples) + len(one.waiting) for one in record.client_nodes)
    own = sum(len(samples) for samples in record.series.values())
    return own + nodes + sum(len(pod.samples) for pod in record.pods)


async def test_28_hours_of_three_databases_are_few_samples() -> None:
    metrics = scraped(3, {})
    record = await stored(metrics, PLACE, 28 * HOUR)
    assert count(record) < 620 * (7 + 3 + 9)
    assert max(samples for _, _, samples in metrics.given) <= 3 * 8 * 301
    found = windowed.judge(record, PLACE).cpu
    assert found.database is not None
    assert found.database.cores == pytest.approx(0.5)
    assert found.idle is not None
    assert found.idle.testbeds == pytest.approx({"bed-1": 0.01, "bed-2": 0.01})
    (others,) = found.foreign
    assert others.cores == pytest.approx(8 * 0.2 - 0.5 - 2 * 0.01 - 3 * 0.005 - 0.2)


@pytest.mark.parametrize("seconds", [600.0, 24 * HOUR], ids=["whole", "thinned"])
@pytest.mark.parametrize("lost", ["first", "last"])
async def test_a_window_that_lost_its_beginning_or_end_has_no_figures(
    seconds: float, lost: str
) -> None:
    """A Prometheus that was replaced, or full, has none of its earlier samples."""
    metrics, edge = scraped(3, {}), START + 0.5 + (0.8 if lost == "first" else 0.2) * seconds
    metrics.span = (edge, math.inf) if lost == "first" else (0.0, edge)
    found = windowed.judge(await stored(metrics, PLACE, seconds), PLACE)
    assert found.has_database, "so that the trial counts, without them"
    cpu = found.cpu
    assert (cpu.database, cpu.node, cpu.throttled, found.disk) == (None, None, None, None)
    assert (cpu.foreign, cpu.stolen, cpu.spare, cpu.idle) == ((), (), None, None)
    about = f"Prometheus lacks the {lost} {0.8 * seconds:,.0f} s of the window"
    assert cpu.withheld["database"] == cpu.withheld["node"] == about
    assert set(cpu.withheld) == {"database", "node", "foreign", "idle"}


async def test_half_an_hour_of_64_databases_on_one_node_has_few_samples_of_each() -> None:
    place = replace(PLACE, in_turns=True, testbeds=64)
    record = await stored(scraped(64, {}, clients=1), place, 0.5 * HOUR)
    assert len(record.pods) == 4 * 64
    assert count(record) < 620 * (7 + 3 + 4 * 64)
    (others,) = windowed.judge(record, place).cpu.foreign
    assert others.cores == pytest.approx(max(0.0, 8 * 0.2 - 0.5 - 63 * 0.01 - 64 * 0.105))


async def test_no_pod_of_another_node_is_asked_for() -> None:
    """But for the trial's own database, whose labels show whether they can be relied on."""
    place = replace(PLACE, clients=(ClientFacts(node="n1", cpu_cores=0.2),))
    nodes = {1: "n1", 2: "n0xzone-a", 3: "n10", 4: "", 5: "n2"}
    metrics = scraped(6, nodes)
    record = await stored(metrics, place, 60.0)
    given = [labels for _, found, _ in metrics.given for labels in found if "campaign" in labels]
    assert {labels["node"] for labels in given} == {"n0.zone-a", "n1", ""}
    assert {pod.testbed for pod in record.pods} == {"bed-0", "bed-1", "bed-4"}
    of_database = [pod.testbed for pod in record.pods if pod.part == "database"]
    assert sorted(of_database) == ["bed-0", "bed-1", "bed-4"], "each once"
    assert windowed.judge(record, place).restarted == ()


async def test_of_a_trial_without_nodes_only_pods_without_a_label_are_asked_for() -> None:
    metrics = scraped(3, {1: "", 2: "n2"})
    record = await stored(metrics, replace(PLACE, node=None, clients=()), 60.0)
    assert {pod.testbed for pod in record.pods} == {"bed-0", "bed-1"}


async def test_memory_is_kept_at_its_peak() -> None:
    metrics = scraped(1, {})
    record = await stored(metrics, PLACE, 2 * HOUR)
    resident = record.series["database_resident_bytes"]
    inside = [value for at, value in resident if at <= record.window.end]
    assert max(inside) == 1024.0 * (2 * HOUR)
    assert len(resident) < 620


@pytest.mark.parametrize(
    ("testbeds", "seconds", "clients", "nodes", "alone"),
    [
        (1, 60.0, 1, 1, False),
        (32, 60.0, 1, 1, False),
        (4, 0.5 * HOUR, 1, 1, False),
        (4, 0.5 * HOUR, 8, 1, True),
        (32, 0.5 * HOUR, 1, 1, True),
        (1, 28 * HOUR, 1, 1, False),
        (1, 28 * HOUR, 64, 64, True),
    ],
)
async def test_as_many_samples_are_expected_as_come(
    testbeds: int, seconds: float, clients: int, nodes: int, alone: bool
) -> None:
    """So that long blocks and many nodes are read one trial at a time, and all others at once."""
    names = ["n0.zone-a", *(f"n{number}" for number in range(1, nodes))]
    of_clients = tuple(
        ClientFacts(node=names[number % nodes], cpu_cores=0.1) for number in range(clients)
    )
    in_turns = testbeds > 1
    place = replace(PLACE, clients=of_clients, in_turns=in_turns, testbeds=testbeds)
    window = Window(start=START, end=START + seconds)
    assert (series.expected(place, window) > gather.MANY_SAMPLES) is alone
    if nodes == 1 and seconds < HOUR:
        pods = clients if in_turns else 0
        come = count(await stored(scraped(testbeds, {}, clients=pods), place, seconds))
        assert series.expected(place, window) == pytest.approx(come, rel=0.25)
