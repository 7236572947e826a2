"""A report about TPC-C: the published shape, and what a client does not tell is left out."""

import csv
import io
import json
from dataclasses import replace

import pytest

from encbench.api.tpcc import BenchmarkSql
from encbench.report.analysis.build import build
from encbench.report.analysis.caveats import Facts, load, rate, tpcc
from encbench.report.compare.difference import compare
from encbench.report.document import Report
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from encbench.report.formats.render import render
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study, write

TPCC = Study(
    name="tpcc", workloads=("tpcc",), concurrency=(64, 128), blocks=4, seconds=12, tpcc=True
)


def test_tps_stands_beside_new_orders() -> None:
    for row in report_of(TPCC).rows:
        assert row.tps is not None
        assert row.new_orders_per_second == pytest.approx(0.45 * row.tps, rel=1e-4)
        assert (row.qps, row.latency_average_ms, row.latency_p95_ms) == (None, None, None)
        assert row.latency_average_overhead is None


def test_the_client_s_cpu_and_memory_are_in_the_rows() -> None:
    for row in report_of(TPCC).rows:
        assert row.client_cpu_percent is not None
        assert row.client_cpu_cores == pytest.approx(row.client_cpu_percent / 100 * 2, rel=1e-4)
        assert row.client_memory_mib == 96.0
        assert row.client_memory_percent == 37.5


def test_the_tables_have_the_published_shape() -> None:
    text = markdown(report_of(TPCC))
    heads = [line for line in text.splitlines() if line.startswith("| threads")]
    throughput = next(line for line in heads if "TPS: plain" in line)
    assert "| New Orders a second: plain | … tde |" in throughput
    client = next(line for line in heads if "memory, MiB: plain" in line)
    assert "CPU, % of limit: plain" in client
    assert "CPU, cores: plain | … tde |" in client
    assert "memory, % of limit: plain | … tde |" in client
    row = next(line for line in text.splitlines() if line.startswith("| 64 |") and "37.5" in line)
    assert row.count("96.0") == 2


def test_a_figure_that_is_not_there_is_empty_and_not_zero() -> None:
    rendered = render(report_of(TPCC))
    rows = list(csv.DictReader(io.StringIO(rendered["csv"].content.decode())))
    assert {row["qps_geometric_mean"] for row in rows} == {""}
    assert {row["latency_p95_ms_geometric_mean"] for row in rows} == {""}
    assert all(float(row["new_orders_per_second_geometric_mean"]) > 0 for row in rows)
    assert {row["client_memory_mib_per_replica_mean"] for row in rows} == {"96"}
    whole = json.loads(rendered["json"].content)
    assert "latencyAverageMs" not in whole["groups"][0]["rows"][0]
    assert b"<svg" in rendered["html"].content


def test_it_says_that_it_is_no_tpc_result() -> None:
    titles = [caveat.title for caveat in report_of(TPCC).caveats]
    assert "Not a TPC result" in titles
    assert "Consistency not checked" not in titles
    unchecked = Study(**{**vars(TPCC), "checked": False})
    assert "Consistency not checked" in [caveat.title for caveat in report_of(unchecked).caveats]


def test_round_trips_and_cells_stand_beside_tps() -> None:
    counted = report_of(Study(**{**vars(TPCC), "statements": "benchmarksql"}))
    assert {row.round_trips_per_transaction for row in counted.rows} == {19.4}
    assert {row.cells_per_transaction for row in counted.rows} == {85.8}
    text = markdown(counted)
    assert "round trips a transaction: plain" in text
    assert "result cells a transaction: plain | … tde" in text


def test_what_no_client_counted_is_no_column() -> None:
    assert {row.round_trips_per_transaction for row in report_of(TPCC).rows} == {None}
    assert "round trips a transaction:" not in markdown(report_of(TPCC))


@pytest.mark.parametrize(
    ("statements", "title"),
    [
        (None, "Lean statements"),
        ("lean", "Lean statements"),
        ("benchmarksql", "Statements as BenchmarkSQL sends them"),
    ],
)
def test_it_says_which_statements_ran(statements: str | None, title: str) -> None:
    found = report_of(Study(**{**vars(TPCC), "statements": statements}))
    titles = [caveat.title for caveat in found.caveats]
    assert [title] == [one for one in titles if "tatements" in one]


def texts(found: Report, title: str) -> list[str]:
    return [one.text for one in found.caveats if one.title == title]


def test_it_says_where_warehouses_have_no_terminal() -> None:
    title = "Warehouses without a terminal"
    (text,) = texts(report_of(TPCC), title)
    assert text.startswith("tpcc: 64 terminals work on 64 of 100 warehouses. A ")
    assert "differ in their working set" in text
    (one,) = texts(report_of(replace(TPCC, concurrency=(64,))), title)
    assert "differ" not in one
    assert not texts(report_of(replace(TPCC, warehouses=64)), title)
    assert not texts(report_of(Study(concurrency=(4,), blocks=4)), title)


