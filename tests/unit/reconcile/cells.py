"""A simulated campaign of four cells."""

from typing import Any

from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD
from tests.support import manifests
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.world import DURATION, SPACE, WARMUP, World, parts, study

INSTANCES, WORKLOADS = ("small", "large"), ("oltp", "other")
LOAD = {"concurrency": [2], "warmup": f"{WARMUP}s", "duration": f"{DURATION}s"}


def four_cells(
    nodes: tuple[str, ...],
    parallelism: int,
    *modes: str,
    instances: tuple[str, ...] = INSTANCES,
    room: int = 8,
    **spec: Any,
) -> World:
    """Two datasets on each instance; by default baseline and control alone."""
    world = World()
    world.controllers.scheduler = Scheduler(nodes, room)
    sysbench = {"script": "oltp_read_only", "tables": 3, "tableSize": 500}
    world.apply(
        *parts(),
        manifests.body(INSTANCE_TEMPLATE, "large", SPACE),
        manifests.body(WORKLOAD, "other", SPACE, load=LOAD, sysbench=sysbench),
    )
    whole = {"instanceRefs": [*instances], "modeRefs": [*(modes or ["plain"])]}
    matrix = [{**whole, "workloadRefs": [*WORKLOADS]}]
    world.apply(study(matrix=matrix, parallelism=parallelism, **spec))
    return world
