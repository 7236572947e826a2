"""What passes come to, as the operator's own metrics have it."""

import logging
from dataclasses import replace

import pytest

from encbench.adapters.meter import PrometheusMeter
from encbench.api.conditions import parse_time
from encbench.api.kinds import CAMPAIGN
from encbench.ports import CampaignFigures
from encbench.reconcile.gauges import Windows
from tests.support.metered import series
from tests.unit.reconcile.world import SPACE, World, parts, study


async def test_a_campaign_from_its_first_pass_to_its_deletion() -> None:
    meter = PrometheusMeter("1")
    world = World(meter=meter)
    world.apply(*parts(), study("plain", blocks=2))
    rates: set[float] = set()

    def watched() -> bool:
        rates.update(series(meter, "encbench_campaign_tps").values())
        return world.ended()

    await world.run(watched)
    await world.settle(60)
    assert rates, "the clients' TPS was shown while they ran"
    assert not series(meter, "encbench_campaign_tps"), "and no longer"
    done = sum(series(meter, "encbench_trials_total").values())
    assert done == len(world.trials())
    progress = series(meter, "encbench_campaign_trials")
    assert progress["study", SPACE, "succeeded"] == progress["study", SPACE, "planned"] == done
    gaps = series(meter, "encbench_dead_time_seconds_count")[()]
    assert gaps == done - 1, "one between each two windows"
    assert series(meter, "encbench_campaigns") == {(SPACE, world.campaign().status.phase): 1}
    ended = series(meter, "encbench_ended_campaigns_total")
    assert {key: n for key, n in ended.items() if n} == {
        (SPACE, "Complete", "AllBlocksMeasured"): 1
    }

    end = {("study", SPACE, "Complete", "AllBlocksMeasured"): at_end(world)}
    assert series(meter, "encbench_campaign_end_timestamp_seconds") == end
    world.deps = replace(world.deps, meter=(meter := PrometheusMeter("1")))
    world.restart()
    # As the list does with which a new process' watch begins.
    world.operators[0].loop.changed(CAMPAIGN, world.cluster.one(CAMPAIGN, SPACE, "study"))
    await world.settle(60)
    assert series(meter, "encbench_campaign_end_timestamp_seconds") == end

    body = await world.cluster.get(CAMPAIGN, SPACE, "study")
    assert body is not None
    await world.cluster.delete(CAMPAIGN, SPACE, "study", body["metadata"]["uid"])
    await world.settle(60)
    assert not series(meter, "encbench_campaigns")
    assert not series(meter, "encbench_campaign_trials")
    assert not series(meter, "encbench_campaign_end_timestamp_seconds")


def at_end(world: World) -> float:
    """When its campaign was over, as its status says."""
    return parse_time(world.campaign().status.completion_time or "").timestamp()


class Broken(PrometheusMeter):
    """Fails at every campaign."""

    def campaign(self, figures: CampaignFigures) -> None:
        raise RuntimeError("no more memory")


async def test_a_meter_that_fails_disturbs_no_pass(caplog: pytest.LogCaptureFixture) -> None:
    world = World(meter=Broken("1"))
    world.apply(*parts(), study("plain", blocks=1))
    with caplog.at_level(logging.CRITICAL):
        await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()


def test_windows_of_one_block_have_nothing_between_them() -> None:
    windows = Windows()
    assert windows.add("a", "x", "c1", 10, 20) is None, "the first"
    assert windows.add("a", "x", "c1", 15, 25) is None, "beside it"
    assert windows.add("b", "x", "c1", 30, 40) is None, "of another namespace"
    assert windows.add("a", "x", "c2", 27, 28) is None, "of another cell, beside it"
    assert windows.add("a", "x", "c1", 28, 30) == 3
    windows.forget("a", "x")
    assert windows.add("a", "x", "c1", 40, 50) is None
