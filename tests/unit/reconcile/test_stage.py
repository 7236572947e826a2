"""The next trial's clients start while the trial before it is proven; all else waits for that."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import StepDeadlines
from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, POD, TRIAL
from encbench.api.scalars import parse_duration
from encbench.api.workload import Recovery
from encbench.core.artefact import decode
from encbench.core.records import TrialRecord
from encbench.kube.fit import Node
from encbench.kube.nodes import PodRequest
from encbench.reconcile.campaign.decide import decide as decide_campaign
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import (
    Create,
    CreateJob,
    Delete,
    Gather,
    LeaveNodes,
    Prove,
    TakeNodes,
)
from encbench.reconcile.nodes import SPARE
from encbench.reconcile.objects import Trial
from encbench.reconcile.objects import trial as as_trial
from encbench.reconcile.pods import ContainerFacts
from encbench.reconcile.stage import holds_the_stage
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod, Sibling
from encbench.reconcile.trial.running import longest
from tests.unit.reconcile import campaigns
from tests.unit.reconcile.oracle import assert_sound, leftovers
from tests.unit.reconcile.pods import container
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.seen import (
    ALONE,
    NOW,
    PROVEN,
    Facts,
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    ago,
    found,
    ready,
    saw,
    wants,
    with_status,
)
from tests.unit.reconcile.world import SPACE, World, parts, study

MEASURED = {"Measured": ("True", 1.0)}
PROOF = parse_duration(a_trial().spec.step_deadlines.proof)


# -- a trial


def elsewhere(facts: Facts) -> Trial:
    """The trial before it, on a database of its own."""
    body = a_trial(facts).body
    body["spec"]["testbedRef"] = {"name": "other", "uid": "other-uid"}
    return as_trial(body)


PROVING = {**MEASURED, "ProvenAfter": ("Unknown", 1.0)}


def test_its_clients_start_and_nothing_else_does() -> None:
    decision = decide(a_trial(), saw(before=a_trial(PROVING), job=None))
    assert wants(decision, CreateJob)
    assert not wants(decision, Prove)


def test_another_server_is_proven_meanwhile() -> None:
    decision = decide(a_trial(), saw(before=elsewhere(PROVING), job=None))
    assert wants(decision, CreateJob)
    assert wants(decision, Prove)


def test_no_server_is_proven_while_another_is_measured() -> None:
    for facts in ({}, {"Measured": ("False", 1.0)}):
        decision = decide(a_trial(), saw(a_client(), before=elsewhere(facts)))
        assert not wants(decision, Prove)


@pytest.mark.parametrize("facts", [MEASURED, PROVING], ids=["measured", "proving"])
@pytest.mark.parametrize("before", [a_trial, elsewhere])
def test_clients_that_wait_are_not_released_before_the_stage_is_free(
    before: Callable[[Facts], Trial], facts: Facts
) -> None:
    seen = saw(a_client(), before=before(facts), found=found(PROVEN, 1.0))
    decision = decide(a_trial(), seen)
    assert decision.effects == ()
    assert decision.status.release_at is None
    assert decision.requeue is not None and decision.requeue <= 0.3


@pytest.mark.parametrize(
    "left",
    [
        a_trial({**MEASURED, "ProvenAfter": ("True", 1.0)}),
        a_trial({**MEASURED, "ProvenAfter": ("False", 1.0)}, outcome="Invalid"),
        a_trial(MEASURED, outcome="Failed"),
        None,
    ],
    ids=["proven", "not-proven", "ended", "deleted"],
)
def test_it_goes_on_once_the_stage_is_free(left: Trial | None) -> None:
    assert wants(decide(a_trial(), saw(a_client(), before=left)), Prove)
    proven = decide(a_trial(), saw(a_client(), before=left, found=found(PROVEN, 1.0)))
    assert proven.status.release_at is not None


@pytest.mark.parametrize(
    "left",
    [
        a_trial({**MEASURED, "ProvenAfter": ("True", 5.0)}),
        a_trial({"Released": ("True", 3 * PROOF), "Measured": ("False", 1.0)}, outcome="Failed"),
        None,
    ],
    ids=["proven", "overrun", "deleted"],
)
def test_no_deadline_of_a_proof_runs_before_the_server_may_be_asked(left: Trial | None) -> None:
    runs = a_trial({"Released": ("True", 3 * PROOF)}, releaseAt=NOW.timestamp() - 3 * PROOF)
    trial = a_trial(startTime=ago(3 * PROOF))
    waits = decide(trial, saw(a_client(), before=runs))
    assert waits.status.outcome is None
    assert not [fact for fact in waits.status.conditions if fact.type == "ProvenBefore"]
    asks = decide(replace(trial, status=waits.status), saw(a_client(), before=left))
    assert wants(asks, Prove)
    assert asks.status.outcome is None


# -- a trial that ended early

EARLY = {"Released": ("True", 9.0)}


def cut_short(*clients: ClientPod, released: float = 9.0, **fields: Any) -> TrialDecision:
    trial = a_trial(EARLY, releaseAt=NOW.timestamp() - released, outcome="Invalid")
    return decide(trial, saw(*clients, **fields))


def holds(decision: TrialDecision) -> bool:
    return holds_the_stage(replace(a_trial(), status=decision.status))


def test_what_runs_on_is_stopped_before_anything_else() -> None:
    for client in (a_client("running"), a_client(None, *ready("tool"))):
        decision = cut_short(client)
        assert [type(effect) for effect in decision.effects] == [Delete]
        assert holds(decision)
    after = cut_short(a_client("running", deleting=True), job=None)
    assert after.effects == ()
    assert holds(after)


@pytest.mark.parametrize(
    "decision",
    [
        cut_short(),
        cut_short(a_client("uploaded")),
        cut_short(a_client(None, ContainerFacts("tool", exit_code=143))),
        cut_short(a_client("running", is_silent=True), released=longest(a_trial().spec) + 1),
    ],
    ids=["gone", "uploaded", "ended", "overdue"],
)
def test_then_the_stage_is_free_and_the_record_is_made(decision: TrialDecision) -> None:
    fact = find(decision.status.conditions, "Measured")
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", "Stopped")
    assert wants(decision, Gather)
    assert not holds(decision)


@pytest.mark.parametrize("step", ["overrun", "recovery"])
def test_a_lease_holds_however_long_a_step_may_last(step: str) -> None:
    deadlines = StepDeadlines.model_validate({step: "999999h"})
    spec = a_trial().spec.model_copy(update={"step_deadlines": deadlines})
    if step == "recovery":
        crash = spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
        spec = spec.model_copy(update={"workload": crash})
    assert longest(spec) + SPARE < 2**31


GONE: dict[str, Any] = {"is_silent": True, "deleting": True, "ends": ago(11)}
"""Of a client that has had its time to end on a node that does not answer."""


LATE: dict[str, Any] = {"deleting": True, "ends": ago(11)}


@pytest.mark.parametrize(
    "pod", [{"is_silent": True}, GONE, LATE], ids=["there", "deleted", "never-ready"]
)
def test_a_client_that_is_cut_off_may_load_a_database_elsewhere_and_is_named(
    pod: dict[str, Any],
) -> None:
    decision = cut_short(a_client(None, node="n2", **pod), released=longest(a_trial().spec) - 60)
    assert holds(decision)
    fact = find(decision.status.conditions, "Hindered")
    assert fact is not None
    assert (fact.status, fact.reason) == ("True", "NodeLost")
    assert fact.message == (
        "node n2 of pod run-0 does not answer, and its tool may load the database until "
        f"{ago(-60)}: if the machine is off, delete Node n2"
    )
    assert decision.requeue == 15.0


@pytest.mark.parametrize(
    "lost",
    [
        {"testbed": None, "database": None},
        {"testbed": a_testbed({"Failed": ("True", 1.0)})},
        {"database": a_pod("bed-0", is_silent=True)},
    ],
    ids=["gone", "failed", "lost"],
)
def test_where_there_is_no_database_to_load_it_is_not_waited_for(lost: dict[str, Any]) -> None:
    assert not holds(cut_short(a_client(None, **GONE), **lost))
    ending = {**GONE, "ends": ago(9)}
    assert holds(cut_short(a_client(None, **ending), **lost))
    assert holds(cut_short(a_client(None, deleting=True, ends=ago(11)), **lost)), "it answers"


def test_a_start_that_was_taken_back_may_have_been_agreed_on_anew() -> None:
    """Another operator may have said so to a client that is cut off, until the step's deadline."""
    longer = longest(a_trial().spec) + parse_duration(a_trial().spec.step_deadlines.start)
    for released, is_held in ((longer - 60, True), (longer + 1, False)):
        trial = a_trial({"Released": ("True", released)}, outcome="Invalid")
        assert trial.status.release_at is None
        assert holds(decide(trial, saw(a_client(None, is_silent=True)))) is is_held


