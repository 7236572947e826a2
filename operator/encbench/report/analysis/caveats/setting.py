"""Caveats about data and machines: how they differ from production."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from encbench.api.tpcc import Statements
from encbench.api.workload import WorkloadSpec
from encbench.core.evidence import MachineFacts, ProvenanceRecord
from encbench.engines.postgresql.stock_level import MANY_ORDERS, plan_changes
from encbench.kube.machines import differences
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

WHOLE_MILLISECONDS_MS = 20.0
"""A 95th percentile below which whole milliseconds may change it by a percent or more."""


def external_database(facts: Facts) -> Iterator[Caveat]:
    """A server that encbench cannot inspect."""
    if facts.external:
        yield serious(
            title="Others run the database",
            text=f"Of {listed(facts.external)} the operator sees what a client's session sees: "
            "encryption in transit is proven where the clients report it, and nothing of its "
            "settings, its files, a restart or other load on it. All arms take turns on one "
            "dataset, so that each finds it as the one before has left it, and unwritten pages of "
            "one trial may be flushed in the next.",
        )
        yield from _silent_clients(facts)


def _silent_clients(facts: Facts) -> Iterator[Caveat]:
    """External databases whose clients do not report what their sessions negotiated."""
    silent = {
        name
        for name, workload in facts.resolved.workloads.items()
        if workload.tpcc is not None and workload.tpcc.benchmarksql is not None
    }
    where = {t.instance for t in facts.trials if t.workload in silent} & {*facts.external}
    if where:
        jars = _own_urls(facts, silent)
        rest = f"; that of {listed(jars)} is driver.jar's own, and was not judged" if jars else ""
        yield serious(
            title="Plaintext in transit not proven",
            text=f"BenchmarkSQL, which drove {listed(sorted(where))}, does not report what its "
            f"sessions negotiated. That they had no TLS follows from its JDBC URL alone{rest}.",
        )


def _own_urls(facts: Facts, silent: set[str]) -> list[str]:
    """Modes whose JDBC URL the user wrote, of external databases under one of these workloads."""
    groups = [g for g in facts.groups if g.workload in silent and g.instance in facts.external]
    used = {arm.mode_ref for group in groups for arm in group.arms}
    drivers = {name: facts.resolved.modes[name].driver for name in used}
    return sorted(name for name, own in drivers.items() if own is not None and own.jar is not None)


def unlike_databases(facts: Facts) -> Iterator[Caveat]:
    """Databases of one comparison on machines of different kinds."""
    found = list(_unlike(facts, lambda record: [record.machine]))
    if found:
        yield serious(
            title="The databases ran on unlike nodes",
            text=f"{_first(found)}. A difference between these arms is one of their machines as "
            "well. Have the scheduler find like nodes for them, by placement.nodeSelector, and set "
            "limits.likeNodes to make such trials Invalid.",
        )


def unlike_clients(facts: Facts) -> Iterator[Caveat]:
    """Clients of one comparison on machines of different kinds."""
    found = list(_unlike(facts, lambda record: list(record.clients)))
    if found:
        yield serious(
            title="The clients ran on unlike nodes",
            text=f"{_first(found)}. A difference between these arms may come from there.",
        )


def beside_databases(facts: Facts) -> Iterator[Caveat]:
    """Clients on the nodes of databases that were not measured, but ran."""
    if facts.spec.residency == "OnDemand":
        return
    sets = _sets(facts.trials, facts.sources)
    found = {
        (client.node, other.testbed)
        for place, beds in sets.items()
        for one in beds
        for client in one.clients
        for around, others in sets.items()
        if _at_once(place, around, facts.spec.parallelism)
        for other in others
        if other.testbed != one.testbed and other.machine.node == client.node != one.machine.node
    }
    if found:
        node, bed = min((node or "", bed) for node, bed in found)
        bounded = (
            ". Add nodes, or keep clients and databases apart by placement.nodeSelector."
            if facts.spec.blocks.interleave
            else ", and limits.idleCpu is all that bounds what they do. With residency: OnDemand "
            "they are stopped."
        )
        yield note(
            title="Clients ran beside other databases",
            text=f"For instance on node {node}, where testbed {bed} has its database, because no "
            "node was free of databases. Those were idle while others were measured, but they "
            f"hold memory there{bounded}",
        )


def _at_once(one: tuple[str, int], other: tuple[str, int], parallelism: int) -> bool:
    """Whether these sets of testbeds, by cell and generation, may run at the same time."""
    return one == other or (parallelism > 1 and one[0] != other[0])


Machines = Callable[[ProvenanceRecord], list[MachineFacts]]


def _unlike(facts: Facts, machines: Machines) -> Iterator[str]:
    """For each testbed that ran on other machines than its set's baseline, how they differ.

    A testbed's replicas are compared with the baseline's in order of their indices.
    """
    for first, *others in _sets(facts.counted_here, facts.sources).values():
        for record in others:
            for one, other in zip(machines(record), machines(first), strict=False):
                unlike = differences(one, other)
                if unlike:
                    yield (
                        f"Node {one.node}, for testbed {record.testbed}, is unlike node "
                        f"{other.node}: {listed(unlike)}"
                    )


def _sets(
    trials: Iterable[TrialView], sources: Iterable[ProvenanceSource]
) -> Mapping[tuple[str, int], Sequence[ProvenanceRecord]]:
    """What these trials ran on, by set of testbeds, the baseline's first.

    Arms are compared within a set, and of a cell there is one set at a time.
    """
    by_uid = {trial.uid: trial for trial in trials}
    found = [
        (trial, source.record)
        for source in sources
        if (trial := next((t for uid, t in by_uid.items() if uid in source.trials), None))
    ]
    beds: dict[tuple[str, int], list[ProvenanceRecord]] = {}
    for trial, record in sorted(found, key=lambda one: one[0].role != "baseline"):
        beds.setdefault((trial.cell, trial.generation), []).append(record)
    return beds


def _first(found: list[str]) -> str:
    more = len(set(found)) - 1
    return found[0] + (f", and {more} more such" if more else "")


def mixed_machines(facts: Facts) -> Iterator[Caveat]:
    """Arms that ran under different conditions."""
    names = ("Server version", "Database node", "Kernel", "CPU")
    mixed = [f.name for f in facts.provenance.facts if f.name in names and len(f.values) > 1]
    if mixed:
        yield note(
            title="Not everything was the same everywhere",
            text=f"There is more than one {listed(map(_common, mixed))}; the provenance says "
            "where. A difference between arms may come from there.",
        )


def _common(name: str) -> str:
    """A fact's name within a sentence; `CPU` stays as it is."""
    return name if name.isupper() else name.lower()


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
    seconds = sum(one.seconds for one in trial.rounds)
    if trial.window is not None and not trial.rounds:
        seconds = trial.window.end - trial.window.start
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
