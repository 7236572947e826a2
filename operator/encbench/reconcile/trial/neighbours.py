"""Who else used CPU in the window: other programs on the nodes, and databases that were to be idle.

What a node was busy with is known from its idle counters, what is the campaign's own from its pods'
counters and from the clients' summaries; the rest is foreign. It is a coarse figure, because
the counters are read at different moments, and it is held against a coarse bound.
"""

from collections.abc import Iterable, Sequence

from encbench.core.records import ClientFacts, ForeignCpu, IdleCpu, MetricsRecord, Samples
from encbench.core.window import window_rate


def foreign(
    record: MetricsRecord, node: str | None, clients: Sequence[ClientFacts]
) -> tuple[ForeignCpu, ...] | None:
    """For the database's node and each client's; None where one of them is unknown.

    A sidecar or an idle database without samples counts as foreign: it is a thousandth of a core.
    """
    if node is None or record.node_cores is None:
        return None
    idle: dict[str, tuple[float, Samples]] = {
        one.node: (one.cores, one.samples) for one in record.client_nodes
    }
    idle[node] = (record.node_cores, record.series.get("node_idle_seconds", ()))
    found = []
    for name in dict.fromkeys([node, *(client.node for client in clients)]):
        if name is None or name not in idle:
            return None
        cores, samples = idle[name]
        unused, own = _rate(record, samples), _own(record, name, clients)
        if unused is None or own is None:
            return None
        busy = min(cores, max(0.0, cores - unused))
        found.append(ForeignCpu(node=name, cores=max(0.0, busy - own), node_cores=cores))
    return tuple(found)


def _own(record: MetricsRecord, node: str, clients: Iterable[ClientFacts]) -> float | None:
    """Cores that the campaign's own pods used on a node; None where a client's are not known."""
    # Prometheus knows all clients of an interleaved block, this trial's included.
    apart = not any(pod.part == "client" for pod in record.pods)
    tools = [client.cpu_cores for client in clients if apart and client.node == node]
    known = [cores for cores in tools if cores is not None]
    if len(known) != len(tools):
        return None
    pods = [_rate(record, pod.samples) for pod in record.pods if pod.node == node]
    return sum(known) + sum(rate for rate in pods if rate is not None)


def idle(record: MetricsRecord, testbed: str, limit: float) -> IdleCpu | None:
    """CPU of the campaign's databases but that one; None where none of them is known.

    `testbed` is the one that is measured, `limit` what a database may use, in cores.
    """
    databases = [pod for pod in record.pods if pod.part == "database"]
    if not databases:
        return None
    rates = {pod.testbed: _rate(record, pod.samples) for pod in databases if pod.testbed != testbed}
    known = {name: rate for name, rate in sorted(rates.items()) if rate is not None}
    if rates and not known:
        return None
    return IdleCpu(cores=sum(known.values()), limit_cores=limit, testbeds=known)


def _rate(record: MetricsRecord, samples: Samples) -> float | None:
    found = window_rate(samples, record.window.start, record.window.end)
    return None if found is None else found.rate
