"""Caveats about load: what limited TPS, and who else used the machines."""

from collections import Counter
from collections.abc import Iterator, Sequence

from encbench.api.overheadreport import Saturation
from encbench.api.workload import WorkloadSpec
from encbench.core.statistics.saturation import CLIENT_NEAR_LIMIT, UNENFORCED
from encbench.report.analysis.caveats.cycle import closed_loop, database_shares
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.analysis.dmcrypt import on_dm_crypt
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

FOREIGN_PERCENT = 10.0
"""Of a node's cores: how much others may use before readers should know."""
IDLE_PERCENT = 2.0
"""Of one instance's CPU: how much the idle databases together may use."""
START_SPREAD_MS = 50.0
"""Between the first and the last start of a trial's clients."""
UNEVEN_PERCENT = 90.0
"""Of the mean over a trial's clients, which were all asked for as much."""
STOLEN_PERCENT = 2.0
"""Of a node's cores: how much the hypervisor may take."""
THROTTLED_PERCENT = 5.0
"""Of the time in which a client ran."""
STALLED_PERCENT = 1.0
"""The same where a rate is offered and latency lacks what fell due meanwhile. Linux throttles for
up to 100 ms at a time, so that this share of transactions, each late by half of that on average, is
0.5 ms of the average at most and just reaches the 99th percentile."""
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


