"""Caveats about load: what limited TPS, and what clients did."""

from collections import Counter
from collections.abc import Iterator

from encbench.api.overheadreport import Row, Saturation
from encbench.api.workload import WorkloadSpec
from encbench.core.statistics.saturation import CLIENT_NEAR_LIMIT, NODE_NEAR_LIMIT, UNENFORCED
from encbench.report.analysis.caveats.cycle import closed_loop, database_shares
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.words import text
from encbench.text.words import listed, plural

START_SPREAD_MS = 50.0
"""Between the first and the last start of a trial's clients."""
UNEVEN_PERCENT = 90.0
"""Of the mean over a trial's clients, which were all asked for as much."""
THROTTLED_PERCENT = 5.0
"""Of the time in which a client ran."""
EQUAL_WORK_SHARE = 0.7
"""Of the slowest arm's TPS: a rate that every arm can keep up with."""
IDLE_SERVER_PERCENT = 60.0
_BESIDE: tuple[tuple[Saturation, str, str, str], ...] = (
    ("ProxyBound", "proxy", "the proxy's CPU", "columns.resources.cpu"),
    (
        "VolumeBound",
        "file system",
        "the CPU of gocryptfs' container",
        "atRest.volume.gocryptfs.resources.cpu",
    ),
)
"""What it means for TPS, what it is, its CPU in words, and the field that sets the limit."""


def colocation(facts: Facts) -> Iterator[Caveat]:
    """Client and database on one node."""
    count = sum(trial.colocated for trial in facts.counted)
    if count:
        yield serious(
            title="Client and database shared a node",
            text=f"In {plural(count, 'trial')} they competed for the same cores and caches: "
            "encryption that slows the server also frees CPU for the client and the other way "
            "round. Node CPU is of both.",
        )


def busy_client(facts: Facts) -> Iterator[Caveat]:
    """A client that may limit TPS."""
    known = [t.client_cpu_percent or 0 for t in facts.counted]
    busy = [share for share in known if CLIENT_NEAR_LIMIT <= share <= UNENFORCED]
    throttled = [t for t in facts.counted if (t.throttled_percent or 0) > THROTTLED_PERCENT]
    if busy or throttled:
        most = max(known, default=0)
        yield serious(
            title="The client was near its limit",
            text=f"Client CPU reached {text.number(most, 0)} % of its limit; {len(busy)} of "
            f"{plural(len(facts.counted), 'counted trial')} were above "
            f"{text.number(CLIENT_NEAR_LIMIT, 0)} %, {len(throttled)} were throttled for more than "
            f"{text.number(THROTTLED_PERCENT, 0)} % of the time in which they ran. Where the "
            "client limits TPS the cost of encryption is hidden.",
        )


def scattered_start(facts: Facts) -> Iterator[Caveat]:
    """Replicas that did not start together; in turns they do so at each slot's own moment."""
    trials = [trial for trial in facts.counted if not trial.rounds]
    known = [t.start_spread_ms for t in trials if t.start_spread_ms is not None]
    late = [spread for spread in known if spread > START_SPREAD_MS]
    if late:
        yield note(
            title="The clients did not start together",
            text=f"In {len(late)} of {plural(len(known), 'counted trial')} with several clients "
            f"the last one started more than {text.number(START_SPREAD_MS, 0)} ms after the first, "
            f"{text.number(max(late), 0)} ms at most. Only the time in which all of them measured "
            "is a trial's window, but TPS of a client is over its own.",
        )


def uneven_clients(facts: Facts) -> Iterator[Caveat]:
    """A replica that did less than the others."""
    known = [t.slowest_client for t in facts.counted if t.slowest_client is not None]
    slow = [one for one in known if one.percent_of_mean < UNEVEN_PERCENT]
    if slow:
        worst = min(slow, key=lambda one: one.percent_of_mean)
        where = f" on node {worst.node}" if worst.node else ""
        yield note(
            title="One client was slower than the others",
            text=f"In {len(slow)} of {plural(len(known), 'counted trial')} with several clients "
            f"one reached less than {text.number(UNEVEN_PERCENT, 0)} % of their mean; client "
            f"{worst.index}{where} was at {text.number(worst.percent_of_mean, 0)} %. All had as "
            "many threads, so its node or its network may be slower than those of the others.",
        )


def busy_server(facts: Facts) -> Iterator[Caveat]:
    """A saturated server without a fixed rate, whose arms did not do equal work."""
    free = [group for group in facts.groups if not group.pauses]
    limits = ("DatabaseBound", "Both")
    bound = [group for group in free if any(row.saturation in limits for row in group.rows)]
    if bound:
        group = bound[0]
        slowest = min(row.tps for row in group.rows if row.tps is not None)
        such = _rate(facts.resolved.workloads[group.workload], EQUAL_WORK_SHARE * slowest)
        where = ", in a campaign without blocks.interleave" if facts.spec.blocks.interleave else ""
        yield note(
            title="The server was at its CPU limit",
            text=f"In {len(bound)} of {plural(len(facts.groups), 'condition')} TPS is what its CPU "
            "lets through: the loss is that of a server with nothing to spare; it does not predict "
            "latency or CPU at normal load. For the cost at equal work measure a second Workload "
            f"with a fixed rate that every arm keeps up with{such and f', such as {such}'} for "
            f"{group.place}{where}.",
        )


def _rate(workload: WorkloadSpec, tps: float) -> str:
    """The field that offers so many TPS; empty where the tool has none."""
    if workload.tpcc is None:
        return f"load.rate: {max(1, int(tps))}"
    if workload.tpcc.dialect == 5:
        return f"tpcc.limitTxnsPerMin: {max(1, int(60 * tps))}"
    return ""


