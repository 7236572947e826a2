"""Caveats about TPC-C: what its figures mean, and what its data may have become."""

from collections.abc import Iterator
from operator import itemgetter

from encbench.api.tpcc import TERMINALS_PER_WAREHOUSE, Statements
from encbench.api.workload import WorkloadSpec
from encbench.core.terminals import REMOTE, short_levels, worked_on
from encbench.engines.postgresql.stock_level import MANY_ORDERS, plan_changes
from encbench.report.analysis.caveats.facts import Facts, measured_seconds, note, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

SKIPPED_PERCENT = 1.0
"""Of the districts that Deliveries came to, above which TPC-C wants it reported."""
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


def queue_of_terminals(facts: Facts) -> Iterator[Caveat]:
    """Latencies of BenchmarkSQL 6 whose terminals wait for connections rather than think."""
    names = set[str]()
    for group in facts.groups:
        workload = facts.resolved.workloads[group.workload]
        tpcc = workload.tpcc
        if tpcc is None or tpcc.dialect != 6 or tpcc.paced:
            continue
        has_latency = any(row.latency_average_ms is not None for row in group.rows)
        terminals = TERMINALS_PER_WAREHOUSE * tpcc.warehouses * workload.client.replicas
        if has_latency and group.concurrency < terminals:
            names.add(group.workload)
    if names:
        yield note(
            title="Latency of a queue",
            text=f"{listed(sorted(names))} ran without think times, and each of BenchmarkSQL 6's "
            f"{TERMINALS_PER_WAREHOUSE} terminals a warehouse waits for one of the fewer "
            "connections. Its latency has that wait, so it is about the number of terminals "
            "divided by TPS and repeats what TPS says. Read TPS and CPU per transaction, or use "
            "encbench's own client, whose latency begins with the first statement.",
        )


def few_terminals(facts: Facts) -> Iterator[Caveat]:
    """Conditions in which warehouses have no terminal, so that levels differ in their data."""
    found, several = [], False
    for name, own in sorted(facts.levels.items()):
        tpcc = facts.resolved.workloads[name].tpcc
        if tpcc and (said := short_levels(tpcc, own)):
            found.append(f"{name}: {said}")
            several |= len(own) > 1
    if found:
        differ = (
            " Levels of concurrency therefore differ in their working set as well, and a loss that "
            "changes between them may come from either."
        )
        yield note(
            title="Warehouses without a terminal",
            text=f"{'; '.join(found)}. A terminal stays with its warehouse, and {REMOTE} alone "
            f"reach the others.{differ if several else ''} With terminalWarehouseFixed: false "
            "every level works on all warehouses.",
        )


def skipped_deliveries(facts: Facts) -> Iterator[Caveat]:
    """Deliveries that found no order, which TPC-C has reported above 1 % (clause 2.7.4.2)."""
    known = [t.skipped_percent for t in facts.counted if t.skipped_percent is not None]
    many = [share for share in known if share > SKIPPED_PERCENT]
    if many:
        yield serious(
            title="Deliveries found no order",
            text=f"In {len(many)} of {plural(len(known), 'counted trial')} more than "
            f"{text.number(SKIPPED_PERCENT, 0)} % of the districts of all Deliveries had no order "
            f"left, {text.number(max(many), 1)} % at most. A district without one is skipped, so "
            "such a Delivery costs little, and an arm whose orders end before another's looks "
            "cheaper. Write a delivery of at most 9.9 % of newOrder in tpcc.mix.",
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
            "BenchmarkSQL does, but for the stock and the lines of a New-Order, which are a batch "
            "each. An application with fewer and larger round trips pays less for a proxy, a "
            "driver or TLS.",
        )
    if "lean" in by_kind:
        yield note(
            title="Lean statements",
            text=f"{listed(by_kind['lean'])} sent as few round trips as the database allows, where "
            "BenchmarkSQL 6 has about 19 with 86 result cells a transaction, and 5.0 some 360 "
            "cells more. Proxy, driver and TLS cost less here than in a study with BenchmarkSQL, "
            "and the two are not to be laid beside each other: write tpcc.statements: benchmarksql "
            "for that.",
        )


def many_orders(facts: Facts) -> Iterator[Caveat]:
    """TPC-C on PostgreSQL whose orders piled up until Stock-Level may have another plan."""
    piled: dict[str, float] = {}
    for trial in facts.trials if facts.spec.reset == "none" else ():
        workload = facts.resolved.workloads[trial.workload]
        if workload.tpcc and plan_changes(facts.resolved.instances[trial.instance], workload):
            orders = _new_orders(trial, workload) / worked_on(workload.tpcc, trial.concurrency)
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
            "each warehouse with terminals, which has 30,000 when it is loaded. With several "
            "hundred thousand, PostgreSQL may plan Stock-Level anew and read all of the stock for "
            f"it, and an arm that gets there before another looks dearer. {advice}",
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