def test_the_log_of_what_was_stopped_has_a_moment_to_arrive() -> None:
    decision = cut_short(a_client("finished"))
    assert not wants(decision, Gather)
    assert not holds(decision)


def test_a_trial_that_was_over_before_this_rule_holds_nothing() -> None:
    over = a_trial({**EARLY, "Archived": ("True", 1.0)}, outcome="Invalid")
    assert not holds_the_stage(over)


# -- a campaign


def created(
    facts: Facts, released: float = 60.0, replicas: int = 1, **spec: Any
) -> list[dict[str, Any]]:
    """What is made beside a trial of ten seconds' warm-up, `released` seconds after its release."""
    of = campaigns.a_campaign(**spec)
    running = campaigns.the_trials(of, None, running=facts)
    for name, one in running.items():
        one.body["spec"]["workload"]["load"]["warmup"] = "10s"
        one.body["spec"]["workload"]["client"]["replicas"] = replicas
        one.body["status"]["releaseAt"] = NOW.timestamp() - released
        running[name] = as_trial(one.body)
    decision = decide_campaign(of, campaigns.saw(of, trials=running))
    return [
        effect.body["spec"]
        for effect in decision.effects
        if isinstance(effect, Create) and effect.kind is TRIAL
    ]


def test_the_next_trial_is_made_once_the_clients_have_ended() -> None:
    assert created({}) == []
    (early,) = created(MEASURED)
    assert early["after"].startswith("study-")
    (usual,) = created({**MEASURED, "ProvenAfter": ("True", 1.0)})
    assert "after" not in usual


