"""Caveats about TPC-C: what its figures mean, and what its data may have become."""

from collections.abc import Iterator
from operator import itemgetter

from encbench.api.tpcc import Statements
from encbench.api.workload import WorkloadSpec
from encbench.engines.postgresql.stock_level import MANY_ORDERS, plan_changes
from encbench.report.analysis.caveats.facts import Facts, measured_seconds, note, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

WHOLE_MILLISECONDS_MS = 20.0
"""A 95th percentile below which whole milliseconds may change it by a percent or more."""


def no_tpc_result(facts: Facts) -> Iterator[Caveat]:
    """TPC-C's transactions, which are not a TPC-C result."""
    own = {name: it for name, it in facts.resolved.workloads.items() if it.tpcc}
    names = sorted(own)
    if names:
        times = "" if any(it.paced for it in own.values()) else "without its think times, "
        yield note(
            title="Not a TPC result",
            text=f"{listed(names)} {'runs' if len(names) == 1 else 'run'} TPC-C's transactions "
            f"{times}and nothing was audited. TPS is of all five transactions "
            "(tpmTOTAL / 60), not of the New-Orders alone (tpmC / 60), which stand beside it. "
            "Compare the arms with each other.",
        )


def whole_milliseconds(facts: Facts) -> Iterator[Caveat]:
    """Latencies too short for a clock of whole milliseconds."""
    workloads = facts.resolved.workloads
    by_clock = {name for name, it in workloads.items() if it.tpcc and it.tpcc.dialect == 6}
    rows = [row for group in facts.groups if group.workload in by_clock for row in group.rows]
    known = [row.latency_p95_ms for row in rows if row.latency_p95_ms is not None]
    if known and min(known) < WHOLE_MILLISECONDS_MS:
        yield note(
            title="Latency in whole milliseconds",
            text="BenchmarkSQL 6 measures no more of a latency. Percentiles are interpolated as if "
            "latencies were spread evenly over each millisecond, and may be wrong by about 0.2 ms. "
            f"No interval includes that, which is {text.percent(0.2 / min(known))} of the lowest "
            "95th percentile here. Averages are right.",
        )


def statements(facts: Facts) -> Iterator[Caveat]:
    """Which statements ran: what a message or a value costs depends on how many there are."""
    by_kind: dict[Statements, list[str]] = {}
    for name, workload in sorted(facts.resolved.workloads.items()):
        if workload.tpcc is not None:
            by_kind.setdefault(workload.tpcc.sent, []).append(name)
    if "benchmarksql" in by_kind:
        yield note(
            title="Statements as BenchmarkSQL sends them",
            text=f"{listed(by_kind['benchmarksql'])} sent one statement in each round trip, as "
            "BenchmarkSQL does. An application with fewer and larger round trips pays less for a "
            "proxy, a driver or TLS.",
        )
    if "lean" in by_kind:
        yield note(
            title="Lean statements",
            text=f"{listed(by_kind['lean'])} sent as few round trips as the database allows, where "
            "BenchmarkSQL has about 19 with 86 result cells a transaction. Proxy, driver and TLS "
            "cost less here than in a study with BenchmarkSQL, and the two are not to be laid "
            "beside each other: write tpcc.statements: benchmarksql for that.",
        )


def many_orders(facts: Facts) -> Iterator[Caveat]:
    """TPC-C on PostgreSQL whose orders piled up until Stock-Level may have another plan."""
    piled: dict[str, float] = {}
    for trial in facts.trials if facts.spec.reset == "none" else ():
        workload = facts.resolved.workloads[trial.workload]
        if workload.tpcc and plan_changes(facts.resolved.instances[trial.instance], workload):
            orders = _new_orders(trial, workload) / workload.tpcc.warehouses
            piled[trial.testbed] = piled.get(trial.testbed, 0.0) + orders
    testbed, most = max(piled.items(), key=itemgetter(1), default=("", 0.0))
    if most >= MANY_ORDERS:
        # Beside an external database there is no reset.
        fixed = any(one.is_external for one in facts.resolved.instances.values())
        lower = "a lower " if facts.spec.blocks.per_testbed else ""
        advice = (
            f"Write {lower}blocks.perTestbed, after which the data are loaded again."
            if fixed
            else "Write reset: block to restore the data before each block."
        )
        yield serious(
            title="Orders piled up",
            text=f"Testbed {testbed} got about {text.number(round(most, -3), 0)} new orders in "
            "each warehouse, which has 30,000 when it is loaded. With several hundred thousand, "
            "PostgreSQL may plan Stock-Level anew and read all of the stock for it, and an arm "
            f"that gets there before another looks dearer. {advice}",
        )


def _new_orders(trial: TrialView, workload: WorkloadSpec) -> float:
    """About how many a trial made, its warm-up included."""
    seconds = measured_seconds(trial) or 0.0
    return (trial.new_orders_per_second or 0.0) * (workload.load.warmup_seconds + seconds)


def not_checked(facts: Facts) -> Iterator[Caveat]:
    """TPC-C tables that were not checked after a trial."""
    names = {name for name, workload in facts.resolved.workloads.items() if workload.tpcc}
    missing = [t for t in facts.counted if t.workload in names and t.consistent is None]
    if missing:
        yield note(
            title="Consistency not checked",
            text=f"After {plural(len(missing), 'counted trial')} the consistency queries were not "
            "run, because an external database has no agent; they were run after its loading.",
        )
