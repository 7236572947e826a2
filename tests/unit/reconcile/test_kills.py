"""The operator killed at every write of a whole campaign: the same final state each time.

Every write of an undisturbed run is hit once before and once after it happens. A run is hit at
every so-manieth of them, so that a few runs hit all; what a run did not come to because an earlier
hit changed its course is hit alone. With `ENCBENCH_EVERY_KILL_ALONE=1` each kill has its own run.
"""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pytest

from encbench.api.kinds import CONFIG_MAP
from tests.support import manifests
from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.oracle import FinalState, assert_sound, final_state
from tests.unit.reconcile.scripts import SCRIPT
from tests.unit.reconcile.world import SPACE, World, parts, study

ALONE = bool(os.environ.get("ENCBENCH_EVERY_KILL_ALONE"))
RUNS = {"cluster": 5, "store": 2}
Write = tuple[Hashable, int]
"""What is written, and for which time."""


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


class Killer:
    """Ends the operator at chosen writes, before or after they happen."""

    def __init__(self, targets: Sequence[Write] = (), *, after: bool = False) -> None:
        self.log: list[Write] = []
        self._waiting = set(targets)
        self._after = after
        self._counts: Counter[Hashable] = Counter()

    @property
    def left(self) -> set[Write]:
        """Targets that were never hit."""
        return self._waiting

    def watch(self, port: Any, verbs: Sequence[str], name: Callable[..., Hashable]) -> None:
        """Stand between the operator and these methods of a port."""
        for verb in verbs:
            setattr(port, verb, self._guarded(verb, getattr(port, verb), name))

    def _guarded(self, verb: str, method: Any, name: Callable[..., Hashable]) -> Any:
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            what = (verb, name(*args))
            self._counts[what] += 1
            write: Write = (what, self._counts[what])
            self.log.append(write)
            hit = write in self._waiting
            self._waiting.discard(write)
            if hit and not self._after:
                # It has not happened: the same write the next time counts as this one.
                self._counts[what] -= 1
                raise Killed
            try:
                return await method(*args, **kwargs)
            finally:
                if hit:
                    raise Killed

        return guarded


def watch_cluster(world: World, killer: Killer) -> None:
    def name(kind: Any, *args: Any) -> Hashable:
        body = args[0]
        plain = args[1] if isinstance(body, str) else body["metadata"]["name"]
        return kind.kind, plain

    verbs = ("create", "apply", "apply_status", "patch_metadata", "delete")
    killer.watch(world.cluster, verbs, name)


def watch_store(world: World, killer: Killer) -> None:
    verbs = ("put", "put_if_absent", "delete")
    killer.watch(world.store, verbs, lambda key, *_: str(key).rsplit("/", 2)[-1])


WATCHES = {"cluster": watch_cluster, "store": watch_store}


async def run(
    what: str,
    targets: Sequence[Write] = (),
    *,
    after: bool = False,
    campaign: Callable[[], World] = prepared,
) -> tuple[FinalState, list[Write], set[Write]]:
    """The final state, every write, and the targets that were not hit."""
    world, killer = campaign(), Killer(targets, after=after)
    WATCHES[what](world, killer)
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    assert world.deaths == len(targets) - len(killer.left)
    return final_state(world), killer.log, killer.left


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("what", ["cluster", "store"])
async def test_killed_at_every_write_it_ends_the_same(what: str, after: bool) -> None:
    undisturbed, log, _ = await run(what)
    writes = list(dict.fromkeys(log))
    assert len(writes) > (15 if what == "store" else 60)
    runs = len(writes) if ALONE else RUNS[what]
    batches = [writes[first::runs] for first in range(runs)]
    while batches:
        targets = batches.pop()
        state, _, missed = await run(what, targets, after=after)
        assert state == undisturbed, f"killed at {targets}"
        assert len(missed) < len(targets)
        batches += [[write] for write in missed]


async def test_killed_between_sets_of_testbeds_and_stages_it_ends_the_same() -> None:
    """Only the campaign's own writes: those of testbeds and trials are the same in every set."""
    undisturbed, log, _ = await run("cluster", campaign=two_stages)
    assert undisturbed.progress == (10, 0, 10, 0, 0)
    kinds = {"create": ("Testbed", "Trial"), "delete": ("Testbed",), "apply_status": ("Campaign",)}
    writes = [w for w in dict.fromkeys(log) if _kind(w) in kinds.get(_verb(w), ())]
    assert len(writes) > 80
    runs = len(writes) if ALONE else 2
    for after in (False, True):
        for first in range(runs):
            targets = writes[first::runs]
            state, _, missed = await run("cluster", targets, after=after, campaign=two_stages)
            assert state == undisturbed, f"killed {after=} at {targets}"
            # With its deaths a run tells of its progress a few times less.
            assert {_verb(write) for write in missed} <= {"apply_status"}
            assert len(missed) < len(targets) / 4 or ALONE


def _verb(write: Write) -> str:
    what: Any = write[0]
    return str(what[0])


def _kind(write: Write) -> str:
    what: Any = write[0]
    return str(what[1][0])


async def test_the_script_is_copied_whenever_the_operator_dies() -> None:
    world = prepared()
    world.cluster.fail_next(Killed(), kind=CONFIG_MAP, verb="create")
    await world.run(world.ended)
    copies = [b["metadata"]["name"] for b in world.cluster.all(CONFIG_MAP, SPACE)]
    (script,) = [name for name in copies if "script" in name]
    assert {trial.spec.script_config_map for trial in world.trials()} == {script}
