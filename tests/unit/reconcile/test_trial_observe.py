"""What a pass over a trial asks for, and when."""

from encbench.api.kinds import JOB
from encbench.reconcile.trial.observe import observe
from tests.unit.reconcile.world import SPACE, World, parts, study


async def test_the_first_proof_is_made_while_the_clients_start() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.trials()))
    (trial,) = world.trials()
    without_job = await observe(world.deps, trial)
    assert without_job.job is None
    assert without_job.proof is None
    await world.run(lambda: has_job(world, trial.name))
    assert (await observe(world.deps, trial)).proof is not None


def has_job(world: World, name: str) -> bool:
    return name in {job["metadata"]["name"] for job in world.cluster.all(JOB, SPACE)}
