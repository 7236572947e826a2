"""From a trial's record to the figures of one trial."""

from encbench.core.records import TrialRecord
from encbench.report.bucket import Attempt
from encbench.report.document import TrialView


def rounded(value: float) -> float:
    """Six significant digits."""
    return float(f"{value:.6g}")


def view(attempt: Attempt) -> TrialView:
    """One trial as the report shows it; whether it counts is decided with its block."""
    record, entry = attempt.record, attempt.entry
    spec, result = record.spec, record.result
    database, node, client = record.cpu.database, record.cpu.node, record.cpu.client
    tps = result.tps if result else None
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
        latency_average_ms=_positive(result.latency_average_ms if result else None),
        latency_p95_ms=_positive(result.latency_p95_ms if result else None),
        errors=result.errors if result else None,
        database_cpu_percent=_percent(database.cores, database.limit_cores) if database else None,
        client_cpu_percent=_percent(client.cores, client.limit_cores) if client else None,
        node_cpu_percent=rounded(100 * node.fraction) if node else None,
        database_cpu_ms_per_transaction=_positive(1000 * database.cores / tps)
        if database and tps
        else None,
        cpu_withheld=dict(record.cpu.withheld),
        throttled_seconds=sum(throttled) if throttled else None,
        colocated=_colocated(record),
        proof_before=record.proofs.before,
        proof_after=record.proofs.after,
        key=entry.key or "",
        digest=entry.digest or "",
        series=attempt.series,
    )


def _positive(value: float | None) -> float | None:
    """A figure that can be part of a ratio; zero is no measurement."""
    return rounded(value) if value is not None and value > 0 else None


def _percent(cores: float, limit: float) -> float | None:
    return rounded(100 * cores / limit) if limit > 0 else None


def _colocated(record: TrialRecord) -> bool:
    """From where the pods were, not from what was allowed."""
    node = record.database_node
    return node is not None and any(client.node == node for client in record.clients)
