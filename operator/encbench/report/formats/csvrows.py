"""The rows as CSV: every column's name holds its unit, its mean or its formula."""

import csv
import io
from collections.abc import Callable

from encbench.api.overheadreport import Interval, Row
from encbench.report.document import Figure, Group, Report, Step, StudyTable

Cell = str | int | float | None
Columns = dict[str, Callable[[Group, Row], Cell]]


def _interval(name: str, formula: str, pick: Callable[[Row], Interval | None]) -> Columns:
    def part(field: str) -> Callable[[Group, Row], Cell]:
        def cell(_: Group, row: Row) -> Cell:
            found = pick(row)
            return None if found is None else getattr(found, field)

        return cell

    return {
        f"{name}_fraction_{formula}": part("estimate"),
        f"{name}_fraction_ci95_low": part("low"),
        f"{name}_fraction_ci95_high": part("high"),
    }


def _floor(figure: Figure) -> Callable[[Group, Row], Cell]:
    return lambda group, _: group.noise_floors.get(figure)


def _step(pick: Callable[[Step], Cell]) -> Callable[[Group, Row], Cell]:
    def cell(group: Group, row: Row) -> Cell:
        step = group.step(row.arm)
        return None if step is None else pick(step)

    return cell


def _of_step(name: str, formula: str, pick: Callable[[Step], Interval | None]) -> Columns:
    def part(field: str) -> Callable[[Group, Row], Cell]:
        def cell(step: Step) -> Cell:
            found = pick(step)
            return None if found is None else getattr(found, field)

        return _step(cell)

    return {
        f"{name}_fraction_{formula}": part("estimate"),
        f"{name}_fraction_ci95_low": part("low"),
        f"{name}_fraction_ci95_high": part("high"),
    }


_MORE = "arm_over_baseline_minus_1"
_STEP = "arm_over_before_minus_1"
COLUMNS: Columns = {
    "instance": lambda _, row: row.instance,
    "workload": lambda _, row: row.workload,
    "concurrency_threads": lambda _, row: row.concurrency,
    "arm": lambda _, row: row.arm,
    "role": lambda _, row: row.role,
    "mode": lambda group, row: next(a.mode_ref for a in group.arms if a.name == row.arm),
    "blocks": lambda _, row: row.blocks,
    "blocks_planned": lambda _, row: row.planned_blocks,
    "tps_geometric_mean": lambda _, row: row.tps,
    "qps_geometric_mean": lambda _, row: row.qps,
    "new_orders_per_second_geometric_mean": lambda _, row: row.new_orders_per_second,
    "latency_average_ms_geometric_mean": lambda _, row: row.latency_average_ms,
    "latency_p95_ms_geometric_mean": lambda _, row: row.latency_p95_ms,
    "database_cpu_percent_of_limit_mean": lambda _, row: row.database_cpu_percent,
    "database_cpu_points_arm_minus_baseline": lambda _, row: row.database_cpu_points,
    "client_cpu_percent_of_limit_mean": lambda _, row: row.client_cpu_percent,
    "client_cpu_points_arm_minus_baseline": lambda _, row: row.client_cpu_points,
    "client_cpu_cores_per_replica_mean": lambda _, row: row.client_cpu_cores,
    "client_memory_mib_per_replica_mean": lambda _, row: row.client_memory_mib,
    "client_memory_percent_of_limit_mean": lambda _, row: row.client_memory_percent,
    "node_cpu_percent_of_all_cores_mean": lambda _, row: row.node_cpu_percent,
    "node_cpu_points_arm_minus_baseline": lambda _, row: row.node_cpu_points,
    "database_cpu_ms_per_transaction_geometric_mean": lambda _, row: (
        row.database_cpu_ms_per_transaction
    ),
    "proxy_cpu_percent_of_limit_mean": lambda _, row: row.proxy_cpu_percent,
    "proxy_cpu_ms_per_transaction_geometric_mean": lambda _, row: row.proxy_cpu_ms_per_transaction,
    "client_cpu_ms_per_transaction_geometric_mean": lambda _, row: (
        row.client_cpu_ms_per_transaction
    ),
    "disk_read_kib_per_transaction_mean": lambda _, row: row.disk_read_kib_per_transaction,
    "disk_write_kib_per_transaction_mean": lambda _, row: row.disk_write_kib_per_transaction,
    "recovery_seconds_geometric_mean": lambda _, row: row.recovery_seconds,
    "stop_seconds_mean": lambda _, row: row.stop_seconds,
    "redo_mib_at_stop_mean": lambda _, row: row.redo_mib,
    **_interval("tps_loss", "1_minus_arm_over_baseline", lambda row: row.overhead),
    **_interval("latency_average_increase", _MORE, lambda row: row.latency_average_overhead),
    **_interval("latency_p95_increase", _MORE, lambda row: row.latency_p95_overhead),
    **_interval(
        "cpu_per_transaction_increase", _MORE, lambda row: row.cpu_per_transaction_overhead
    ),
    **_interval("recovery_seconds_increase", _MORE, lambda row: row.recovery_overhead),
    "noise_floor_fraction_largest_bound_of_control": _floor("tps"),
    "latency_average_noise_floor_fraction": _floor("latencyAverage"),
    "latency_p95_noise_floor_fraction": _floor("latencyP95"),
    "cpu_per_transaction_noise_floor_fraction": _floor("cpuPerTransaction"),
    "recovery_seconds_noise_floor_fraction": _floor("recovery"),
    "tps_limited_by": lambda _, row: row.saturation,
    "verdict": lambda _, row: row.verdict,
    "latency_average_verdict": lambda _, row: row.latency_average_verdict,
    "latency_p95_verdict": lambda _, row: row.latency_p95_verdict,
    "cpu_per_transaction_verdict": lambda _, row: row.cpu_per_transaction_verdict,
    "step_layers": _step(lambda step: "+".join(step.layers)),
    "step_before_arm": _step(lambda step: step.before),
    **_of_step("step_tps_loss", "1_minus_arm_over_before", lambda step: step.loss),
    "step_verdict": _step(lambda step: step.verdict),
    **_of_step("step_latency_average_increase", _STEP, lambda step: step.latency_average),
    **_of_step("step_server_cpu_per_transaction_increase", _STEP, lambda step: step.database_cpu),
    **_of_step(
        "step_server_and_proxy_cpu_per_transaction_increase",
        _STEP,
        lambda step: step.database_side_cpu,
    ),
    **_of_step("step_client_cpu_per_transaction_increase", _STEP, lambda step: step.client_cpu),
}
"""A step is what a layer of column encryption costs: the arm against the one below it."""


def csv_rows(report: Report) -> str:
    """One line per instance, workload, concurrency and arm; a figure that is absent is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for group in report.groups:
        for row in group.rows:
            writer.writerow([cell(group, row) for cell in COLUMNS.values()])
    return out.getvalue()


def csv_study(table: StudyTable) -> str:
    """A study's table under the header of the published one."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    writer.writerows(table.rows)
    return out.getvalue()
