"""Who else used CPU in the window: other programs on the nodes, and databases that were to be idle.

What a node was busy with is known from its idle counters, what is the campaign's own from its pods'
counters and from the clients' summaries, or from their counters where Prometheus was asked for
these; the rest is foreign. It is a coarse figure, because the counters are read at different
moments, and it is held against a coarse bound.

A CPU that waits for a disk is idle, though the kernel counts it apart (iowait): the wait is the
database's own, and an arm with more of it would look disturbed. What the hypervisor takes (steal)
is no use on this node either, and is reported by itself.
"""

from collections.abc import Iterable, Mapping, Sequence

from encbench.core.records import (
    ClientFacts,
    ForeignCpu,
    IdleCpu,
    MetricsRecord,
    NodeIdle,
    NodeShare,
    PodCpu,
    Samples,
    StolenCpu,
    TrialCpu,
)
from encbench.core.window import was_reset, window_rate

STOLEN = 0.02
"""Share of a node's cores that the hypervisor must take before it may explain anything."""
BEYOND = 0.03
"""Share of a node's cores by which our own pods may seem to use more than all that was used,
because counters are read at different moments."""


def nodes(record: MetricsRecord, node: str | None) -> dict[str, NodeIdle]:
    """The counters of every node that the record has: the database's `node`, and the clients'."""
    found = {one.node: one for one in record.client_nodes}
    if node is not None and record.node_cores is not None:
        idle, waiting, stolen = (
            record.series.get(f"node_{name}_seconds", ()) for name in ("idle", "waiting", "stolen")
        )
        found[node] = NodeIdle(
            node=node, cores=record.node_cores, samples=idle, waiting=waiting, stolen=stolen
        )
    return found


def busy(record: MetricsRecord, node: NodeIdle) -> float | None:
    """Cores that something on the node used; None where that is unknown."""
    unused = _rate(record, node.samples)
    if unused is None:
        return None
    others = (_rate(record, samples) or 0.0 for samples in (node.waiting, node.stolen))
    return min(node.cores, max(0.0, node.cores - unused - sum(others)))


def foreign(
    record: MetricsRecord, node: str | None, testbed: str, clients: Sequence[ClientFacts]
) -> tuple[ForeignCpu, ...] | None:
    """For the database's node and each client's; None where one of them is unknown.

    `testbed` is the one that is measured: without its server's CPU nothing is known. A sidecar or
    an idle database without samples counts as foreign: it is a thousandth of a core.
    """
    if not _has(record, testbed):
        return None
    known = nodes(record, node)
    found = []
    for name in dict.fromkeys([node, *(client.node for client in clients)]):
        if name is None or name not in known:
            return None
        used, ours = busy(record, known[name]), _own(record, name, clients)
        if used is None or ours is None:
            return None
        cores = max(0.0, used - ours)
        found.append(ForeignCpu(node=name, cores=cores, node_cores=known[name].cores))
    return tuple(found)


def unlabelled(record: MetricsRecord, node: str | None, testbed: str) -> str | None:
    """Why `foreign` would be wrong of the same arguments; None where nothing says so.

    Without the label `node` the measured server is on no node, and its CPU would be others'.
    """
    for pod in record.pods:
        is_own = (pod.part, pod.testbed) == ("database", testbed)
        if is_own and pod.node != node and _rate(record, pod.samples) is not None:
            return f"the agents' series lack the label node with {node} in it (docs/install.md)"
    return None


def robbed(
    record: MetricsRecord, node: str | None, clients: Sequence[ClientFacts]
) -> Mapping[str, str]:
    """The nodes of which `foreign` may be too small, each with the reason.

    A kernel that counts stolen time as CPU of the process that waits adds it to our pods' alone,
    which hides as much of others'.
    """
    known, found = nodes(record, node), dict[str, str]()
    for one in stolen(record, known):
        used, ours = busy(record, known[one.node]), _own(record, one.node, clients)
        if one.fraction <= STOLEN or used is None or ours is None:
            continue
        if ours - used > BEYOND * one.node_cores:
            found[one.node] = (
                f"our own pods seem to have used {ours:.2f} of node {one.node}'s {used:.2f} busy "
                "cores: its kernel adds to theirs what the hypervisor took"
            )
    return found


