"""What the operator writes of one trial, taken from a simulated campaign: the replay's script."""

import copy
from dataclasses import dataclass

from encbench.api.conditions import is_true
from encbench.api.kinds import JOB, TRIAL
from tests.bench.scale.api import Body
from tests.unit.reconcile.watched import Change
from tests.unit.reconcile.world import World, parts, study


@dataclass(frozen=True)
class Script:
    """The objects of one trial."""

    trial: Body
    """As it is created."""
    statuses: list[Body]
    """Each one that is written, in order."""
    job: Body


class _Recording(World):
    """A world that keeps every version of trials and Jobs."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Change] = []

    def _note(self, change: Change) -> None:
        super()._note(change)
        if change.kind in (TRIAL, JOB) and not change.gone:
            self.kept.append(Change(change.kind, copy.deepcopy(change.body)))


async def script() -> Script:
    """Of a trial in the middle of a campaign, which nothing disturbs."""
    world = _Recording()
    world.apply(*parts(), study("tde", blocks=3))
    await world.run(world.ended)
    trials = [one for one in world.trials() if is_true(one.status.conditions, "Archived")]
    name = trials[len(trials) // 2].name
    own = [one for one in world.kept if one.body["metadata"]["name"] == name]
    versions = [one.body for one in own if one.kind == TRIAL]
    job = next(one.body for one in own if one.kind == JOB)
    statuses: list[Body] = []
    for body in versions:
        status = body.get("status")
        if status and (not statuses or statuses[-1] != status):
            statuses.append(status)
    return Script(bare(versions[0]), statuses, bare(job))


def bare(body: Body) -> Body:
    """As a client sends it; owners are left out, because those of the script do not exist."""
    meta = {name: body["metadata"][name] for name in ("name", "namespace", "labels")}
    kept = ("apiVersion", "kind", "spec")
    return {"metadata": meta, **{name: body[name] for name in kept}}
