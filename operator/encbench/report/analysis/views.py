"""From a trial's record to the figures of one trial."""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.api.trial import TrialResult, TrialSpec
from encbench.core import records
from encbench.core.figure_names import CELLS, DELIVERED, NEW_ORDERS, ROUND_TRIPS, SKIPPED
from encbench.core.slices import Slices
from encbench.core.statistics import interrupted
from encbench.core.statistics.rounding import rounded, rounded_if_known
from encbench.core.throttling import running_seconds, throttled_share
from encbench.report.analysis import latency
from encbench.report.analysis.bucket import Attempt
from encbench.report.document.trial import RoundView, SlotView, SlowestClient, TrialView

MEBIBYTE = 2**20
Used = records.DatabaseCpu | records.ClientCpu | records.IdleCpu


def view(attempt: Attempt, home: records.IndexTestbed | None = None) -> TrialView:
    """One trial as the report shows it; whether it counts depends on its block.

    `home` is the index entry of the testbed that it ran on.
    """
    record, entry = attempt.record, attempt.entry
    spec, result, cpu = record.spec, record.result, record.cpu
    node = record.database_node
    tps, disk, recovery = result.tps if result else None, record.disk, record.recovery
    if record.slices is not None:
        # Earlier operators stored that of the whole block.
        disk = records.DiskIo.in_slices(record.slices)
    has_proxy = cpu.proxy is not None or "proxy" in cpu.withheld
    database_side = (cpu.database, cpu.proxy) if has_proxy else (cpu.database,)
    missing = _missing(record)
    fullest = min(cpu.spare or (), key=lambda it: it.fraction, default=None)
    throttled = [c.throttled_seconds for c in record.clients if c.throttled_seconds is not None]
    return TrialView(
        name=record.trial.name,
        uid=record.trial.uid,
        testbed=spec.testbed_ref.name,
        cell=spec.cell,
        instance=spec.instance_ref,
        workload=spec.workload_ref,
        concurrency=spec.concurrency,
        arm=spec.arm.name,
        role=spec.arm.role,
        block=spec.block,
        order=spec.order,
        outcome=record.outcome,
        reason=record.reason,
        message=record.message,
        start_time=record.start_time,
        server_started=record.server_started if record.release_at else None,
        window=record.window,
        tps=_positive(tps),
        qps=_positive(result.qps if result else None),
        new_orders_per_second=_positive(result.extra.get(NEW_ORDERS) if result else None),
        round_trips_per_transaction=_each(result, ROUND_TRIPS),
        cells_per_transaction=_each(result, CELLS),
        skipped_percent=_skipped(result),
        latency_average_ms=_positive(result.latency_average_ms if result else None),
        latency_p95_ms=_positive(
            result.latency_p95_ms if result and interrupted.is_known(95, missing) else None
        ),
        latency_percentiles_ms={
            name: rounded(value)
            for name, value in latency.percentiles(record.histogram or (), missing).items()
        },
        errors=result.errors if result else None,
        database_cpu_percent=_percent(_server(cpu)),
        client_cpu_percent=_percent(cpu.client),
        client_cpu_cores=_client_cores(record),
        client_memory_mib=_mean(_part(c.memory_max_bytes, MEBIBYTE) for c in record.clients),
        client_memory_percent=_mean(_memory_percent(c) for c in record.clients),
        start_spread_ms=_start_spread(record.clients),
        slowest_client=_slowest(spec, record.clients),
        queue=_queue(record.clients),
        node_cpu_percent=rounded(100 * cpu.node.fraction) if cpu.node else None,
        database_cpu_ms_per_transaction=_milliseconds(tps, cpu.database),
        proxy_cpu_percent=_percent(cpu.proxy),
        volume_cpu_percent=_percent(cpu.volume),
        proxy_cpu_ms_per_transaction=_milliseconds(tps, cpu.proxy),
        database_side_cpu_ms_per_transaction=_milliseconds(tps, *database_side),
        client_cpu_ms_per_transaction=_milliseconds(tps, cpu.client),
        restored_seconds=_positive(record.timings.get("restored")),
        disk_read_kib_per_transaction=_kib(disk.read_bytes_per_second, tps) if disk else None,
        disk_write_kib_per_transaction=_kib(disk.write_bytes_per_second, tps) if disk else None,
        unwritten_mib=rounded_if_known(_part(record.dirty_bytes, MEBIBYTE)),
        recovery_seconds=_positive(recovery.recovery_seconds if recovery else None),
        stop_seconds=rounded(recovery.stop_seconds) if recovery else None,
        redo_mib=_part(recovery.redo_bytes, MEBIBYTE) if recovery else None,
        cpu_withheld=dict(cpu.withheld),
        throttled_seconds=sum(throttled) if throttled else None,
        throttled_percent=_throttled(record),
        held_up_percent={of: rounded(100 * share) for of, share in (cpu.throttled or {}).items()}
        or None,
        foreign_cpu_percent=_most(node for node in cpu.foreign if not node.with_dm_crypt),
        foreign_with_dm_crypt_percent=_most(node for node in cpu.foreign if node.with_dm_crypt),
        stolen_cpu_percent=_most(cpu.stolen),
        fullest_node=fullest.node if fullest else None,
        fullest_node_percent=rounded(100 * (1 - fullest.fraction)) if fullest else None,
        idle_cpu_percent=_percent(cpu.idle),
        home=home.arm if home else spec.arm.name,
        generation=home.generation if home else 1,
        colocated=node is not None and any(client.node == node for client in record.clients),
        consistent=record.consistency.ok if record.consistency else None,
        proof_before=record.proofs.before,
        proof_after=record.proofs.after,
        **(of_slices(record.slices, has_proxy=has_proxy) if record.slices else {}),
        key=entry.key or "",
        digest=entry.digest or "",
        series=attempt.series,
    )