@pytest.mark.parametrize(
    ("released", "made"),
    [(0.0, 1), (5.9, 1), (6.1, 0), (15.0, 0)],
    ids=["at once", "just in time", "too late", "in the window"],
)
def test_a_warm_up_that_is_long_enough_is_when_the_next_clients_start(
    released: float, made: int
) -> None:
    """Of ten seconds, four are needed."""
    assert len(created({"Released": ("True", released)}, released=released)) == made


@pytest.mark.parametrize(("released", "made"), [(1.9, 1), (2.1, 0)], ids=["in time", "too late"])
def test_more_clients_take_longer_to_start(released: float, made: int) -> None:
    """Of ten seconds, two of them need eight: they would start in the measured window."""
    facts: Facts = {"Released": ("True", released)}
    assert len(created(facts, released=released, replicas=2)) == made


def test_clients_at_the_barrier_are_looked_at_as_seldom_as_those_that_run() -> None:
    ready = {"Prepared": ("True", 1.0)}
    before = a_trial({"Released": ("True", 12.0)}, releaseAt=NOW.timestamp() - 12)
    assert decide(a_trial(ready), saw(a_client(), before=before)).requeue == 15.0
    before = a_trial({"Released": ("True", 69.0)}, releaseAt=NOW.timestamp() - 69)
    assert decide(a_trial(ready), saw(a_client(), before=before)).requeue == 1.0
    early = a_trial({"Released": ("True", 12.0)}, outcome="Invalid", releaseAt=NOW.timestamp())
    stops = decide(a_trial(ready), saw(a_client(), before=early))
    assert not wants(stops, Prove)
    assert stops.requeue is not None and stops.requeue <= 1.0, "its clients are being stopped"
    ended = a_trial({"Released": ("True", 12.0), "Measured": ("False", 1.0)}, outcome="Invalid")
    assert wants(decide(a_trial(ready), saw(a_client(), before=ended)), Prove)


