"""What looks like a mistake in a TPC-C workload, and is not refused: notes of `plan`."""

from collections.abc import Iterator

from encbench.api.kinds import WORKLOAD
from encbench.api.tpcc import TERMINALS_PER_WAREHOUSE, Mix, Tpcc
from encbench.api.workload import WorkloadSpec
from encbench.core.problem import Problem, Reason
from encbench.core.terminals import REMOTE, short_levels
from encbench.tools.tpcc.consistency import DISTRICTS_PER_WAREHOUSE, NEW_ORDERS_PER_WAREHOUSE

COMMITTED = 0.99
"""Of the New-Orders; the others are rolled back on purpose."""


def notes(workload: WorkloadSpec) -> Iterator[Problem]:
    """All of one workload."""
    if workload.tpcc is not None:
        yield from _few_terminals(workload.tpcc, workload.load.concurrency)
        yield from _emptied_districts(workload.tpcc.mix)
        yield from _several_processes(workload.tpcc, workload.client.replicas)


def _few_terminals(tpcc: Tpcc, levels: list[int]) -> Iterator[Problem]:
    if said := short_levels(tpcc, levels):
        text = (
            f"a terminal stays with its warehouse, so {said}, and {REMOTE} alone reach the others: "
            "write tpcc.terminalWarehouseFixed: false, with which every level works on all of "
            "them, unless a level may differ from the next in its working set as well"
        )
        yield Problem(WORKLOAD, Reason.UNLIKE_TPCC, text)


def _emptied_districts(mix: Mix) -> Iterator[Problem]:
    """More orders are delivered, one of each district, than are made: those of the load end."""
    delivered = DISTRICTS_PER_WAREHOUSE * mix.delivery
    lost = delivered - COMMITTED * mix.new_order
    if lost > 0:
        most = "of at most 9.9 % of newOrder" if mix.new_order else "of 0"
        text = (
            f"tpcc.mix delivers {delivered:g} orders for {mix.new_order:g} "
            "New-Orders, so a warehouse has none left after about "
            f"{100 * NEW_ORDERS_PER_WAREHOUSE / lost:,.0f} transactions; Deliveries are cheap from "
            f"then on, and the faster arm gets there first: write a delivery {most}"
        )
        yield Problem(WORKLOAD, Reason.ROWS_GONE, text)


def _several_processes(tpcc: Tpcc, replicas: int) -> Iterator[Problem]:
    if tpcc.benchmarksql is None or tpcc.paced or replicas == 1:
        return  # Several that are paced are refused.
    most = f"{TERMINALS_PER_WAREHOUSE} terminals a warehouse"
    place = f"places its terminals as if alone, so that a warehouse may have more than {most}"
    if tpcc.dialect == 6:
        place = f"has all {most}, of which more wait for a connection"
    text = (
        f"each of {replicas} processes of BenchmarkSQL {tpcc.dialect} draws a constant of last "
        f"names of its own (clause 2.1.6.1) and {place}: write client.replicas: 1, or use "
        "encbench's own client"
    )
    yield Problem(WORKLOAD, Reason.UNLIKE_TPCC, text)
