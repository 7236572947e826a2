"""What is read of Prometheus for one window, where pods came and went around it."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from encbench.api.trial import Window
from encbench.core.artefact import decode, encode
from encbench.core.records import ClientFacts, MetricsRecord, NodeIdle, PodCpu, TrialCpu
from encbench.ports import Rejected, Series
from encbench.reconcile.trial import series, windowed
from encbench.reconcile.trial.series import MetricsPlace
from tests.support.fake_metrics import FakeMetrics

WINDOW = Window(start=1000.0, end=1060.0)
PLACE = MetricsPlace(
    namespace="ns", campaign="study", testbed="bed", node=None, limit=1.0, server_limit=1.0
)
OWN = {"namespace": "ns", "campaign": "study", "testbed": "bed"}


def counter(rate: float, start: float, end: float) -> list[tuple[float, float]]:
    count = round(end - start)
    return [(start + second, rate * second) for second in range(count + 1)]


def add(metrics: FakeMetrics, metric: str, rate: float, span: tuple[float, float], ip: str) -> None:
    metrics.add(metric, {**OWN, "instance": ip}, counter(rate, *span))


METRICS = {
    "encbench_database_cpu_seconds_total": 0.5,
    "encbench_database_read_bytes_total": 4096.0,
    "encbench_database_write_bytes_total": 1024.0,
}


def scraped(*pods: tuple[str, float, float]) -> FakeMetrics:
    """Each pod's counters, from its first sample to its last."""
    metrics = FakeMetrics()
    for ip, start, end in pods:
        for metric, rate in METRICS.items():
            add(metrics, metric, rate, (start, end), ip)
    return metrics


PODS: list[tuple[str, list[tuple[str, float, float]], bool]] = [
    ("one server", [("10.0.0.1", 900.0, 1100.0)], True),
    ("one before it", [("10.0.0.1", 900.0, 997.0), ("10.0.0.2", 998.0, 1100.0)], True),
    ("one after it", [("10.0.0.1", 900.0, 1061.0), ("10.0.0.2", 1063.0, 1100.0)], True),
    ("two in it", [("10.0.0.1", 900.0, 1030.0), ("10.0.0.2", 1033.0, 1100.0)], False),
    ("none in it", [("10.0.0.1", 900.0, 997.0)], False),
]


@pytest.mark.parametrize(("what", "pods", "known"), PODS, ids=[row[0] for row in PODS])
async def test_a_window_belongs_to_one_server(what: str, pods: Any, known: bool) -> None:
    record = await series.read(scraped(*pods), PLACE, WINDOW)
    found = windowed.judge(record, PLACE)
    assert found.has_database is known
    assert (found.cpu.database is not None) is known
    assert (found.disk is not None) is known


async def test_of_one_server_that_two_jobs_scrape_it_is_known_how_many_series_there_are() -> None:
    metrics = scraped(("10.0.0.1", 900.0, 1100.0))
    for metric, rate in METRICS.items():
        labels = {**OWN, "instance": "10.0.0.1", "job": "another"}
        metrics.add(metric, labels, counter(rate, 900.0, 1100.0))
    record = decode(MetricsRecord, encode(await series.read(metrics, PLACE, WINDOW)), "a record")
    found = windowed.judge(record, PLACE)
    assert not found.has_database
    assert found.several("database") == 2
    assert found.several("proxy") == 0
    assert found.cpu.withheld["database"] == "Prometheus has 2 such series instead of one"


async def test_what_it_read_and_wrote() -> None:
    record = await series.read(scraped(("10.0.0.1", 900.0, 1100.0)), PLACE, WINDOW)
    disk = windowed.judge(record, PLACE).disk
    assert disk is not None
    assert disk.read_bytes_per_second == pytest.approx(4096.0)
    assert disk.write_bytes_per_second == pytest.approx(1024.0)