def _server(cpu: records.TrialCpu) -> records.DatabaseCpu | None:
    """The server alone: a file system in its pod has a CPU limit of its own.

    Both as one where the part is not known, as in records before that figure.
    """
    both, volume = cpu.database, cpu.volume
    if both is None or volume is None:
        return both
    cores, limit = both.cores - volume.cores, both.limit_cores - volume.limit_cores
    return records.DatabaseCpu(cores=max(0.0, cores), limit_cores=limit)


def of_slices(slices: Slices, *, has_proxy: bool) -> dict[str, Any]:
    """What only a trial of an interleaved block has."""
    rounds = tuple(
        RoundView(
            slot=row.slot,
            seconds=rounded(row.seconds),
            transactions=row.transactions,
            all_transactions=row.all_transactions,
            database_cpu_seconds=rounded_if_known(row.database_cpu_seconds),
            proxy_cpu_seconds=rounded_if_known(row.proxy_cpu_seconds),
            database_side_cpu_seconds=_sum(
                row.database_cpu_seconds, row.proxy_cpu_seconds if has_proxy else 0.0
            ),
            client_cpu_seconds=rounded(row.client_cpu_seconds),
        )
        for row in slices.rows
    )
    whole = sum(row.all_transactions for row in slices.rows)
    used = sum(one.cpu_seconds for one in slices.server)
    return {
        "rounds": rounds,
        "slots": tuple(
            SlotView(
                slot=one.slot,
                seconds=rounded(one.seconds),
                cpu_seconds=rounded(one.cpu_seconds),
                read_kib=rounded_if_known(_part(one.read_bytes, 1024)),
                write_kib=rounded_if_known(_part(one.write_bytes, 1024)),
            )
            for one in slices.server
        ),
        "spanned": slices.spanned,
        "block_cpu_ms_per_transaction": _positive(1000 * used / whole) if whole else None,
    }


def _missing(record: records.TrialRecord) -> float:
    """The share of transactions that stops keep from the histogram, at most."""
    slices, turns = record.slices, record.spec.turns
    average = record.result.latency_average_ms if record.result else None
    if slices is None or turns is None or average is None:
        return 0.0
    whole = interrupted.whole_average_ms(
        slices.spanned, len(slices.rows) + 1, slices.seconds, slices.transactions
    )
    counts = slices.spanned, slices.transactions
    return interrupted.missing(average, whole, *counts, turns.settle_seconds)