CLIENT = {
    "containers": [{"name": "other", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]
}
NOWHERE = a_client(None, unschedulable="0/2 nodes have enough cpu", node=None, spec=CLIENT)


def test_clients_that_wait_for_room_of_the_trial_before_are_not_late() -> None:
    runs = a_trial({"Released": ("True", 900.0)}, releaseAt=NOW.timestamp() - 900)
    waits = decide(a_trial({"Prepared": ("False", 900.0)}), saw(NOWHERE, before=runs))
    facts = {fact.type: (fact.status, fact.reason) for fact in waits.status.conditions}
    assert waits.status.outcome is None
    assert facts["Prepared"] == ("Unknown", "Early")
    assert "Hindered" not in facts
    assert waits.requeue == 0.2, "the trial before is about to end"


@pytest.mark.parametrize("left", [a_trial(PROVING), a_trial({}, outcome="Failed"), None])
def test_they_have_the_steps_whole_time_from_then_on(left: Trial | None) -> None:
    trial = a_trial({"Prepared": ("Unknown", 900.0)}, startTime=ago(900))
    begins = decide(trial, saw(NOWHERE, before=left))
    assert begins.status.outcome is None
    facts = {fact.type: fact.reason for fact in begins.status.conditions}
    assert (facts["Prepared"], facts["Hindered"]) == ("Unschedulable", "Unschedulable")
    late = decide(a_trial({"Prepared": ("False", 302.0)}), saw(NOWHERE, before=left))
    assert (late.status.outcome, late.status.reason) == ("Failed", "Unschedulable")


def test_nor_are_those_that_wait_for_the_room_of_clients_that_still_store_results() -> None:
    waits = decide(a_trial({"Prepared": ("False", 900.0)}), saw(NOWHERE, leaving=("one", "two")))
    assert waits.status.outcome is None
    fact = find(waits.status.conditions, "Prepared")
    assert fact is not None
    assert (fact.status, fact.reason) == ("Unknown", "Early")
    assert fact.message.startswith("waits for clients of one, two, which still store results: ")
    later = decide(a_trial({"Prepared": ("Unknown", 900.0)}), saw(NOWHERE))
    assert later.status.outcome is None, "the step's time begins now"


def taken(name: str, cores: int = 4, **fields: Any) -> Node:
    """A node on which others work."""
    usual = Node(name, labels={}, taints=(), offers=PodRequest(1000 * cores, 8 << 30))
    return replace(usual, **fields)


OTHERS = (taken("n2"), taken("node-1"))
"""The second is its database's."""


def test_clients_that_wait_for_room_of_another_campaign_are_not_late_either() -> None:
    decision = decide(a_trial({"Prepared": ("False", 900.0)}), saw(NOWHERE, taken=OTHERS))
    facts = {fact.type: (fact.status, fact.reason) for fact in decision.status.conditions}
    assert decision.status.outcome is None
    assert facts["Prepared"] == ("Unknown", "NodeInUse")
    assert facts["Hindered"] == ("True", "NodeInUse")
    (told,) = [fact.message for fact in decision.status.conditions if fact.type == "Hindered"]
    assert told.startswith("waits for others, which work on node n2: pod run-0 fits no node: ")
    assert decision.requeue == 15.0, "what happens to its pod wakes us"
    later = decide(a_trial({"Prepared": ("Unknown", 900.0)}), saw(NOWHERE))
    assert later.status.outcome is None, "the step's time begins now"


TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    "nodes",
    [(), (taken("node-1"),), (taken("n2", cores=1),), (taken("n2", taints=(TAINT,)),)],
    ids=["none", "the database's", "too small", "cordoned"],
)
def test_those_who_could_use_no_node_of_others_are(nodes: tuple[Node, ...]) -> None:
    decision = decide(a_trial({"Prepared": ("False", 900.0)}), saw(NOWHERE, taken=nodes))
    assert decision.status.reason == "Unschedulable"


def test_of_several_none_waits_while_another_has_room_that_others_may_wait_for() -> None:
    """Two trials that have one of two nodes each would wait for each other for good."""
    late = a_trial({"Prepared": ("False", 900.0)}, replicas=2)
    decision = decide(late, saw(a_client(), NOWHERE, taken=OTHERS))
    assert decision.status.reason == "Unschedulable"
    waits = decide(late, saw(NOWHERE, NOWHERE, taken=OTHERS))
    assert waits.status.outcome is None