async def test_io_that_the_kernel_does_not_show_is_not_known() -> None:
    metrics = FakeMetrics()
    add(metrics, "encbench_database_cpu_seconds_total", 0.5, (900.0, 1100.0), "10.0.0.1")
    add(metrics, "encbench_database_read_bytes_total", 1.0, (900.0, 1100.0), "10.0.0.1")
    found = windowed.judge(await series.read(metrics, PLACE, WINDOW), PLACE)
    assert found.cpu.database is not None
    assert found.disk is None


async def test_what_a_cpu_limit_held_up() -> None:
    metrics = scraped(("10.0.0.1", 900.0, 1100.0))
    assert windowed.judge(await series.read(metrics, PLACE, WINDOW), PLACE).cpu.throttled is None
    for name, rate in {"limit": 10.0, "throttled": 2.5}.items():
        metric = f"encbench_database_{name}_periods_total"
        add(metrics, metric, rate, (900.0, 1100.0), "10.0.0.1")
    found = windowed.judge(await series.read(metrics, PLACE, WINDOW), PLACE).cpu
    assert found.throttled is not None
    assert found.throttled["database"] == pytest.approx(0.25)


async def test_bursts_are_no_reason_to_withhold_io() -> None:
    metrics = FakeMetrics()
    burst = [(900.0 + second, 0.0 if second < 130 else 1e9) for second in range(201)]
    for name in ("read", "write"):
        metrics.add(f"encbench_database_{name}_bytes_total", OWN, burst)
    disk = windowed.judge(await series.read(metrics, PLACE, WINDOW), PLACE).disk
    assert disk is not None
    assert disk.read_bytes_per_second == pytest.approx(1e9 / 60)


