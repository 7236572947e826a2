"""What ten thousand finished trials cost a new process: `make bench-ledger`, TRIALS=10000.

The API server is played by a reader that makes every Trial from a text, as the adapter would, so
that nothing but the operator is measured: how long it takes to the first decision, how much memory
it has then, and what a pass costs with and without them.
"""

import argparse
import asyncio
import json
import resource
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from encbench import __main__ as operator
from encbench.admission import campaign as admission
from encbench.api.conditions import is_true
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.core import plan
from encbench.ports import Body
from encbench.reconcile import objects
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.facts import CampaignFound
from encbench.reconcile.campaign.ledger import Ledger
from encbench.reconcile.campaign.observe import observe
from encbench.reconcile.deps import Reads
from tests.bench import program
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

SECONDS, MEBIBYTES, PASS = 15.0, 350.0, 0.05
CONCURRENCY = [1, 2, 4, 8]
ARMS, PAGE, PASSES = 3, 500, 20


class Finished:
    """The API server with one campaign, whose first trials are over; a `ports.Reader`."""

    def __init__(self, world: World, trials: int) -> None:
        self._world = world
        campaign = world.campaign()
        assert campaign.status.resolved is not None
        (cell,) = plan.cells(campaign.spec, campaign.status.resolved.workloads)
        over = next(t for t in world.trials() if is_true(t.status.conditions, "Archived"))
        self._text = json.dumps({**over.body, "metadata": _bare(over.body["metadata"])})
        self._places = [
            (condition.concurrency, block, order, arm)
            for block in range(1, trials // (ARMS * len(CONCURRENCY)))
            for condition in cell.conditions
            for order, arm in enumerate(cell.arms, 1)
        ]
        self.count = len(self._places)

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        return self._world.cluster.one(kind, namespace, name) if kind == CAMPAIGN else None

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> Sequence[Body]:
        return self._world.cluster.all(kind, namespace) if kind == TESTBED else []

    async def pages(
        self, kind: Kind, namespace: str, labels: Mapping[str, str] | None = None
    ) -> AsyncIterator[Sequence[Body]]:
        assert (kind, namespace) == (TRIAL, SPACE)
        for first in range(0, self.count, PAGE):
            yield [self._trial(n) for n in range(first, min(first + PAGE, self.count))]

    def _trial(self, number: int) -> Body:
        body: Body = json.loads(self._text)
        concurrency, block, order, arm = self._places[number]
        body["metadata"] |= {"name": f"{NAME}-{number:05d}", "uid": f"{number:036d}"}
        own = {"concurrency": concurrency, "block": block, "order": order, "arm": arm.to_dict()}
        body["spec"] |= own
        return body


def _bare(meta: Body) -> Body:
    """As after its retirement."""
    labels = {name: value for name, value in meta["labels"].items() if "active" not in name}
    return {**meta, "labels": labels}


async def measured(trials: int) -> dict[str, float]:
    """Figures by name."""
    world = World()
    load = {"concurrency": CONCURRENCY, "warmup": "2s", "duration": "6s"}
    blocks = trials // (ARMS * len(CONCURRENCY)) - 1
    # What the limit of a campaign could be is the question.
    setattr(admission, "MAX_TRIALS", trials)  # noqa: B010 - it is a constant everywhere else
    world.apply(*parts(load=load), study("tde", blocks=blocks))
    await world.run(lambda: world.campaign().status.progress.succeeded > 0)
    campaign, server = objects.campaign(world.cluster.one(CAMPAIGN, SPACE, NAME)), None
    found = {}
    for label, number in (("few", 24), ("all", trials)):
        server = Finished(world, number)
        fields: dict[str, Any] = {"agent": world.agent, "recorder": world.recorder}
        read = Reads(
            cluster=server,  # type: ignore[arg-type]
            direct=server,  # type: ignore[arg-type]
            clock=world.clock,
            settings=world.deps.settings,
            **fields,
        )
        known, began = CampaignFound(Ledger()), time.monotonic()
        decide(campaign, await observe(read, campaign, known))
        first = time.monotonic() - began
        began = time.monotonic()
        for _ in range(PASSES):
            decision = decide(campaign, await observe(read, campaign, known))
        found[f"seconds to the first decision, {label}"] = first
        found[f"seconds a pass, {label}"] = (time.monotonic() - began) / PASSES
        assert decision.status.progress.succeeded == server.count
    assert server is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"trials": server.count, **found, f"MiB, {operator.__package__} included": peak}


def main() -> int:
    """Measure and judge; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    found = asyncio.run(measured(parser.parse_args().trials))
    for what, value in found.items():
        print(f"{what}: {value:,.4g}")
    limits = {"seconds to": SECONDS, "MiB": MEBIBYTES, "seconds a pass": PASS}
    over = [
        what
        for what, value in found.items()
        for start, limit in limits.items()
        if what.startswith(start) and value > limit
    ]
    print(f"over its bound: {', '.join(over)}" if over else "all within the bounds")
    return bool(over)


if __name__ == "__main__":
    program.run(main)