@pytest.mark.parametrize(
    ("skipped", "said"), [(None, False), (0.0, False), (0.01, False), (0.011, True), (1.0, True)]
)
def test_deliveries_that_find_no_order_are_serious(skipped: float | None, said: bool) -> None:
    found = report_of(replace(TPCC, concurrency=(128,), skipped=skipped))
    shares = {trial.skipped_percent for trial in found.trials}
    assert shares == {None if skipped is None else round(100 * skipped, 4)}
    title = "Deliveries found no order"
    assert bool(texts(found, title)) is said
    if said:
        (caveat,) = [one for one in found.caveats if one.title == title]
        assert caveat.weight == "serious"
        assert caveat.text.startswith("In 12 of 12 counted trials more than 1 % of the districts")


def test_which_statements_share_a_round_trip_and_whose_cells_these_are() -> None:
    sent = report_of(replace(TPCC, statements="benchmarksql"))
    (text,) = texts(sent, "Statements as BenchmarkSQL sends them")
    assert "but for the stock and the lines of a New-Order, which are a batch each" in text
    (text,) = texts(report_of(TPCC), "Lean statements")
    assert "BenchmarkSQL 6 has about 19 with 86 result cells" in text


PILED = replace(
    TPCC,
    engine="postgresql",
    warehouses=1,
    concurrency=(10,),
    seconds=600,
    statements="benchmarksql",
)
"""Four windows on each testbed, with some hundred transactions a second."""


def piled(study: Study) -> list[str]:
    return [one.text for one in report_of(study).caveats if one.title == "Orders piled up"]


def test_orders_pile_up_where_terminals_are() -> None:
    """Ten terminals are in ten of a thousand warehouses."""
    few, some = (replace(PILED, seconds=6000, warehouses=count) for count in (1000, 10))
    ((few_orders,), (some_orders,)) = piled(few), piled(some)
    assert "about 360,000 new orders in each warehouse with terminals" in few_orders
    assert "about 356,000 new orders in each warehouse with terminals" in some_orders


def test_orders_that_pile_up_may_change_a_plan() -> None:
    (text,) = piled(PILED)
    whole = report_of(PILED)
    made: dict[str, float] = {}
    for trial in whole.trials:
        assert trial.window is not None
        assert trial.new_orders_per_second is not None
        # The warm-up of 30 s makes orders as well.
        orders = trial.new_orders_per_second * (trial.window.end - trial.window.start + 30)
        made[trial.testbed] = made.get(trial.testbed, 0.0) + orders
    testbed = max(made, key=lambda name: made[name])
    assert f"Testbed {testbed} got about {round(made[testbed], -3):,.0f} new orders" in text
    assert "Write reset: block" in text


@pytest.mark.parametrize(
    "other",
    [
        replace(PILED, reset="block"),
        replace(PILED, warehouses=100),
        replace(PILED, engine="mariadb"),
        replace(PILED, statements="lean"),
    ],
    ids=["reset", "many warehouses", "MariaDB", "lean"],
)
def test_where_no_plan_changes_nothing_is_said_of_it(other: Study) -> None:
    assert piled(other) == []


def test_two_reports_with_different_statements_differ_in_what_was_measured() -> None:
    lean, like = (
        report_of(Study(**{**vars(TPCC), "statements": name})) for name in ("lean", "benchmarksql")
    )
    (found,) = [it for it in compare(lean, like).differences if "statements" in it.name]
    assert (found.topic, found.name) == ("what was measured", "Workload tpcc: tpcc.statements")
    assert (found.a, found.b) == ("lean", "benchmarksql")


def thinking(study: Study, **options: str) -> Report:
    """The same by BenchmarkSQL 6 with these options."""
    index, bucket = write(study)
    changes = {"dialect": 6, "benchmarksql": BenchmarkSql(), "options": options}
    plain = index.resolved.workloads["tpcc"]
    assert plain.tpcc is not None
    workload = plain.model_copy(update={"tpcc": plain.tpcc.model_copy(update=changes)})
    frozen = index.resolved.model_copy(update={"workloads": {"tpcc": workload}})
    return build(index.model_copy(update={"resolved": frozen}), bucket.__getitem__)


@pytest.mark.parametrize(
    ("options", "primary"),
    [
        ({"thinkTimeMultiplier": "0.5"}, "cpuPerTransaction"),
        ({"keyingTimeMultiplier": "1e-1", "thinkTimeMultiplier": "0.0"}, "cpuPerTransaction"),
        ({"keyingTimeMultiplier": "0.0e5", "thinkTimeMultiplier": "0"}, "tps"),
        ({}, "tps"),
    ],
)
def test_think_times_decide_tps(options: dict[str, str], primary: str) -> None:
    found = thinking(replace(TPCC, concurrency=(1,)), **options)
    assert (found.groups[0].primary, found.headlines[0].figure) == (primary, primary)
    paced = primary != "tps"
    text = next(one.text for one in found.caveats if one.title == "Not a TPC result")
    assert ("without its think times" in text) is not paced
    assert ("Think times paced the load" in {one.title for one in found.caveats}) is paced
    assert ("The server was never saturated" in {one.title for one in found.caveats}) is not paced
    assert ("more CPU per transaction under a load that" in found.headlines[0].text) is paced
    assert ("keying and think times pace it" in page(found)) is paced
    assert ("as offered" in markdown(found)) is paced


