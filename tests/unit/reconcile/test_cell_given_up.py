"""A cell that was given up leaves its room to others, but for what is to be looked at."""

from typing import Any

from encbench.api.kinds import JOB, POD, TESTBED
from encbench.kube import labels
from tests.unit.reconcile.test_side_by_side import four_cells
from tests.unit.reconcile.world import SPACE


async def test_the_next_cell_has_the_room_of_one_that_was_given_up() -> None:
    """On a cluster that holds the databases of one, and one more."""
    spec: dict[str, Any] = {"allowColocation": True, "replacements": 0}
    world = four_cells(("n1",), 1, instances=("small",), room=3, **spec)
    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    failed = world.latest(JOB.kind, "")[0]["metadata"]
    status = {"conditions": [{"type": "Failed", "status": "True"}]}
    world.cluster.set_status(JOB, SPACE, failed["name"], status)
    await world.run(world.ended, limit=60_000, seconds=20_000)
    await world.settle(120)

    assert [(one.status.outcome, one.spec.workload_ref) for one in world.trials()] == [
        ("Succeeded", "other")
    ] * 4
    (left,) = world.cluster.all(TESTBED)
    name = failed["name"].removesuffix("-load")
    assert left["metadata"]["name"] == name
    databases = [
        body["metadata"]["name"]
        for body in world.cluster.all(POD)
        if body["metadata"]["labels"][labels.COMPONENT] == "database"
    ]
    assert databases == [f"{name}-0"], "its logs may say why"
