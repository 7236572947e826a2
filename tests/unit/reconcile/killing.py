"""The operator killed at chosen writes of a campaign, and at every one of them.

Every write of an undisturbed run is hit once before or once after it happens. A run is hit at
every so-manieth of them, so that a few runs hit all; what a run did not come to because an earlier
hit changed its course is hit alone. With `ENCBENCH_EVERY_KILL_ALONE=1` each kill has its own run.
"""

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any

from tests.unit.reconcile.driver import Killed
from tests.unit.reconcile.oracle import assert_sound, final_state
from tests.unit.reconcile.world import World

ALONE = bool(os.environ.get("ENCBENCH_EVERY_KILL_ALONE"))
Write = tuple[Hashable, int]
"""What is written, and for which time."""
Outcome = tuple[Any, list[Write], set[Write]]
"""The final state, every write, and the targets that were not hit."""


async def killed_everywhere(
    run: Callable[[Sequence[Write]], Awaitable[Outcome]],
    runs: int,
    chosen: Callable[[Write], bool] = lambda _: True,
) -> tuple[Any, list[Write]]:
    """Kill at each chosen write, in about that many runs; AssertionError if one ends otherwise.

    `run` takes the targets. The final state that all runs have come to, and the chosen writes.
    """
    undisturbed, log, _ = await run(())
    writes = [write for write in dict.fromkeys(log) if chosen(write)]
    runs = len(writes) if ALONE else runs
    batches = [writes[first::runs] for first in range(runs)]
    while batches:
        targets = batches.pop()
        state, _, missed = await run(targets)
        assert state == undisturbed, f"killed at {targets}"
        assert len(missed) < len(targets)
        batches += [[write] for write in missed]
    return undisturbed, writes


async def run(
    campaign: Callable[[], World], what: str, targets: Sequence[Write] = (), *, after: bool
) -> Outcome:
    """A campaign whose operator is killed before or after its writes to the cluster or store."""
    world, killer = campaign(), Killer(targets, after=after)
    WATCHES[what](world, killer)
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    assert world.deaths == len(targets) - len(killer.left)
    return final_state(world), killer.log, killer.left


def verb_of(write: Write) -> str:
    """The port's method."""
    what: Any = write[0]
    return str(what[0])


def kind_of(write: Write) -> str:
    """The object's kind, of a write to the cluster."""
    what: Any = write[0]
    return str(what[1][0])


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