def test_a_block_leaves_its_nodes_while_one_of_its_trials_waits_for_room() -> None:
    """Those who fill it may wait for these."""
    ready_for_it = a_trial({"Prepared": ("True", 1e4), "ProvenBefore": ("True", 1e4)})
    one, other = Sibling(2, has_no_room=True), Sibling(3, ready=True)
    has = replace(ALONE, joined=True)
    leaves = decide(ready_for_it, saw(a_client(), siblings=(one, other), found=found(nodes=has)))
    assert [type(effect) for effect in leaves.effects] == [LeaveNodes]
    assert leaves.status.outcome is None
    left = found(nodes=NodeStanding())
    waits = decide(ready_for_it, saw(a_client(), siblings=(one, other), found=left))
    assert waits.effects == ()
    assert waits.status.outcome is None
    again = decide(ready_for_it, saw(a_client(), siblings=(other,), found=left))
    assert [type(effect) for effect in again.effects] == [TakeNodes]


@pytest.mark.parametrize(
    ("sibling", "ends"),
    [
        # Its deadlines are its own: it waits for a node, or its database is copied.
        (Sibling(1, under_way=True), False),
        (Sibling(1), True),
        # The first trial of the block has yet to see that all are ready.
        (Sibling(1, ready=True, ready_since=ago(3)), False),
        (Sibling(1, ready=True, ready_since=ago(1e4)), True),
    ],
    ids=["one-gets-ready", "one-is-missing", "all-are-ready", "none-releases"],
)
def test_a_block_is_waited_for_as_long_as_its_trials_get_ready(
    sibling: Sibling, ends: bool
) -> None:
    ready_for_it = a_trial({"Prepared": ("True", 1e4), "ProvenBefore": ("True", 1e4)})
    siblings = (sibling, Sibling(3, ready=True, ready_since=ago(1e4)))
    decision = decide(ready_for_it, saw(a_client(), siblings=siblings))
    assert decision.status.reason == ("StartTimeout" if ends else None)


def test_a_block_is_looked_at_the_less_often_the_longer_it_is_waited_for() -> None:
    for waited, delay in ((1.0, 0.2), (6.0, 0.6), (600.0, 1.0)):
        facts = {"Prepared": ("True", waited), "ProvenBefore": ("True", waited)}
        siblings = (Sibling(1, under_way=True), Sibling(3, ready=True, ready_since=ago(waited)))
        assert decide(a_trial(facts), saw(a_client(), siblings=siblings)).requeue == delay
    leader = Sibling(1, ready=True, ready_since=ago(1))
    soon = decide(a_trial(facts), saw(a_client(), siblings=(leader,)))
    assert soon.requeue == 0.2, "the first trial of the block is about to say when"


def test_what_no_end_of_another_trial_mends_is_told_before_that() -> None:
    image = ContainerFacts("tool", waiting_reason="ErrImagePull", waiting_message="no such image")
    decision = decide(a_trial(), saw(a_client(None, image), before=a_trial()))
    assert [f.reason for f in decision.status.conditions if f.type == "Hindered"] == [
        "ImagePullFailed"
    ]


def test_none_is_made_after_a_run_that_failed() -> None:
    assert created({"Measured": ("False", 1.0)}) == []


@pytest.mark.parametrize("spec", [{"reset": "trial"}, {"residency": "OnDemand"}, {"cache": "Cold"}])
def test_a_database_that_is_made_ready_for_each_trial_waits(spec: dict[str, Any]) -> None:
    assert created(MEASURED, **spec) == []
    assert len(created({**MEASURED, "ProvenAfter": ("True", 1.0)}, **spec)) == 1


def test_only_one_waits_behind_the_stage() -> None:
    of = campaigns.a_campaign()
    both = campaigns.the_trials(of, None, None)
    first, second = both
    measured = with_status(both[first].body, MEASURED, startTime=ago(30))
    seen = campaigns.saw(of, trials={first: as_trial(measured), second: both[second]})
    assert campaigns.made(decide_campaign(of, seen)) == []


def test_a_suspended_campaign_makes_none() -> None:
    assert created(MEASURED, suspend=True) == []


# -- together


async def held(world: World) -> tuple[Trial, Trial]:
    """Run until the second trial's clients wait behind the first, whose agent is away."""
    await world.run(world.running())
    for server in world.agent.servers.values():
        server.away = True
    await world.settle(60)
    first, second = sorted(world.trials(), key=lambda one: one.created)
    return first, second


