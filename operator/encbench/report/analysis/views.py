"""From a trial's record to the figures of one trial."""

from collections.abc import Iterable

from encbench.core.figures import NEW_ORDERS
from encbench.core.records import ClientFacts, IndexTestbed, TrialRecord
from encbench.report.analysis import latency
from encbench.report.analysis.bucket import Attempt
from encbench.report.document.trial import TrialView

MEBIBYTE = 2**20


def rounded(value: float) -> float:
    """Six significant digits."""
    return float(f"{value:.6g}")


def view(attempt: Attempt, home: IndexTestbed | None = None) -> TrialView:
    """One trial as the report shows it; whether it counts depends on its block.

    `home` is the index entry of the testbed that it ran on.
    """
    record, entry = attempt.record, attempt.entry
    spec, result = record.spec, record.result
    database, node, client = record.cpu.database, record.cpu.node, record.cpu.client
    proxy = record.cpu.proxy
    tps, disk = result.tps if result else None, record.disk
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
        window=record.window,
        tps=_positive(tps),
        qps=_positive(result.qps if result else None),
        new_orders_per_second=_positive(result.extra.get(NEW_ORDERS) if result else None),
        latency_average_ms=_positive(result.latency_average_ms if result else None),
        latency_p95_ms=_positive(result.latency_p95_ms if result else None),
        latency_percentiles_ms={
            name: rounded(value)
            for name, value in latency.percentiles(record.histogram or ()).items()
        },
        errors=result.errors if result else None,
        database_cpu_percent=_percent(database.cores, database.limit_cores) if database else None,
        client_cpu_percent=_percent(client.cores, client.limit_cores) if client else None,
        client_cpu_cores=_mean(c.cpu_cores for c in record.clients),
        client_memory_mib=_mean(_part(c.memory_max_bytes, MEBIBYTE) for c in record.clients),
        client_memory_percent=_mean(_memory_percent(c) for c in record.clients),
        node_cpu_percent=rounded(100 * node.fraction) if node else None,
        database_cpu_ms_per_transaction=_milliseconds(database.cores if database else None, tps),
        proxy_cpu_percent=_percent(proxy.cores, proxy.limit_cores) if proxy else None,
        proxy_cpu_ms_per_transaction=_milliseconds(proxy.cores if proxy else None, tps),
        database_side_cpu_ms_per_transaction=_database_side(record, tps),
        client_cpu_ms_per_transaction=_milliseconds(client.cores if client else None, tps),
        restored_seconds=_positive(record.timings.get("restored")),
        disk_read_kib_per_transaction=_kib(disk.read_bytes_per_second, tps) if disk else None,
        disk_write_kib_per_transaction=_kib(disk.write_bytes_per_second, tps) if disk else None,
        recovery_seconds=_positive(record.recovery.recovery_seconds if record.recovery else None),
        stop_seconds=rounded(record.recovery.stop_seconds) if record.recovery else None,
        redo_mib=_part(record.recovery.redo_bytes, MEBIBYTE) if record.recovery else None,
        cpu_withheld=dict(record.cpu.withheld),
        throttled_seconds=sum(throttled) if throttled else None,
        throttled_percent=_throttled(record, throttled),
        foreign_cpu_percent=_foreign(record),
        idle_cpu_percent=_idle(record),
        home=home.arm if home else spec.arm.name,
        generation=home.generation if home else 1,
        colocated=_colocated(record),
        consistent=record.consistency.ok if record.consistency else None,
        proof_before=record.proofs.before,
        proof_after=record.proofs.after,
        key=entry.key or "",
        digest=entry.digest or "",
        series=attempt.series,
    )


def _database_side(record: TrialRecord, tps: float | None) -> float | None:
    """CPU of server and proxy per transaction; None where one of the two figures is withheld."""
    cpu = record.cpu
    if cpu.database is None or "proxy" in cpu.withheld:
        return None
    return _milliseconds(cpu.database.cores + (cpu.proxy.cores if cpu.proxy else 0.0), tps)


def _milliseconds(cores: float | None, tps: float | None) -> float | None:
    """CPU in milliseconds per transaction."""
    return _positive(1000 * cores / tps) if cores is not None and tps else None


def _kib(bytes_per_second: float, tps: float | None) -> float | None:
    return rounded(bytes_per_second / 1024 / tps) if tps else None


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean over all replicas; None where one of them is not known."""
    found = list(values)
    known = [value for value in found if value is not None]
    return rounded(sum(known) / len(known)) if known and len(known) == len(found) else None


def _part(value: float | None, unit: float | None) -> float | None:
    return None if value is None or not unit else value / unit


def _memory_percent(client: ClientFacts) -> float | None:
    share = _part(client.memory_max_bytes, client.memory_limit_bytes)
    return None if share is None else 100 * share


def _throttled(record: TrialRecord, seconds: list[float]) -> float | None:
    window = record.window
    if not seconds or window is None or window.end <= window.start:
        return None
    return rounded(100 * max(seconds) / (window.end - window.start))


def _foreign(record: TrialRecord) -> float | None:
    shares = [100 * node.fraction for node in record.cpu.foreign]
    return rounded(max(shares)) if shares else None


def _idle(record: TrialRecord) -> float | None:
    idle = record.cpu.idle
    return None if idle is None else _percent(idle.cores, idle.limit_cores)


def _positive(value: float | None) -> float | None:
    """A figure that can be part of a ratio; None for zero, which is no measurement."""
    return rounded(value) if value is not None and value > 0 else None


def _percent(cores: float, limit: float) -> float | None:
    return rounded(100 * cores / limit) if limit > 0 else None


def _colocated(record: TrialRecord) -> bool:
    """Whether a client was on the database's node, whatever the spec allowed."""
    node = record.database_node
    return node is not None and any(client.node == node for client in record.clients)
