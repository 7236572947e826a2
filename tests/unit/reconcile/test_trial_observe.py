"""What a pass over a trial looks at: it changes nothing, and knows what effects have found."""

from dataclasses import fields
from typing import Protocol, get_type_hints

import pytest

from encbench import ports
from encbench.reconcile.deps import Deps, Reads
from encbench.reconcile.trial.facts import Proven, TrialFound
from encbench.reconcile.trial.observe import observe
from tests.unit.reconcile.seen import PROVEN
from tests.unit.reconcile.world import World, parts, study

READS = {"get", "list", "pages", "logs", "now", "problem", "server", "state", "stopped"}
"""Every method of a port that only looks."""


async def test_looking_at_a_trial_in_mid_run_writes_nothing_and_asks_for_nothing() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,) = world.trials()
    writes, calls = len(world.cluster.writes), len(world.agent.calls)
    seen = await observe(world.deps, trial, TrialFound(after=Proven(PROVEN)))
    assert seen.job is not None
    assert [client.run is not None for client in seen.clients] == [True]
    assert seen.found.after == Proven(PROVEN)
    assert len(world.cluster.writes) == writes
    assert len(world.agent.calls) == calls


def test_what_observations_are_given_has_no_method_that_changes_anything() -> None:
    hints = get_type_hints(Reads)
    views = [hints[field.name] for field in fields(Reads) if field.name != "settings"]
    assert len(views) == 5
    for view in views:
        assert issubclass(view, Protocol)
        assert _methods(view) <= READS, view


@pytest.mark.parametrize("kind", ["campaign", "testbed", "trial"])
def test_observations_are_given_nothing_else(kind: str) -> None:
    module = __import__(f"encbench.reconcile.{kind}.observe", fromlist=["observe"])
    given = set(get_type_hints(module.observe).values())
    assert Reads in given
    assert Deps not in given
    acting = [ports.Cluster, ports.Store, ports.Metrics, ports.Agent, ports.Recorder, Deps]
    assert [one for one in vars(module).values() if one in acting] == []


def _methods(view: type) -> set[str]:
    return {name for name in dir(view) if not name.startswith("_")}