def _client_cores(record: records.TrialRecord) -> float | None:
    """Of one replica on average; in the trial's own slices where it takes turns."""
    if record.slices is None:
        return _mean(client.cpu_cores for client in record.clients)
    used = record.cpu.client
    return rounded(used.cores / len(record.clients)) if used else None


def _start_spread(clients: Sequence[records.ClientFacts]) -> float | None:
    began = [client.began for client in clients if client.began is not None]
    if len(clients) < 2 or len(began) < len(clients):
        return None
    return rounded(1000 * (max(began) - min(began)))


def _slowest(spec: TrialSpec, clients: Sequence[records.ClientFacts]) -> SlowestClient | None:
    """The replica that did the least, where all were asked for as much."""
    count = len(clients)
    if count < 2 or spec.concurrency % count or (spec.workload.load.rate or 0) % count:
        return None
    known = [(client.tps, index) for index, client in enumerate(clients) if client.tps is not None]
    whole = sum(one for one, _ in known)
    if len(known) < count or not whole:
        return None
    tps, index = min(known)
    return SlowestClient(
        index=index,
        node=clients[index].node,
        tps=rounded(tps),
        percent_of_mean=rounded(100 * tps * count / whole),
    )


def _queue(clients: Sequence[records.ClientFacts]) -> tuple[int, int] | None:
    """Of all replicas; None where one is not known."""
    known = [client.queue for client in clients if client.queue is not None]
    if not known or len(known) < len(clients):
        return None
    return (sum(begin for begin, _ in known), sum(end for _, end in known))


def _each(result: TrialResult | None, name: str) -> float | None:
    """One of the tool's rates, per transaction."""
    rate = result.extra.get(name) if result else None
    return rounded(rate / result.tps) if result and rate and result.tps else None


def _skipped(result: TrialResult | None) -> float | None:
    """Districts without an order, of those that Deliveries came to, in percent."""
    if result is None or not {SKIPPED, DELIVERED} <= result.extra.keys():
        return None
    skipped, delivered = result.extra[SKIPPED], result.extra[DELIVERED]
    came_to = skipped + delivered
    return rounded(100 * skipped / came_to) if came_to else None


def _sum(*parts: float | None) -> float | None:
    known = [part for part in parts if part is not None]
    return rounded(sum(known)) if len(known) == len(parts) else None


def _milliseconds(tps: float | None, *used: Used | None) -> float | None:
    """CPU of all of these in milliseconds per transaction; None where one has no figure."""
    known = [one.cores for one in used if one is not None]
    return _positive(1000 * sum(known) / tps) if tps and len(known) == len(used) else None


def _kib(bytes_per_second: float, tps: float | None) -> float | None:
    return rounded(bytes_per_second / 1024 / tps) if tps else None


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean over all replicas; None where one of them is not known."""
    found = list(values)
    known = [value for value in found if value is not None]
    return rounded(sum(known) / len(known)) if known and len(known) == len(found) else None


def _part(value: float | None, unit: float | None) -> float | None:
    return None if value is None or not unit else value / unit


def _memory_percent(client: records.ClientFacts) -> float | None:
    share = _part(client.memory_max_bytes, client.memory_limit_bytes)
    return None if share is None else 100 * share


def _throttled(record: records.TrialRecord) -> float | None:
    running = running_seconds(record.window, record.slices)
    shares = [throttled_share(client, running) for client in record.clients]
    known = [share for share in shares if share is not None]
    return rounded(100 * max(known)) if known else None


def _most(nodes: Iterable[records.NodeShare]) -> float | None:
    """In percent, of the node with the largest share; None of no nodes."""
    return max((rounded(100 * node.fraction) for node in nodes), default=None)


def _positive(value: float | None) -> float | None:
    """A figure that can be part of a ratio; None for zero, which is no measurement."""
    return rounded(value) if value is not None and value > 0 else None


def _percent(used: Used | None) -> float | None:
    return rounded(100 * used.cores / used.limit_cores) if used and used.limit_cores > 0 else None
