"""What a trial costs the API server: requests over a whole campaign, which must not grow with it.

docs/scale.md says what a trial takes of these budgets. Requests of the preparation (testbeds,
acceptance, report) are the same for every length, so a trial's share is the difference between two.
"""

from collections import Counter
from dataclasses import replace

import pytest

from encbench.api.kinds import LEASE, TRIAL
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.world import World, parts, study

WRITES, READS = 10, 8
"""Requests a trial, at most."""
BLOCKS = (2, 4, 7)
"""Lengths that are compared, in blocks of three trials."""

Calls = Counter[tuple[str, str]]
"""By verb and kind."""


async def calls(blocks: int) -> tuple[Calls, int]:
    """Requests of a campaign of so many blocks from its creation to its end; its trials."""
    world = World()
    world.apply(*parts(), study("tde", blocks=blocks))
    await world.run(world.ended, limit=50_000)
    assert_sound(world)
    # A lease is renewed by the clock, whatever happens on its node.
    counted = Counter((c.verb, c.kind.kind) for c in world.cluster.calls if c.kind != LEASE)
    return counted, len(world.trials())


def share(few: tuple[Calls, int], many: tuple[Calls, int]) -> dict[tuple[str, str], float]:
    """Requests a trial, between a short campaign and a long one."""
    trials = many[1] - few[1]
    found = {what: (many[0][what] - few[0][what]) / trials for what in sorted(many[0] | few[0])}
    return {what: round(number, 6) for what, number in found.items()}


async def test_a_trial_costs_few_requests_however_many_there_were_before() -> None:
    short, middle, long = [await calls(n) for n in BLOCKS]
    first, last = share(short, middle), share(middle, long)
    print(*(f"{verb} {kind}: {number:.2f}" for (verb, kind), number in last.items()), sep="\n")
    for found in (first, last):
        reads = sum(number for (verb, _), number in found.items() if verb in ("get", "list"))
        writes = round(sum(found.values()) - reads, 3)
        print(f"{reads:.2f} reads and {writes:.2f} writes a trial")
        assert writes <= WRITES
        assert reads <= READS
    assert sum(last.values()) == pytest.approx(sum(first.values()), rel=0.1)


async def test_64_clients_cost_no_more_writes_than_one() -> None:
    world = World()
    client = {"image": "sysbench:1.0", "resources": {"cpu": "20m", "memory": "32Mi"}}
    load = {"concurrency": [64], "warmup": "2s", "duration": "6s"}
    world.apply(*parts(client={**client, "replicas": 64}, load=load), study("plain", blocks=1))
    world.controllers.delays = replace(world.controllers.delays, apart=0.7)
    await world.run(world.ended, limit=50_000)
    assert_sound(world)
    for trial in world.trials():
        assert trial.status.outcome == "Succeeded"
        assert trial.status.pods is not None
        assert len(trial.status.pods.clients) == 64
        own = [c for c in world.cluster.calls if (c.kind, c.name) == (TRIAL, trial.name)]
        writes = Counter(c.verb for c in own if c.verb not in ("get", "list"))
        assert sum(writes.values()) <= WRITES, writes