def now(world: World, of: Trial) -> Trial:
    return next(one for one in world.trials() if one.name == of.name)


async def test_the_clients_wait_at_the_barrier_through_the_second_proof() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    first, second = await held(world)
    assert second.spec.after == first.name
    assert second.status.phase == "Preparing"
    waiting = {client.status for client in world.recorder.clients.values()}
    assert "waiting" in waiting and "running" not in waiting
    assert second.status.release_at is None
    for server in world.agent.servers.values():
        server.away = False
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    assert not leftovers(world)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}
    by_name = {t.name: t for t in world.trials()}
    key = by_name[first.name].status.artefact_key or ""
    record = decode(TrialRecord, world.store.objects[key], key)
    assert record.window is not None
    assert record.window.end < (by_name[second.name].status.release_at or 0)


async def test_a_node_that_holds_one_client_is_enough_however_long_a_trial_takes() -> None:
    world = World()
    world.controllers.scheduler = Scheduler(["node-1", "node-2"], clients=1)
    load = {"concurrency": [2], "warmup": "10s", "duration": "400s"}
    world.apply(*parts(load=load), study("plain", blocks=1))
    await world.run(lambda: len(world.trials()) == 2)
    first, second = sorted(world.trials(), key=lambda one: one.created)
    await world.settle(380)
    assert not is_true(now(world, first).status.conditions, "Measured")
    assert not is_true(now(world, second).status.conditions, "Hindered")
    await world.run(lambda: now(world, second).status.release_at is not None)


async def test_killed_in_between_it_goes_on() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    _, second = await held(world)
    world.restart()
    await world.settle(30)
    assert next(t for t in world.trials() if t.name == second.name).status.release_at is None
    for server in world.agent.servers.values():
        server.away = False
    await world.run(world.ended)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}


async def test_suspended_in_between_what_runs_is_finished_and_what_waits_is_put_off() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=2))
    first, second = await held(world)
    world.cluster.set_spec(CAMPAIGN, "bench", "study", suspend=True)
    for server in world.agent.servers.values():
        server.away = False
    await world.settle(150)
    assert [(t.name, t.status.outcome) for t in world.trials()] == [(first.name, "Succeeded")]
    assert world.campaign().status.step == "suspended"
    world.cluster.set_spec(CAMPAIGN, "bench", "study", suspend=False)
    await world.run(world.ended)
    assert second.name in {t.name for t in world.trials()}
    assert len(world.trials()) == 6


async def test_a_proof_that_fails_costs_its_block_and_no_other() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    first, _ = await held(world)
    for server in world.agent.servers.values():
        server.away = False
        server.restart()
    await world.run(world.ended)
    await world.settle(150)
    ends = {t.name: (t.status.outcome, t.status.reason) for t in world.trials()}
    assert ends.pop(first.name) == ("Invalid", "Disrupted")
    assert {outcome for outcome, _ in ends.values()} == {"Succeeded"}
    blocks = [t.spec.block for t in world.trials()]
    assert (blocks.count(1), blocks.count(2)) == (2, 3)
    assert_sound(world)


async def test_clients_of_a_trial_that_ended_early_have_stopped_before_the_next_one_starts() -> (
    None
):
    world = World()
    world.cluster.grace_seconds = 60
    world.controllers.delays = replace(world.controllers.delays, end=20.0)
    load = {"concurrency": [2], "warmup": "2s", "duration": "60s"}
    world.apply(*parts(load=load), study("tde", blocks=1))
    await world.run(world.running())
    (first,) = world.trials()
    (pod,) = world.latest("Pod", f"{first.name}-0-x")
    died = container("recorder", terminated={"exitCode": 1, "reason": "Error"})
    status = {**pod["status"], "containerStatuses": [container("tool", running={}), died]}
    world.cluster.set_status(POD, SPACE, pod["metadata"]["name"], status)
    await world.run(lambda: now(world, first).status.outcome == "Invalid")
    began = world.clock.time
    await world.run(
        lambda: any(t.status.release_at for t in world.trials() if t.name != first.name)
    )
    assert world.latest("Pod", f"{first.name}-0-x") == []
    assert world.clock.time - began > 20
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
