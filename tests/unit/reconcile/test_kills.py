"""The operator killed at every write of a whole campaign: the same final state each time."""

from functools import partial

import pytest

from encbench.api.kinds import CONFIG_MAP
from tests.support import manifests
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.killing import killed_everywhere, kind_of, run, verb_of
from tests.unit.reconcile.scripts import SCRIPT
from tests.unit.reconcile.world import SPACE, World, parts, study

RUNS = {"cluster": 5, "store": 2}


def prepared() -> World:
    """A campaign of one block and two arms, with a script of the user's own."""
    world = World()
    sysbench = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    world.apply(
        manifests.config_map("mine", SPACE, **{"mine.lua": SCRIPT}),
        *parts(sysbench=sysbench),
        study("plain", blocks=1),
    )
    return world


def two_stages() -> World:
    """A pilot of four blocks and one more, every block on testbeds of its own."""
    world = World()
    blocks = {"min": 4, "max": 5, "maxReplacements": 1, "perTestbed": 1}
    world.apply(*parts(), study("plain", blocks=blocks, precision={"targetHalfWidth": 0.001}))
    return world


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("what", ["cluster", "store"])
async def test_killed_at_every_write_it_ends_the_same(what: str, after: bool) -> None:
    _, writes = await killed_everywhere(partial(run, prepared, what, after=after), RUNS[what])
    assert len(writes) > (15 if what == "store" else 60)


@pytest.mark.full
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_killed_between_sets_of_testbeds_and_stages_it_ends_the_same(after: bool) -> None:
    """Only the campaign's own writes: those of testbeds and trials are the same in every set."""
    kinds = {"create": ("Testbed", "Trial"), "delete": ("Testbed",), "apply_status": ("Campaign",)}
    undisturbed, writes = await killed_everywhere(
        partial(run, two_stages, "cluster", after=after),
        runs=2,
        chosen=lambda write: kind_of(write) in kinds.get(verb_of(write), ()),
    )
    assert undisturbed.progress == (10, 0, 10, 0, 0)
    assert len(writes) > 80


async def test_the_script_is_copied_whenever_the_operator_dies() -> None:
    world = prepared()
    world.cluster.fail_next(Killed(), kind=CONFIG_MAP, verb="create")
    await world.run(world.ended)
    copies = [b["metadata"]["name"] for b in world.cluster.all(CONFIG_MAP, SPACE)]
    (script,) = [name for name in copies if "script" in name]
    assert {trial.spec.script_config_map for trial in world.trials()} == {script}