def with_dm_crypt(cpu: TrialCpu, node: str | None) -> TrialCpu:
    """The same of a database on that node whose cipher, dm-crypt or another, may be in its kernel.

    What others used there is not known apart from such a cipher, which is a cost of the mode.
    """
    found = tuple(
        one.model_copy(update={"with_dm_crypt": True}) if one.node == node else one
        for one in cpu.foreign
    )
    return cpu.model_copy(update={"foreign": found})


def stolen(record: MetricsRecord, known: Mapping[str, NodeIdle]) -> tuple[StolenCpu, ...]:
    """Of each of these nodes whose steal is known."""
    return tuple(
        StolenCpu(node=node.node, cores=rate, node_cores=node.cores)
        for node in known.values()
        if (rate := _rate(record, node.stolen)) is not None
    )


def spare(record: MetricsRecord, known: Mapping[str, NodeIdle]) -> tuple[NodeShare, ...]:
    """What was left of each of these nodes whose counters are known."""
    found = ((node, _rate(record, node.samples)) for node in known.values())
    return tuple(
        NodeShare(
            node=node.node,
            cores=min(node.cores, unused + (_rate(record, node.waiting) or 0.0)),
            node_cores=node.cores,
        )
        for node, unused in found
        if unused is not None
    )


def _own(record: MetricsRecord, node: str, clients: Iterable[ClientFacts]) -> float | None:
    """Cores that the campaign's own pods used on a node; None where a client's are not known."""
    # Prometheus knows all clients of an interleaved block and those of a recovery.
    apart = not any(pod.part == "client" for pod in record.pods)
    tools = [client.cpu_cores for client in clients if apart and client.node == node]
    known = [cores for cores in tools if cores is not None]
    if len(known) != len(tools):
        return None
    pods = [_seen(record, pod.samples) for pod in record.pods if pod.node == node]
    return sum(known) + sum(rate for rate in pods if rate is not None)


def idle(
    record: MetricsRecord, testbed: str, limit: float, own: Iterable[str | None]
) -> IdleCpu | None:
    """CPU of the campaign's databases but that one; None where none of them is known.

    `testbed` is the one that is measured, `limit` what one server may use, in cores, and `own` are
    the trial's nodes. On other nodes another cell may be measured at the same time.
    """
    if not any(pod.part == "database" for pod in record.pods):
        return None
    beside = _beside(record, testbed, own)
    rate = _seen if _has(record, testbed) else _rate
    rates = {pod.testbed: rate(record, pod.samples) for pod in beside}
    known = {name: cores for name, cores in sorted(rates.items()) if cores is not None}
    if rates and not known:
        return None
    return IdleCpu(cores=sum(known.values()), limit_cores=limit, testbeds=known)


def restarted(record: MetricsRecord, testbed: str, own: Iterable[str | None]) -> tuple[str, ...]:
    """Those of these databases that were started again in the window, which is work as well.

    Their CPU is in none of the figures, because a part of it is not known.
    """
    start, end = record.window.start, record.window.end
    beside = _beside(record, testbed, own)
    return tuple(sorted({p.testbed for p in beside if was_reset(p.samples, start, end)}))


def _beside(record: MetricsRecord, testbed: str, own: Iterable[str | None]) -> list[PodCpu]:
    """The campaign's databases on these nodes, but that of this testbed."""
    nodes = {"", *own}
    databases = [pod for pod in record.pods if pod.part == "database" and pod.testbed != testbed]
    return [pod for pod in databases if pod.node in nodes]


def _has(record: MetricsRecord, testbed: str) -> bool:
    """Whether Prometheus has the CPU of that testbed's database from edge to edge."""
    own = (pod for pod in record.pods if (pod.part, pod.testbed) == ("database", testbed))
    return any(_rate(record, pod.samples) is not None for pod in own)


def _rate(record: MetricsRecord, samples: Samples) -> float | None:
    """None as well where an edge of the window is lost."""
    found = window_rate(samples, record.window.start, record.window.end)
    return None if found is None or not found.is_whole else found.rate


def _seen(record: MetricsRecord, samples: Samples) -> float | None:
    """The same of a pod that may have begun in the window, or ended: all that it used is seen.

    So other arms' clients end in an interleaved block. It is asked where Prometheus has the
    measured database from edge to edge, and so has lost nothing.
    """
    found = window_rate(samples, record.window.start, record.window.end)
    if found is None:
        return None
    return found.rate if found.is_whole else found.rate * found.coverage
