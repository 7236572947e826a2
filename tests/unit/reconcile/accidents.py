"""What befalls a simulated campaign."""

from dataclasses import replace

from encbench.api.kinds import JOB, POD
from encbench.reconcile.objects import Trial
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.world import SPACE, World, parts, study


async def load_fails(world: World) -> str:
    """Have the first load fail; the name of its testbed."""
    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    job = world.latest(JOB.kind, "")[0]["metadata"]["name"]
    status = {"conditions": [{"type": "Failed", "status": "True"}]}
    world.cluster.set_status(JOB, SPACE, job, status)
    return str(job.removesuffix("-load"))


def lost(world: World, pod: str, *, is_lost: bool = True) -> None:
    """What the node controller makes of a pod whose node does not answer."""
    status = world.cluster.one(POD, SPACE, pod)["status"]
    ready = {"type": "Ready", "status": "False" if is_lost else "True"}
    facts = [fact for fact in status["conditions"] if fact["type"] != "Ready"]
    world.cluster.set_status(POD, SPACE, pod, {**status, "conditions": [*facts, ready]})


def once(failing: str, **changes: object) -> tuple[list[str], World]:
    """A world in which the first run of an arm goes otherwise; the trials that did."""
    world = World()
    hit: list[str] = []

    def plan(trial: Trial, usual: Plan) -> Plan:
        if trial.spec.arm.name != failing or (hit and trial.name not in hit):
            return usual
        hit.append(trial.name)
        return replace(usual, **changes)  # type: ignore[arg-type]

    world.plan = plan
    world.apply(*parts(), study("plain", blocks=1, replacements=1))
    return hit, world