def busy_beside(facts: Facts) -> Iterator[Caveat]:
    """What has a CPU limit of its own beside the server, and limited TPS."""
    for limit, what, whose, field in _BESIDE:
        names, place = _limited(facts, limit)
        if names:
            yield note(
                title=f"The {what} was at its CPU limit",
                text=f"TPS of {names}, first in {place}, is what {whose} lets through, alone or "
                f"beside another limit: the loss is that of a {what} with so many cores. To "
                f"measure one that has enough, raise {field} of the mode.",
            )


def _limited(facts: Facts, limit: Saturation) -> tuple[str, str]:
    """The arms in which this was near its limit, and their first condition; empty if none."""
    bound = [
        (group, arm) for group in _free(facts) for arm in group.beside if limit in group.beside[arm]
    ]
    if not bound:
        return "", ""
    return listed(sorted({arm for _, arm in bound})), bound[0][0].place


def _free(facts: Facts) -> list[Group]:
    """Nothing limits TPS where every arm kept up with a rate; the other conditions."""
    return [group for group in facts.groups if not group.kept_up]


def _on_full_nodes(facts: Facts) -> list[tuple[Group, Row]]:
    """Rows whose TPS is what a node's CPU lets through, with their conditions."""
    return [
        (group, row)
        for group in _free(facts)
        for row in group.rows
        if row.saturation == "NodeBound"
    ]


def full_node(facts: Facts) -> Iterator[Caveat]:
    """A node without CPU left, where nothing was at a limit of its own."""
    if bound := _on_full_nodes(facts):
        arms = sorted({row.arm for _, row in bound})
        nodes = {
            trial.fullest_node or "a node"
            for trial in facts.counted
            if any(group.has(trial) and trial.arm in group.behind(row) for group, row in bound)
            and (trial.fullest_node_percent or 0) >= NODE_NEAR_LIMIT
        } or {"a node"}
        yield serious(
            title="A node had no CPU left",
            text=f"TPS of {listed(arms)}, first in {bound[0][0].place}, is what the CPU of "
            f"{listed(sorted(nodes))} lets through: at least {text.number(NODE_NEAR_LIMIT, 0)} % "
            "of its cores were used or taken by the hypervisor, though neither server nor client "
            "was at its own limit. Such a TPS shows what else ran on the machine as well as what "
            "encryption costs. Use nodes with more cores, or keep other programs off them.",
        )


def idle_server(facts: Facts) -> Iterator[Caveat]:
    """A server that was never saturated, where no pause of the clients is why."""
    if _on_full_nodes(facts) or any(_limited(facts, limit)[0] for limit, *_ in _BESIDE):
        return  # TPS does not follow latency alone there.
    under_load = closed_loop(facts)
    cpu = [t.database_cpu_percent for t in under_load if t.database_cpu_percent is not None]
    if cpu and max(cpu) < IDLE_SERVER_PERCENT:
        share = max(database_shares(under_load), default=None)
        of_cpu = (
            ""
            if share is None
            else (
                f", of which the database's CPU was at most {text.number(share, 0)} %: no larger "
                "part of the CPU that encryption adds shows in TPS"
            )
        )
        yield note(
            title="The server was never saturated",
            text=f"Its CPU stayed at or below {text.number(max(cpu), 0)} % of the limit. TPS then "
            f"follows latency{of_cpu}. Read CPU per transaction, or measure at a higher "
            "concurrency.",
        )


def cpu_withheld(facts: Facts) -> Iterator[Caveat]:
    """CPU figures that are absent."""
    reasons = [why for trial in facts.counted if (why := trial.cpu_withheld.get("database"))]
    missing = [t for t in facts.counted if t.database_cpu_ms_per_transaction is None]
    if missing:
        why = f", for instance because: {reasons[0]}" if reasons else ""
        yield note(
            title="Server CPU withheld",
            text=f"In {len(missing)} of {plural(len(facts.counted), 'counted trial')} there is no "
            f"CPU of the server{why}. Its blocks are left out of the CPU columns for all arms.",
        )
    reasons = [why for trial in facts.counted if (why := trial.cpu_withheld.get("proxy"))]
    if reasons:
        yield note(
            title="Proxy CPU withheld",
            text=f"In {len(reasons)} of {plural(len(facts.counted), 'counted trial')} there is no "
            f"CPU of the proxy, for instance because: {reasons[0]}. CPU per transaction is that of "
            "server and proxy, so their blocks are left out of it for all arms.",
        )


def errors(facts: Facts) -> Iterator[Caveat]:
    """Errors of the tools, which mean something else in each."""
    by_tool = Counter[str]()
    for trial in facts.counted:
        by_tool[_tool(facts.resolved.workloads[trial.workload])] += trial.errors or 0
    below = "in counted trials; each trial stayed below the workload's limit."
    if count := by_tool["sysbench"]:
        yield note(
            title="Ignored errors",
            text=f"sysbench ignored {plural(count, 'error')} such as deadlocks {below}",
        )
    if count := by_tool["tpcc"]:
        yield note(
            title="Transactions were given up",
            text=f"The TPC-C client gave up {plural(count, 'transaction')} {below} They are in "
            "neither TPS nor latency. A transaction that ended at a later attempt, as after a "
            "deadlock, is not one of them.",
        )
    if count := by_tool["BenchmarkSQL"]:
        yield note(
            title="Transactions ended with an error",
            text=f"BenchmarkSQL reported {plural(count, 'error')} {below}",
        )


def _tool(workload: WorkloadSpec) -> str:
    if workload.tpcc is None:
        return "sysbench"
    return "tpcc" if workload.tpcc.benchmarksql is None else "BenchmarkSQL"
