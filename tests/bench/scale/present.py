"""A campaign with thousands of finished trials, when a new operator comes.

The trials are copies of a real one of the same campaign, which differ by their places in the plan.
"""

import asyncio
import copy
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from encbench.api import kinds
from encbench.api.kinds import TRIAL
from tests.bench.scale import inputs
from tests.bench.scale.api import Api, Body
from tests.bench.scale.inputs import ARMS, SPACE

CONCURRENCY = (1, 2, 4, 8)
OPEN = 4
"""Blocks of each condition that are left to measure."""
AT_ONCE = 16

Place = tuple[int, int, str]
"""Concurrency, block, arm."""


def blocks(trials: int) -> int:
    """Of each condition, for so many trials in all."""
    return max(OPEN + 2, trials // (ARMS * len(CONCURRENCY)))


async def fill(api: Api, campaign: str, trials: int) -> int:
    """Copy until only the open blocks are left; the number of trials that are there then."""
    there = [
        body
        for body in await api.all(TRIAL, SPACE)
        if body["spec"]["campaignRef"]["name"] == campaign
    ]
    taken = {place(body) for body in there}
    arms = {body["spec"]["arm"]["name"]: body["spec"] for body in there}
    model = next(body for body in there if (body.get("status") or {}).get("result"))
    copies = _copies(model, arms, taken, blocks(trials) - OPEN)

    async def work() -> int:
        made = 0
        for body in copies:
            status = body.pop("status")
            created = await api.create(kinds.TRIAL, body)
            await api.put_status(kinds.TRIAL, {**created, "status": status})
            made += 1
        return made

    return len(there) + sum(await asyncio.gather(*(work() for _ in range(AT_ONCE))))


def place(body: Body) -> Place:
    """Of a trial in its campaign's plan."""
    spec = body["spec"]
    return spec["concurrency"], spec["block"], spec["arm"]["name"]


def _copies(model: Body, arms: Mapping[str, Any], taken: set[Place], last: int) -> Iterator[Body]:
    numbers = itertools.count()
    for block, concurrency in itertools.product(range(1, last + 1), CONCURRENCY):
        for order, (name, spec) in enumerate(arms.items(), 1):
            if (concurrency, block, name) in taken:
                continue
            made = copy.deepcopy(model)
            meta = model["metadata"]
            made["metadata"] = {
                "name": f"{inputs.BIG}-copy-{next(numbers):05d}",
                "namespace": SPACE,
                "labels": meta["labels"],
                "ownerReferences": meta["ownerReferences"],
            }
            made["spec"] |= {"block": block, "order": order, "concurrency": concurrency}
            made["spec"] |= {field: spec[field] for field in ("arm", "testbedRef")}
            yield made