async def test_a_file_system_with_little_to_do_is_as_exact_as_its_server() -> None:
    """What it does now and then is a small part of what both use, and its error is as well."""
    for busy, known in ((0.01, True), (2.0, False)):
        metrics = scraped(("10.0.0.1", 900.0, 1100.0))
        now_and_then = [(902.0 + 5 * n, busy * (n // 2)) for n in range(40)]
        metrics.add("encbench_volume_cpu_seconds_total", OWN, now_and_then)
        place = replace(PLACE, volume_limit=1.0)
        found = windowed.judge(await series.read(metrics, place, WINDOW), place).cpu
        assert found.database is not None
        assert (found.volume is not None) is known, found.withheld


async def test_a_file_system_of_which_two_samples_say_nothing_is_said_to_be_unknown() -> None:
    """An infinite error of a part that used nothing is no number at all."""
    metrics = scraped(("10.0.0.1", 900.0, 1100.0))
    metrics.add("encbench_volume_cpu_seconds_total", OWN, [(1010.0, 0.0), (1050.0, 0.0)])
    place = replace(PLACE, volume_limit=1.0)
    found = windowed.judge(await series.read(metrics, place, WINDOW), place).cpu
    assert found.volume is None
    assert found.withheld["volume"] == "alignment error inf% is above 2%"


async def test_the_peak_of_a_proxy_s_memory_may_lie_where_no_samples_are() -> None:
    for missing, peak in (((0, 0), 960), ((120, 124), 960), ((110, 150), None)):
        metrics = scraped(("10.0.0.1", 900.0, 1100.0))
        seconds = [n for n in range(200) if not missing[0] <= n < missing[1]]
        for name, rate in (("cpu_seconds_total", 0.1), ("resident_bytes", 6.0)):
            samples = [(900.0 + n, rate * n) for n in seconds]
            metrics.add(f"encbench_proxy_{name}", OWN, samples)
        place = replace(PLACE, proxy_limit=1.0)
        found = windowed.judge(await series.read(metrics, place, WINDOW), place).cpu.proxy
        assert found is not None
        assert found.cores == pytest.approx(0.1)
        assert found.memory_max_bytes == peak


def with_a_step(seconds: float, at: float) -> FakeMetrics:
    """A minute of half a core, as a Prometheus records it whose clock is set at that moment.

    It refuses samples that are older than its last one, until its clock is past that again.
    """
    metrics, last = FakeMetrics(), 0.0
    for second in range(100):
        true = 980.0 + second
        told = true if true < at else true + seconds
        if told <= last:
            continue
        last = told
        for metric, rate in METRICS.items():
            metrics.add(metric, OWN, [(told, rate * second)])
        metrics.add(series.UPTIME_SERIES["agent_uptime_seconds"], OWN, [(told, second)])
    return metrics


@pytest.mark.parametrize("seconds", [-300.0, -30.0, -5.0, -2.0, 0.0, 2.0, 5.0, 30.0, 300.0])
@pytest.mark.parametrize("at", [970.0, 1002.0, 1030.0, 1055.0, 1070.0])
async def test_a_clock_that_is_set_gives_right_figures_or_none(seconds: float, at: float) -> None:
    if at < 980:
        seconds = 0.0  # before everything: the adapter's part
    found = windowed.judge(await series.read(with_a_step(seconds, at), PLACE, WINDOW), PLACE)
    if found.cpu.database is not None:
        assert found.cpu.database.cores == pytest.approx(0.5, rel=windowed.MAX_ALIGNMENT_ERROR)
    elif found.has_database:
        assert found.cpu.withheld["database"]
    inside = WINDOW.start < at < WINDOW.end and abs(seconds) in (2.0, 5.0)
    kept = found.cpu.database is not None
    assert not (kept and inside), "a step within the window is seen"
    if not seconds:
        assert kept, "an ordinary window is not withheld"


async def test_a_late_agent_is_no_step() -> None:
    """A busy agent reads its clock some tenths of a second after the time of the sample."""
    metrics = with_a_step(0.0, 0.0)
    late = [(980.0 + n, n + (0.8 if n == 20 else 0.0)) for n in range(100)]
    for metric in series.UPTIME_SERIES.values():
        metrics.add(metric, OWN, late)
    found = windowed.judge(await series.read(metrics, PLACE, WINDOW), PLACE)
    assert found.cpu.database is not None


def exporter(metrics: FakeMetrics, cores: float, span: tuple[float, float], **labels: str) -> None:
    """A node's two CPUs, as one exporter shows them."""
    for cpu in ("0", "1"):
        for mode, rate in (("idle", cores / 2), ("iowait", 0.0), ("steal", 0.0)):
            all_labels = {"node": "n1", "cpu": cpu, "mode": mode, **labels}
            metrics.add("node_cpu_seconds_total", all_labels, counter(rate, *span))


async def test_one_of_several_exporters_of_a_node_is_enough() -> None:
    metrics = FakeMetrics()
    exporter(metrics, 1.5, (900.0, 1100.0), job="ours")
    exporter(metrics, 1.5, (900.33, 1100.33), job="another release's")
    exporter(metrics, 1.5, (900.0, 960.0), job="ours", pod="before it")
    record = await series.read(metrics, replace(PLACE, node="n1"), WINDOW)
    assert record.node_cores == 2
    idle = record.series["node_idle_seconds"]
    assert len(idle) >= 60
    assert (idle[-1][1] - idle[0][1]) / (idle[-1][0] - idle[0][0]) == pytest.approx(1.5)


async def test_nodes_of_one_name_have_no_figures() -> None:
    """A view of several clusters has them: the node's CPU may be that of another machine."""
    metrics = scraped(("10.0.0.1", 900.0, 1100.0))
    exporter(metrics, 1.5, (900.0, 1100.0), cluster="a")
    exporter(metrics, 1.5, (900.0, 1100.0), cluster="b")
    labels = {"node": "n1", "cpu": "2", "cluster": "b"}
    for mode in ("idle", "iowait", "steal"):
        metrics.add("node_cpu_seconds_total", {**labels, "mode": mode}, counter(0.5, 900.0, 1100.0))
    there = replace(PLACE, node="n1")
    found = judged(await series.read(metrics, there, WINDOW), there)
    assert (found.node, found.foreign, found.stolen) == (None, (), ())
    for of in ("node", "foreign"):
        assert "exporters of node n1 differ in the CPUs" in found.withheld[of]
    assert found.database is not None

    client = ClientFacts(node="n1", cpu_cores=0.1)
    elsewhere = replace(PLACE, node="n2", clients=(client,))
    exporter(metrics, 1.5, (900.0, 1100.0), node="n2")
    found = judged(await series.read(metrics, elsewhere, WINDOW), elsewhere)
    assert found.node is not None
    assert "exporters of node n1 differ in the CPUs" in found.withheld["foreign"]


@pytest.mark.parametrize(
    ("labels", "known"),
    [({"node": "n1"}, True), ({}, False), ({"node": "10.0.0.7:9470"}, False)],
    ids=["labelled", "unlabelled", "labelled-otherwise"],
)
async def test_a_database_without_its_node_is_not_foreign_to_itself(
    labels: dict[str, str], known: bool
) -> None:
    """As in a user's own Prometheus without that relabelling."""
    metrics = FakeMetrics()
    exporter(metrics, 1.4, (900.0, 1100.0))
    of_database = counter(0.5, 900.0, 1100.0)
    metrics.add("encbench_database_cpu_seconds_total", {**OWN, **labels}, of_database)
    place = replace(PLACE, node="n1", clients=(ClientFacts(node="n1", cpu_cores=0.1),))
    found = judged(await series.read(metrics, place, WINDOW), place)
    if known:
        (others,) = found.foreign
        assert others.cores == pytest.approx(0.0, abs=1e-9)
    else:
        assert found.foreign == ()
        assert "lack the label node with n1 in it" in found.withheld["foreign"]


@pytest.mark.parametrize("node", ["n1", "n2"])
def test_a_node_whose_stolen_time_counts_as_ours_has_no_figure_of_others(node: str) -> None:
    """The database seems to use 1.5 of n1's one busy core; n2 has a client alone."""

    def used(cores: float) -> Any:
        return counter(cores, 900.0, 1100.0)

    record = MetricsRecord(
        window=WINDOW,
        series={"node_idle_seconds": used(2.4), "node_stolen_seconds": used(0.6)},
        node_cores=4.0,
        pods=(PodCpu(part="database", testbed="bed", node="n1", samples=used(1.5)),),
        client_nodes=(NodeIdle(node="n2", cores=2.0, samples=used(1.2)),) if node == "n2" else (),
    )
    place = replace(PLACE, node="n1", clients=(ClientFacts(node=node, cpu_cores=0.5),))
    found = judged(record, place)
    spare = {one.node: one.cores for one in found.spare or ()}
    assert spare == pytest.approx({"n1": 2.4} | ({"n2": 1.2} if node == "n2" else {}))
    if node == "n1":
        assert found.foreign == ()
        assert "its kernel adds to theirs" in found.withheld["foreign"]
    else:
        assert [(one.node, round(one.cores, 6)) for one in found.foreign] == [("n2", 0.3)]
        assert "foreign" not in found.withheld


async def test_what_is_no_count_of_one_cpu_is_not_read() -> None:
    metrics = FakeMetrics()
    metrics.add(
        "node_cpu_seconds_total", {"node": "n1", "mode": "idle"}, counter(1.5, 900.0, 1100.0)
    )
    there = replace(PLACE, node="n1")
    found = judged(await series.read(metrics, there, WINDOW), there)
    assert found.withheld["node"] == "Prometheus has no such series"


def judged(record: MetricsRecord, place: MetricsPlace) -> TrialCpu:
    """What its figures are, after it was stored."""
    return windowed.judge(decode(MetricsRecord, encode(record), "a record"), place).cpu


async def test_what_is_uncertain_is_the_busy_cores_not_the_idle_ones() -> None:
    """A full node is idle in bursts; one that is hardly used is idle very evenly."""
    window, samples = Window(start=1000.0, end=1060.0), [1000.5 + second for second in range(60)]
    for idle, known in (
        # 0.17 of 4 cores on average, by more than twice as much: 0.16 % of 3.83.
        ([1.0 if second % 6 == 0 else 0.0 for second in range(60)], True),
        # 62 of 64 cores, by one: 0.03 % of them, and 0.8 % of the two that are busy.
        ([63.0 if second % 2 else 61.0 for second in range(60)], True),
        # 62 of 64 cores, by 13: 0.4 % of them, and 14 % of the two that are busy.
        ([63.99 if second % 30 else 10.0 for second in range(60)], False),
    ):
        cores = 4 if max(idle) <= 4 else 64
        metrics = FakeMetrics()
        for cpu in range(cores):
            total, values = 0.0, []
            for at, amount in zip(samples, idle, strict=True):
                values.append((at, total / cores))
                total += amount
            labels = {"node": "n1", "cpu": str(cpu), "mode": "idle"}
            metrics.add("node_cpu_seconds_total", labels, values)
        place = replace(PLACE, node="n1")
        found = windowed.judge(await series.read(metrics, place, window), place).cpu
        assert (found.node is not None) is known, found.withheld


async def test_of_idle_databases_only_those_on_its_nodes_are_said_to_lack() -> None:
    metrics, other = FakeMetrics(), {**OWN, "testbed": "bed-elsewhere", "node": "n2"}
    name = "encbench_database_cpu_seconds_total"
    metrics.add(name, other, counter(0.5, 900.0, 1100.0))
    place = replace(PLACE, node="n1")
    found = judged(await series.read(metrics, place, WINDOW), place)
    assert found.idle is None
    lacks = "Prometheus lacks the CPU of the campaign's databases on the trial's nodes"
    assert found.withheld["idle"] == lacks


class Bounded(FakeMetrics):
    """A Prometheus whose answers may have so many samples."""

    most = 4000

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        found = await super().raw(selector, start, end)
        if sum(len(one.samples) for one in found) > self.most:
            raise Rejected("more than so many samples")
        return found


async def test_hours_on_a_large_node_are_asked_for_in_pieces() -> None:
    """Two CPUs in three modes have 1,800 samples in five minutes, and 43,000 in two hours."""
    metrics, window = Bounded(), Window(start=1000.0, end=8200.0)
    exporter(metrics, 1.5, (900.0, 8300.0), job="ours")
    record = await series.read(metrics, replace(PLACE, node="n1"), window)
    idle = record.series["node_idle_seconds"]
    assert (idle[0][0], idle[-1][0]) == (995.0, 8205.0)
    assert len(idle) == pytest.approx(600, abs=10)
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(idle)]
    assert all(seconds > 0 for seconds, _ in steps), "each once, in order"
    assert [cores for _, cores in steps] == pytest.approx([1.5 * seconds for seconds, _ in steps])
    assert record.node_cores == 2


async def test_a_sum_over_fewer_cpus_is_left_out() -> None:
    """A CPU that goes, or comes, would look like a counter that is set back, or a burst."""
    metrics, window = FakeMetrics(), Window(start=1000.0, end=2000.0)
    exporter(metrics, 1.5, (900.0, 2100.0), job="ours")
    labels = {"node": "n1", "cpu": "2", "job": "ours"}
    for mode in ("idle", "iowait", "steal"):
        metrics.add("node_cpu_seconds_total", {**labels, "mode": mode}, counter(0.5, 900.0, 1500.0))
    record = await series.read(metrics, replace(PLACE, node="n1"), window)
    idle = record.series["node_idle_seconds"]
    assert record.node_cores == 3
    assert idle[0][0] == 995.0
    assert 1400 < idle[-1][0] <= 1500.0
    assert (idle[-1][1] - idle[0][1]) / (idle[-1][0] - idle[0][0]) == pytest.approx(2.0)