def test_a_paced_load_may_meet_a_limit_all_the_same() -> None:
    found = thinking(TPCC, thinkTimeMultiplier="0.5")
    (caveat,) = [one for one in found.caveats if one.title == "A paced load met a CPU limit"]
    assert caveat.weight == "serious"
    assert "In 2 of 2 such conditions a CPU was near its limit, first in tpcc at 64" in caveat.text
    assert "The server was at its CPU limit" not in {one.title for one in found.caveats}


@pytest.mark.parametrize(("p95", "said"), [(10.0, True), (25.0, False), (None, False)])
def test_short_latencies_in_whole_milliseconds_are_said(p95: float | None, said: bool) -> None:
    found = thinking(replace(TPCC, concurrency=(1,)))
    rows = [row.model_copy(update={"latency_p95_ms": p95}) for row in found.groups[0].rows]
    groups = [found.groups[0].model_copy(update={"rows": tuple(rows)})]
    facts = Facts(found.spec, found.resolved, groups, (), (), found.provenance, ())
    texts = [one.text for one in tpcc.whole_milliseconds(facts)]
    assert bool(texts) is said
    assert all("which is 2.0 % of the lowest 95th percentile here" in text for text in texts)
    own = replace(facts, resolved=report_of(TPCC).resolved)
    assert not list(tpcc.whole_milliseconds(own)), "encbench's own client counts finer"


def queued(found: Report, latency: float | None, **fields: int) -> Facts:
    """The same with that latency, and of a condition with these fields."""
    group = found.groups[0]
    rows = tuple(row.model_copy(update={"latency_average_ms": latency}) for row in group.rows)
    groups = [group.model_copy(update={"rows": rows, **fields})]
    return Facts(found.spec, found.resolved, groups, (), (), found.provenance, ())


@pytest.mark.parametrize(
    ("options", "latency", "level", "said"),
    [
        ({}, 80.0, 64, True),
        ({}, 80.0, 1000, False),
        ({}, None, 64, False),
        ({"thinkTimeMultiplier": "0.5"}, 80.0, 64, False),
    ],
    ids=["queue", "a connection for each of the terminals", "no latency", "paced"],
)
def test_latency_of_benchmarksql_6_is_that_of_a_queue(
    options: dict[str, str], latency: float | None, level: int, said: bool
) -> None:
    facts = queued(thinking(replace(TPCC, concurrency=(1,)), **options), latency, concurrency=level)
    found = [*tpcc.queue_of_terminals(facts)]
    assert [one.title for one in found] == ["Latency of a queue"] * said
    own = replace(facts, resolved=report_of(TPCC).resolved)
    assert not list(tpcc.queue_of_terminals(own))


@pytest.mark.parametrize("tpcc", [True, False])
def test_only_sysbench_counts_a_late_start_as_latency(tpcc: bool) -> None:
    found = report_of(
        replace(TPCC, concurrency=(1,)) if tpcc else Study(concurrency=(4,), blocks=2)
    )
    changes = {"offered_tps": 500.0, "equal_work": False}
    groups = [group.model_copy(update=changes) for group in found.groups]
    facts = Facts(found.spec, found.resolved, groups, found.trials, (), found.provenance, ())
    (caveat,) = rate.fixed_rate(facts)
    assert ("leaves out the wait for a late start" in caveat.text) is tpcc
    assert ("is that of a queue" in caveat.text) is not tpcc


def failing(found: Report) -> Facts:
    """The same with two errors in each trial."""
    trials = [trial.model_copy(update={"errors": 2}) for trial in found.trials]
    return Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())


def test_what_an_error_is_depends_on_the_tool() -> None:
    own = failing(report_of(replace(TPCC, concurrency=(1,))))
    (given_up,) = load.errors(own)
    assert given_up.title == "Transactions were given up"
    assert "gave up 24 transactions in counted trials" in given_up.text
    assert "They are in neither TPS nor latency." in given_up.text
    (other,) = load.errors(failing(thinking(replace(TPCC, concurrency=(1,)))))
    assert other.text.startswith("BenchmarkSQL reported 24 errors in counted trials")
    (ignored,) = load.errors(failing(report_of(Study(concurrency=(4,), blocks=4))))
    assert ignored.text.startswith("sysbench ignored 24 errors such as deadlocks")
    assert not list(load.errors(replace(own, trials=())))


def test_sysbench_has_no_new_orders() -> None:
    other = report_of(Study(concurrency=(4,), blocks=4, seconds=12))
    assert {row.new_orders_per_second for row in other.rows} == {None}
    assert "New Orders" not in markdown(other)
    assert "Not a TPC result" not in [caveat.title for caveat in other.caveats]
