"""One pass over an object, beside what is slow."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL
from encbench.reconcile import objects
from encbench.reconcile.background import Errand, Errands
from encbench.reconcile.draft import Decision
from encbench.reconcile.effects.base import Effects
from encbench.reconcile.effects.effect import Prove
from encbench.reconcile.reconcilers import KindReconciler, reconcilers
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


class Proofs(Effects[Any, Any, int]):
    """They end when a test wants it; what is known is how many have ended."""

    nothing = 0

    def __init__(self, world: World) -> None:
        super().__init__(world.deps)
        self.announced = self.begun = 0
        self.ends = asyncio.Event()

    def begin(self, one: Any, effect: Any) -> None:
        self.announced += 1

    async def perform(self, one: Any, effect: Any) -> bool:
        self.begun += 1
        await self.ends.wait()
        self.keep(one, self.found(one) + 1)
        return True

    def blame(self, one: Any, effect: Any, problem: str) -> None:
        raise AssertionError(problem)


async def test_what_ends_while_its_object_is_observed_is_not_begun_again() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.cluster.all(TRIAL)))
    (trial, *_), (bed, *_) = world.cluster.all(TRIAL), world.cluster.all(TESTBED)
    errands, proofs = Errands(lambda _: None), Proofs(world)
    looks, answers = asyncio.Event(), asyncio.Event()

    async def observe(_deps: Any, _subject: Any, found: int) -> int:
        looks.set()
        await answers.wait()
        return found

    def decide(subject: Any, seen: int) -> Decision[Any, Any]:
        wanted = [] if seen else [Prove(objects.testbed(bed), None, "before")]
        return Decision(subject.status, tuple(wanted), 5.0)

    own: Any = reconcilers(world.deps, errands, world.operators[0].nodes)[TRIAL]
    passes: KindReconciler[Any, Any, int, Any, int] = replace(
        own, observe=observe, decide=decide, effects=proofs, is_wanted=None
    )
    name = trial["metadata"]["name"]
    answers.set()
    assert await passes.reconcile(SPACE, name) == 5.0
    assert (proofs.announced, proofs.begun) == (1, 0), "known while it waits for its turn"
    await asyncio.sleep(0)
    answers.clear()
    looks.clear()
    under_way = asyncio.create_task(passes.reconcile(SPACE, name))
    await looks.wait()
    proofs.ends.set()
    for _ in range(10):
        await asyncio.sleep(0)
    answers.set()
    # It has seen nothing yet, and wants the proof; the next pass sees it.
    assert await under_way == 0.0
    assert await passes.reconcile(SPACE, name) == 5.0
    assert proofs.begun == 1


@pytest.mark.parametrize("raised", [True, False])
async def test_a_report_under_way_is_dropped_once_there_is_more_to_measure(raised: bool) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=4, activeDeadlineSeconds=60))

    def announced() -> bool:
        return any(
            fact["type"] == "Reported"
            for body in world.latest("Campaign", NAME)
            for fact in body.get("status", {}).get("conditions", ())
        )

    await world.run(announced)
    errands, ends = Errands(lambda _: None), asyncio.Event()
    await errands.do(Errand(CAMPAIGN, SPACE, NAME, "uid", "Publish", "store"), ends.wait)
    if raised:
        world.cluster.set_spec(CAMPAIGN, SPACE, NAME, activeDeadlineSeconds=86_400)
    passes = reconcilers(world.deps, errands, world.operators[0].nodes)[CAMPAIGN]
    # The first looks for testbeds that seem to be gone: there may be nothing more to measure.
    await passes.reconcile(SPACE, NAME)
    await asyncio.sleep(0.1)
    await passes.reconcile(SPACE, NAME)
    names = {one.uid for one in errands.doing(CAMPAIGN, SPACE, NAME)}
    assert ("uid" in names) is not raised
    await errands.end()