def stalled_client(facts: Facts) -> Iterator[Caveat]:
    """A client that stood still while transactions fell due, at a rate.

    sysbench takes the time of a transaction when it puts it into its queue, which it does late
    after a stall. Without a rate nothing is due while the client stands still.
    """
    rates = facts.resolved.workloads
    at_rate = [t for t in facts.counted if rates[t.workload].load.rate is not None]
    stalled = [most for t in at_rate if (most := t.throttled_percent or 0) > STALLED_PERCENT]
    if stalled:
        yield serious(
            title="Latency leaves out the client's own stalls",
            text=f"In {len(stalled)} of {plural(len(at_rate), 'counted trial')} at a load.rate the "
            f"client's CPU limit held it back for more than {text.number(STALLED_PERCENT, 0)} % of "
            f"the time, {text.number(max(stalled), 1)} % at most. Transactions that fell due "
            "meanwhile waited, and that wait is in no latency: average and tail are too low, more "
            "so in an arm whose client works harder. Give client.resources.cpu more.",
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
    """The arms in which this was near its limit, and their first condition; empty if none.

    Nothing limits TPS where every arm kept up with a rate.
    """
    free = [group for group in facts.groups if not group.kept_up]
    bound = [(group, arm) for group in free for arm in group.beside if limit in group.beside[arm]]
    if not bound:
        return "", ""
    return listed(sorted({arm for _, arm in bound})), bound[0][0].place


def idle_server(facts: Facts) -> Iterator[Caveat]:
    """A server that was never saturated, where no pause of the clients is why."""
    if any(_limited(facts, limit)[0] for limit, *_ in _BESIDE):
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


def fixed_rate(facts: Facts) -> Iterator[Caveat]:
    """TPS that only shows the offered rate."""
    offered = [group for group in facts.groups if group.offered_tps is not None]
    fixed = [group for group in offered if group.primary != "recovery"]
    behind = [group for group in fixed if group.kept_up is False]
    told = fixed if behind else [group for group in fixed if group.kept_up]
    if not told:
        return
    names = listed(sorted({group.workload for group in told}))
    if behind:
        yield serious(
            title="An arm fell behind the offered rate",
            text=f"A fixed rate was offered, so TPS of {names} cannot exceed it, whatever the "
            f"mode costs. In {len(behind)} of {plural(len(fixed), 'such condition')} an arm did "
            f"not keep up, first in {behind[0].place}: latency there {_late(facts, behind[0])}."
            f"{_why_behind(behind)} Offer less.",
        )
    else:
        yield note(
            title="A fixed rate was offered",
            text=f"Every arm kept up with it, so that TPS of {names} is the same by design: the "
            "cost at equal work is CPU per transaction, and latency.",
        )


def _late(facts: Facts, group: Group) -> str:
    """What latency is where a rate was too high: only TPC-C counts from the actual start."""
    is_tpcc = facts.resolved.workloads[group.workload].tpcc is not None
    if is_tpcc:
        return "leaves out the wait for a late start"
    return "is that of a queue, and has no verdict"


def paced(facts: Facts) -> Iterator[Caveat]:
    """TPS that keying and think times decide, as long as no CPU does."""
    found = [group for group in facts.groups if group.paced]
    if not found:
        return
    free = ("Neither", "NotMeasured", None)
    full = [group for group in found if any(row.saturation not in free for row in group.rows)]
    names = listed(sorted({group.workload for group in found}))
    if full:
        yield serious(
            title="A paced load met a CPU limit",
            text=f"Keying and think times pace {names}, so TPS has no verdict. In {len(full)} of "
            f"{plural(len(found), 'such condition')} a CPU was near its limit, first in "
            f"{full[0].place}: TPS there may be what that CPU lets through, and latency that of a "
            "queue. Write a larger thinkTimeMultiplier.",
        )
    else:
        yield note(
            title="Think times paced the load",
            text=f"Keying and think times decide TPS of {names}, which would hardly change "
            "whatever the mode costs, so it has no verdict. The cost is CPU per transaction, and "
            "latency.",
        )


def _why_behind(behind: Sequence[Group]) -> str:
    """What TPS does not show, and what it does; each in a sentence."""
    said, arms = "", sorted({arm for group in behind for arm in group.queued})
    if arms:
        said = (
            f" Transactions of {listed(arms)} waited in the client when a window began or ended: "
            "the warm-up had left a backlog, which a longer load.warmup works off, or the queue "
            "grew."
        )
    unequal = any(group.equal_work is False for group in behind)
    return f"{said} The work was not equal." if unequal else said


def foreign_load(facts: Facts) -> Iterator[Caveat]:
    """Other programs on the nodes."""
    counted = [t for t in facts.counted if not t.foreign_with_dm_crypt]
    known = [t for t in counted if t.foreign_cpu_percent is not None]
    much = [t for t in known if (t.foreign_cpu_percent or 0) > FOREIGN_PERCENT]
    if much:
        most = max(t.foreign_cpu_percent or 0 for t in much)
        arms = _in_turns_on_dm_crypt(facts, much)
        threads = f", or dm-crypt's threads of {listed(arms)} in the same windows," if arms else ""
        limit = facts.spec.limits.foreign_cpu
        yield serious(
            title="Something else used the nodes",
            text=f"In {len(much)} of {plural(len(known), 'counted trial')} programs outside the "
            f"campaign{threads} took more than {text.number(FOREIGN_PERCENT, 0)} % of a node's "
            f"cores, {text.number(most, 0)} % at most; above {text.margin(limit)} a trial is "
            "Invalid (limits.foreignCpu). Such load widens intervals, and may hit one arm by "
            "chance.",
        )


def _in_turns_on_dm_crypt(facts: Facts, trials: Sequence[TrialView]) -> list[str]:
    """Arms whose kernel threads the windows of these trials of other arms include."""
    cells = {trial.cell for trial in trials if trial.rounds}
    crypt = [t for t in facts.counted if t.foreign_with_dm_crypt and t.cell in cells]
    return sorted({trial.arm for trial in crypt})


def kernel_encryption(facts: Facts) -> Iterator[Caveat]:
    """CPU of dm-crypt, which no pod's includes."""
    modes, arms = facts.resolved.modes, set[str]()
    for group in facts.groups:
        if group.primary != "recovery":
            counted = [trial for trial in facts.counted if group.has(trial)]
            arms.update(on_dm_crypt(group.arms, modes, counted))
    title, beside = "dm-crypt encrypted outside the pods", _beside_dm_crypt(facts)
    if arms:
        yield serious(
            title=title,
            text=f"The data of {listed(sorted(arms))} lay on dm-crypt, which encrypts in kernel "
            "threads. They are in no pod, so CPU per transaction leaves the cipher out: it may "
            "show a cost of the mode, but never that there is none. Node CPU includes the threads. "
            f"{beside}".rstrip(),
        )
    elif beside:
        yield note(title=title, text=beside)


def _beside_dm_crypt(facts: Facts) -> str:
    """What no pod used on the nodes of such databases, in sentences; empty where it is little."""
    crypt = [t for t in facts.counted if t.foreign_with_dm_crypt]
    much = [share for t in crypt if (share := t.foreign_cpu_percent or 0) > FOREIGN_PERCENT]
    if not much:
        return ""
    return (
        f"In {len(much)} of {plural(len(crypt), 'counted trial')} on dm-crypt what no pod of the "
        f"campaign used was more than {text.number(FOREIGN_PERCENT, 0)} % of the node's cores, "
        f"{text.number(max(much), 0)} % at most. Other programs are not known apart from its "
        "threads, so limits.foreignCpu was not applied there."
    )


def stolen(facts: Facts) -> Iterator[Caveat]:
    """Cores that the hypervisor gave to other machines."""
    known = [t.stolen_cpu_percent for t in facts.counted if t.stolen_cpu_percent is not None]
    much = [share for share in known if share > STOLEN_PERCENT]
    if much:
        yield note(
            title="The hypervisor took CPU",
            text=f"In {len(much)} of {plural(len(known), 'counted trial')} it gave more than "
            f"{text.number(STOLEN_PERCENT, 0)} % of a node's cores to other virtual machines "
            f"(steal), {text.number(max(much), 0)} % at most. No limit makes such a trial Invalid: "
            "it widens intervals, and may hit one arm by chance.",
        )


def foreign_unknown(facts: Facts) -> Iterator[Caveat]:
    """Nodes without metrics about other programs."""
    count = sum(t.foreign_cpu_percent is None for t in facts.counted)
    if not count:
        return
    title = "Load from outside was not measured"
    said = (
        f"In {count} of {plural(len(facts.counted), 'counted trial')} Prometheus lacked what is "
        "needed to tell how busy the nodes were with anything else: trials that were disturbed may "
        "be among the valid ones."
    )
    blind = [group for group in facts.groups if _unguarded(facts, group)]
    if blind:
        yield serious(
            title=title,
            text=f"{said} So limits.foreignCpu was without effect in {len(blind)} of "
            f"{plural(len(facts.groups), 'condition')}, first in {blind[0].place}. Have Prometheus "
            "scrape a node-exporter on each node every second, with the label node, and agents and "
            "recorders with the labels in docs/install.md.",
        )
    else:
        yield note(title=title, text=said)


def _unguarded(facts: Facts, group: Group) -> bool:
    """Whether `limits.foreignCpu`, which could be held, was held against no trial of a condition.

    Of an external database nothing else is known.
    """
    if group.instance in facts.external:
        return False
    known = [t.foreign_cpu_percent is not None for t in facts.counted if group.has(t)]
    return facts.spec.limits.foreign_cpu < 1 and bool(known) and not any(known)


def not_idle(facts: Facts) -> Iterator[Caveat]:
    """Databases that did something while another was measured."""
    busy = [t for t in facts.counted if (t.idle_cpu_percent or 0) > IDLE_PERCENT]
    if busy:
        most = max(t.idle_cpu_percent or 0 for t in busy)
        yield note(
            title="Idle databases were not quite idle",
            text=f"In {len(busy)} of {plural(len(facts.counted), 'counted trial')} the other "
            f"databases used up to {text.number(most, 0)} % of one instance's CPU, with purging or "
            "flushing left over from their own trials. A longer warm-up lets them finish.",
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
