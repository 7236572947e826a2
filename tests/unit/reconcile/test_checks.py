"""Consistency of TPC-C's tables: after the load and after each trial, before the next one."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from encbench.api.conditions import find, parse_time
from encbench.reconcile import objects
from encbench.reconcile.checks import Checked, judge
from encbench.reconcile.effects.effect import AskChecks, Gather
from encbench.reconcile.objects import Trial
from encbench.reconcile.stage import holds_the_stage
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.tools.tpcc import consistency
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.seen import a_client, a_trial, ago, found, saw, tpcc_testbed, wants
from tests.unit.reconcile.trials import MEASURED, PROVEN_TWICE, verdict
from tests.unit.reconcile.world import World, study, tpcc_parts

GOOD = Checked(True, "Consistent", "6 queries gave no row in 0.1 s")
BAD = Checked(False, "Inconsistent", "next-order: a district's next order …, such as (1, 3)")
NAMES = [query.name for query in consistency.conditions("")]


def answer(broken: str = "", **changes: Any) -> Any:
    checks = [
        {"name": name, "meaning": f"{name} fails", "rows": [["1", "7"]] if name == broken else []}
        for name in NAMES
    ]
    usual = {"run": "r", "state": "done", "checks": checks, "error": None, "tookSeconds": 1.25}
    return {**usual, **changes}


def test_empty_results_are_what_is_wanted() -> None:
    assert judge(answer()) == Checked(True, "Consistent", "6 queries gave no row in 1.25 s")


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_an_inconsistency_and_is_shown(name: str) -> None:
    found = judge(answer(name))
    assert found == Checked(False, "Inconsistent", f"{name}: {name} fails, such as (1, 7)")


def test_the_slow_ones_are_missed_where_they_were_wanted() -> None:
    found = judge(answer(), full=True)
    assert found is not None
    assert (found.ok, found.reason) == (False, "CheckFailed")
    assert "carriers" in found.message and "delivered-amounts" in found.message


def test_while_it_runs_nothing_is_known() -> None:
    assert judge(answer(state="running", tookSeconds=None)) is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(state="failed", error="no table bmsql_warehouse"), "no table bmsql_warehouse"),
        (answer(checks=answer()["checks"][:-1]), f"the agent did not ask {NAMES[-1]}"),
        (answer(checks=[]), "did not ask"),
    ],
)
def test_what_was_not_asked_is_not_consistent(said: Any, why: str) -> None:
    found = judge(said)
    assert found is not None
    assert (found.ok, found.reason) == (False, "CheckFailed")
    assert why in found.message


def tpcc_trial(facts: Any) -> Trial:
    one = a_trial(facts)
    del one.body["spec"]["workload"]["sysbench"]
    one.body["spec"]["workload"]["tpcc"] = {"warehouses": 2}
    return objects.trial(one.body)


def after(facts: Any, **fields: Any) -> TrialDecision:
    client = a_client("uploaded", exit_code=0)
    return decide(tpcc_trial(facts), saw(client, testbed=tpcc_testbed(), **fields))


def consistent(decision: TrialDecision) -> str | None:
    fact = find(decision.status.conditions, "Consistent")
    return fact.status if fact else None


def test_a_trial_waits_for_its_checks() -> None:
    decision = after(PROVEN_TWICE)
    assert [type(effect) for effect in decision.effects] == [AskChecks]
    assert consistent(decision) == "Unknown", "it is announced"
    assert decision.requeue


def test_it_goes_on_when_they_are_good() -> None:
    decision = after(PROVEN_TWICE, found=found(checked=GOOD))
    assert consistent(decision) == "True"
    assert decision.status.outcome is None
    assert wants(after({**PROVEN_TWICE, "Consistent": ("True", 3.0)}), Gather)


def test_it_is_invalid_when_they_are_not() -> None:
    decision = after(PROVEN_TWICE, found=found(checked=BAD))
    assert consistent(decision) == "False"
    assert verdict(decision) == ("Invalid", "Inconsistent")
    assert "such as (1, 3)" in (decision.status.message or "")


def test_they_have_a_deadline() -> None:
    late = {**MEASURED, "ProvenAfter": ("True", 601.0)}
    ends = ("Invalid", "CheckTimeout")
    known = found(problem="the agent is away", asked={"checks": ago(601)})
    assert verdict(after(late, found=known)) == ends
    assert verdict(after({**MEASURED, "ProvenAfter": ("True", 599.0)}, found=known)) == (None, None)
    assert verdict(after(late, found=found())) == (None, None), "others are asked first"
    assert verdict(after(late, found=found(), database=None)) == ends, "there is none to ask"
    assert verdict(after({**late, "ProvenAfter": ("True", 1202.0)}, found=found())) == ends


def test_a_run_that_failed_is_not_checked() -> None:
    facts = {**PROVEN_TWICE, "Measured": ("False", 61.0)}
    assert verdict(after(facts)) == ("Failed", "ToolFailed")


def test_sysbench_has_nothing_to_check() -> None:
    decision = decide(a_trial(PROVEN_TWICE), saw(a_client("uploaded", exit_code=0)))
    assert consistent(decision) is None
    assert wants(decision, Gather)


@pytest.mark.parametrize(
    ("facts", "held"),
    [
        (MEASURED, True),
        (PROVEN_TWICE, True),
        ({**PROVEN_TWICE, "Consistent": ("True", 1.0)}, False),
        ({**PROVEN_TWICE, "Measured": ("False", 1.0)}, False),
    ],
)
def test_the_next_trial_waits_for_the_checks(facts: Any, held: bool) -> None:
    assert holds_the_stage(tpcc_trial(facts)) == held
    assert not holds_the_stage(a_trial(PROVEN_TWICE))


def test_the_next_trial_waits_while_they_are_made_and_not_where_they_cannot_be() -> None:
    under_way = after(PROVEN_TWICE).status
    trial = tpcc_trial(PROVEN_TWICE)
    assert holds_the_stage(replace(trial, status=under_way))
    facts = [
        c.model_copy(update={"reason": "NotChecked"}) if c.type == "Consistent" else c
        for c in under_way.conditions
    ]
    skipped = under_way.model_copy(update={"conditions": facts})
    assert not holds_the_stage(replace(trial, status=skipped))


# -- from the campaign to the report


async def test_a_campaign_with_tpcc() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=2))
    await world.run(world.ended)
    await world.settle()
    assert world.campaign().status.phase == "Succeeded", world.describe()
    trials = world.trials()
    assert len(trials) == 6
    for one in trials:
        fact = find(one.status.conditions, "Consistent")
        assert fact is not None
        assert fact.status == "True"
        assert one.status.result is not None
        new_orders = one.status.result.extra["newOrdersPerSecond"]
        assert new_orders == pytest.approx(0.45 * one.status.result.tps, rel=0.01)
        assert one.status.result.qps is None
    assert report(world).status.rows[0].qps is None
    assert_sound(world)
    assert not leftovers(world)


async def test_the_loaded_dataset_is_counted_and_checked_once() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=1))
    await world.run(world.ended)
    begun = world.agent.begun
    assert [fresh for _, fresh in begun] == [True] * 3 + [False] * 3
    assert len({run for run, _ in begun}) == 6


@pytest.mark.parametrize("blocks", [1, 2])
async def test_all_conditions_are_asked_once_of_each_database_at_the_end(blocks: int) -> None:
    world = World()
    world.apply(*tpcc_parts(fullCheck="AtEnd"), study("tde", blocks=blocks))
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    last = [one for one in world.trials() if one.spec.block == blocks]
    assert {one.uid for one in last} == {*world.agent.in_full}
    assert len({one.spec.testbed_ref.name for one in last}) == 3
    for one in last:
        fact = find(one.status.conditions, "Consistent")
        assert fact is not None
        assert fact.message.startswith("14 queries gave no row")


async def test_they_are_asked_of_the_databases_of_each_set() -> None:
    world = World()
    blocks = {"min": 4, "perTestbed": 1, "maxReplacements": 1}
    world.apply(*tpcc_parts(fullCheck="AtEnd"), study("tde", blocks=blocks))
    await world.run(world.ended, limit=20_000)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    asked = [one for one in world.trials() if one.uid in world.agent.in_full]
    beds = [one.spec.testbed_ref.name for one in asked]
    assert len(beds) == len(set(beds)) == 12


async def test_without_being_asked_for_they_are_never_asked() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=1))
    await world.run(world.ended)
    assert not world.agent.in_full


async def test_a_database_that_is_wrong_at_the_end_does_not_count() -> None:
    world = World()
    world.apply(*tpcc_parts(fullCheck="AtEnd"), study("tde", blocks=1, replacements=0))
    await world.run(world.running(1))
    for server in world.agent.servers.values():
        server.broken = ("customer-balance",)
    await world.run(world.ended)
    outcomes = {(t.status.outcome, t.status.reason) for t in world.trials()}
    assert outcomes == {("Invalid", "Inconsistent")}


async def test_no_trial_begins_while_another_one_s_tables_are_read() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=2))

    def slow() -> bool:
        for server in world.agent.servers.values():
            server.check_seconds = 40.0
        return world.ended()

    await world.run(slow)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    trials = sorted(world.trials(), key=lambda t: t.status.release_at or 0.0)
    for before, following in pairwise(trials):
        fact = find(before.status.conditions, "Consistent")
        assert fact is not None
        read_until = parse_time(fact.last_transition_time).timestamp()
        assert (following.status.release_at or 0.0) >= read_until - 1.0


async def test_an_inconsistent_database_is_no_measurement() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=2, replacements=1))
    await world.run(world.running(1))
    for server in world.agent.servers.values():
        server.broken = ("next-order",)
    await world.run(world.ended)
    await world.settle()
    outcomes = {(t.status.outcome, t.status.reason) for t in world.trials()}
    assert outcomes == {("Invalid", "Inconsistent")}
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TooManyInvalidTrials"
    assert {count.reason for count in report(world).status.invalid} == {"Inconsistent"}
    assert_sound(world)


async def test_nothing_is_measured_on_a_dataset_that_is_not_whole() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=2))

    def broken() -> bool:
        for server in world.agent.servers.values():
            server.broken = ("stock-count",)
        return world.ended()

    await world.run(broken)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TestbedFailed"
    assert "bmsql_stock does not hold the 200,000 rows of 2 warehouses" in failed.message
    assert world.trials() == []


async def test_an_operator_that_dies_in_the_midst_of_the_checks_asks_for_the_same() -> None:
    world = World()
    world.apply(*tpcc_parts(), study("tde", blocks=1))

    def checking() -> bool:
        for server in world.agent.servers.values():
            server.check_seconds = 30.0
        return any(not fresh for _, fresh in world.agent.begun)

    await world.run(checking)
    world.restart()
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    assert len(world.agent.begun) == 6
