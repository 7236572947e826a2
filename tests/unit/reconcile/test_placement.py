"""Nodes through a campaign: where clients stay, what is recorded, what makes a trial Invalid."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.base import Placement
from encbench.api.conditions import find
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import JOB, NODE, POD, POD_DISRUPTION_BUDGET, STATEFUL_SET, TESTBED
from encbench.api.testbed import Machine
from encbench.api.trial import ReleasedPods
from encbench.core import plan
from encbench.core.artefact import decode
from encbench.core.evidence import ProvenanceRecord
from encbench.core.records import TrialRecord
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile.campaign import placement
from encbench.reconcile.campaign.ledger import line
from encbench.reconcile.effects.effect import CreateJob
from encbench.reconcile.objects import Campaign, Testbed, Trial
from encbench.reconcile.trial import placed
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from tests.support.testbeds import GOCRYPTFS
from tests.unit.reconcile import campaigns
from tests.unit.reconcile.nodes import node
from tests.unit.reconcile.oracle import assert_sound, leftovers
from tests.unit.reconcile.pods import CLIENT_NODE, DATABASE_NODE
from tests.unit.reconcile.seen import (
    NOW,
    PROVEN,
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    found,
    ready,
    saw,
    wants,
)
from tests.unit.reconcile.trials import BEFORE, MEASURED, RUNNING, verdict
from tests.unit.reconcile.world import SPACE, World, parts, study

HERE: dict[str, Any] = {
    "node": "node-1",
    "cpuModel": "Some CPU",
    "kernel": "6.1.0",
    "allocatableCores": 8.0,
    "allocatableBytes": 32 << 30,
}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def pods(database: str = "bed-0", *clients: str, node: str = "node-1") -> dict[str, Any]:
    """What a status says of the pods at the release."""
    return {
        "pods": {
            "database": {"uid": database, "node": node},
            "clients": [{"uid": uid, "node": "node-2"} for uid in clients or ("run-0",)],
        }
    }


# -- a trial


def test_the_release_writes_down_the_pods_and_their_nodes() -> None:
    decision = decide(a_trial({"ProvenBefore": ("True", 1.0)}), saw(a_client()))
    known = decision.status.pods
    assert known is not None
    assert known.to_dict() == {
        "database": {"uid": "bed-0", "node": "node-1", "restarts": 0},
        "clients": [{"uid": "run-0", "node": "node-1", "restarts": 0}],
    }


def look(facts: Mapping[str, Any], *clients: Any, **fields: Any) -> TrialDecision:
    trial = a_trial(facts, releaseAt=NOW.timestamp() - 5, serverStarted=5.0, **pods())
    return decide(trial, saw(*clients, **fields))


SERVER = ready("server", "agent")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"database": a_pod("bed-0", *SERVER)}, None),
        ({"database": a_pod("bed-0", *SERVER, uid="other")}, "the database pod was replaced"),
        (
            {"database": a_pod("bed-0", *SERVER, uid="other", node="node-2")},
            "the database moved from node node-1 to node-2",
        ),
    ],
)
@pytest.mark.parametrize("facts", [RUNNING, MEASURED], ids=["running", "measured"])
def test_a_database_that_was_replaced_makes_it_invalid_at_the_next_look(
    facts: Mapping[str, Any], fields: dict[str, Any], words: str | None
) -> None:
    client = a_client("running" if facts is RUNNING else "finished", exit_code=0)
    decision = look(facts, client, **fields)
    if words is None:
        assert decision.status.outcome is None
        return
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert (decision.status.message or "").startswith(words)


def test_a_proof_of_the_pod_that_took_its_place_is_no_proof() -> None:
    other = a_pod("bed-0", *SERVER, uid="other")
    proven = found(PROVEN, 5.0)
    decision = look(MEASURED, a_client("finished", exit_code=0), database=other, found=proven)
    assert verdict(decision) == ("Invalid", "Disrupted")
    fact = find(decision.status.conditions, "ProvenAfter")
    assert fact is not None
    assert fact.status == "False"


def test_a_client_that_was_replaced_makes_it_invalid() -> None:
    decision = look(RUNNING, a_client("running", uid="other"))
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.message == "a client pod was replaced while the trial ran"


def test_a_trial_that_an_earlier_operator_released_goes_on() -> None:
    trial = a_trial(RUNNING, releaseAt=NOW.timestamp() - 5)
    assert decide(trial, saw(a_client("running"))).status.outcome is None


def test_nodes_are_those_of_the_release_wherever_the_pods_are_now() -> None:
    trial = a_trial(MEASURED, **pods())
    moved = saw(a_client(node="node-9"), database=a_pod(node="node-9"))
    assert placed.database_node(trial, moved) == "node-1"
    assert placed.client_nodes(trial, moved) == {0: "node-2"}
    gone = saw(database=None)
    assert placed.database_node(trial, gone) == "node-1"
    assert placed.client_nodes(trial, gone) == {0: "node-2"}
    never = a_trial(BEFORE)
    assert placed.database_node(never, moved) == "node-9"
    assert placed.client_nodes(never, moved) == {0: "node-9"}


def test_no_client_is_made_before_its_database_s_node_is_known() -> None:
    unknown = a_testbed()
    waits = decide(a_trial(), saw(job=None, testbed=unknown))
    assert not wants(waits, CreateJob)
    assert waits.requeue == 1.0
    known = a_testbed(machine=HERE)
    assert wants(decide(a_trial(), saw(job=None, testbed=known)), CreateJob)
    alike = a_trial()
    allowed = replace(alike, spec=alike.spec.model_copy(update={"allow_colocation": True}))
    assert wants(decide(allowed, saw(job=None, testbed=unknown)), CreateJob)


@pytest.mark.parametrize(
    ("database", "bed", "keeps_off"),
    [
        (a_pod("bed-0", *SERVER), {}, True),
        (None, {}, False),
        (a_pod("bed-0"), {}, False),
        (a_pod("bed-0", *SERVER, deleting=True), {}, False),
        (a_pod("bed-0", *SERVER, node="node-9"), {}, False),
        (a_pod("bed-0", *SERVER), {"residency": "OnDemand"}, False),
        (a_pod("bed-0", *SERVER), {"reset": "trial"}, False),
        (a_pod("bed-0", *SERVER), {"cache": "Cold"}, False),
    ],
)
def test_a_database_keeps_clients_off_while_it_is_there_and_stays(
    database: Any, bed: dict[str, Any], keeps_off: bool
) -> None:
    testbed = a_testbed(machine=HERE)
    testbed = replace(testbed, spec=testbed.spec.model_copy(update=bed))
    decision = decide(a_trial(), saw(job=None, testbed=testbed, database=database))
    (create,) = [one for one in decision.effects if isinstance(one, CreateJob)]
    assert create.keeps_off is keeps_off


def test_a_client_that_took_its_database_s_node_gives_it_back() -> None:
    """Its pod was deleted by others, and the client was quicker than the next one."""
    nowhere = a_pod("bed-0", node=None, unschedulable="0/2 nodes are available")
    client = a_client(node="node-1")
    decision = decide(a_trial(), saw(client, database=nowhere))
    assert verdict(decision) == ("Failed", "Unschedulable")
    assert decision.status.message == (
        "pod run-0 took node node-1 while the database's pod was away, which fits no node now: "
        "0/2 nodes are available"
    )
    elsewhere = decide(a_trial(), saw(a_client(node="node-2"), database=nowhere))
    assert elsewhere.status.outcome is None
    starting = decide(a_trial(), saw(client, database=a_pod("bed-0", node="node-1")))
    assert starting.status.outcome is None
    one = a_trial()
    allowed = replace(one, spec=one.spec.model_copy(update={"allow_colocation": True}))
    assert decide(allowed, saw(client, database=nowhere)).status.outcome is None


def with_limits(name: str, kind: str = "containers", **limits: str) -> dict[str, Any]:
    """A pod's spec with one container."""
    return {"spec": {kind: [{"name": name, "resources": {"limits": limits}}]}}


def test_other_limits_make_a_trial_invalid_before_it_is_measured() -> None:
    bed, usual = a_testbed(machine=HERE), a_trial({"ProvenBefore": ("True", 1.0)})
    server = bed.spec.instance.embedded.resources
    tool = usual.spec.workload.client.resources

    def look(database: dict[str, Any], client: dict[str, Any]) -> TrialDecision:
        pod = a_pod("bed-0", *SERVER, **database)
        return decide(usual, saw(a_client(**client), testbed=bed, database=pod))

    memory, milli = f"{tool.memory_bytes}", f"{1000 * server.cores:g}m"
    same = with_limits("server", cpu=milli, memory=server.memory)
    asked = with_limits("tool", cpu=tool.cpu, memory=memory)
    assert look(same, asked).status.outcome is None, "they are the same amounts"
    assert look(with_limits("sidecar", cpu="1m"), asked).status.outcome is None, "it is not ours"
    assert (
        look(with_limits("server", cpu="1e9", memory=server.memory), asked).status.outcome is None
    )
    less = look(with_limits("server", cpu="1m", memory=server.memory), asked)
    assert verdict(less) == ("Invalid", "OtherLimits")
    assert less.status.release_at is None
    assert less.status.message == (
        "container server of pod bed-0 has 1m cpu as its limit instead of "
        f"{server.cpu}: have the cluster's webhooks leave its pods alone"
    )
    none = look(same, with_limits("tool", cpu=tool.cpu))
    assert "of pod run-0 has no memory as its limit" in (none.status.message or "")


@pytest.mark.parametrize(
    ("asked", "rounded"),
    [("1.3333", "1334m"), ("0.3333", "334m"), ("333.5m", "334m"), ("0.29", "290m"), ("4", "4000m")],
)
def test_a_limit_of_cpu_that_kubernetes_has_rounded_up_is_no_other(
    asked: str, rounded: str
) -> None:
    bed, usual = a_testbed(machine=HERE), a_trial({"ProvenBefore": ("True", 1.0)})
    client = usual.spec.workload.client
    resources = client.resources.model_copy(update={"cpu": asked, "memory": "1.1Gi"})
    own = {"client": client.model_copy(update={"resources": resources})}
    workload = usual.spec.workload.model_copy(update=own)
    one = replace(usual, spec=usual.spec.model_copy(update={"workload": workload}))

    def outcome(cpu: str) -> str | None:
        limits = with_limits("tool", cpu=cpu, memory="1181116006400m")
        return decide(one, saw(a_client(**limits), testbed=bed)).status.outcome

    assert outcome(rounded) is None
    assert outcome(asked) is None
    assert outcome(f"{int(rounded[:-1]) + 1}m") == "Invalid"


@pytest.mark.parametrize(
    ("mode", "kind", "name"),
    [
        ({"columns": {"method": "confidential", "ratio": 0}}, "containers", "proxy"),
        (GOCRYPTFS, "initContainers", "volume"),
    ],
    ids=["proxy", "volume"],
)
def test_the_limits_of_what_stands_beside_the_server_count_too(
    mode: dict[str, Any], kind: str, name: str
) -> None:
    bed = a_testbed(machine=HERE)
    own = EncryptionModeSpec.model_validate(mode)
    bed = replace(bed, spec=bed.spec.model_copy(update={"mode": own}))
    pod = a_pod("bed-0", *SERVER, **with_limits(name, kind, cpu="1m", memory="1Mi"))
    decision = decide(a_trial(), saw(testbed=bed, database=pod))
    assert verdict(decision) == ("Invalid", "OtherLimits")


def like(wanted: Mapping[str, Any] | None, **has: Any) -> TrialDecision:
    one = a_trial({"ProvenBefore": ("True", 1.0)})
    machine = None if wanted is None else Machine.model_validate(wanted)
    trial = replace(one, spec=one.spec.model_copy(update={"machine": machine}))
    return decide(trial, saw(a_client(), testbed=a_testbed(machine={**HERE, **has})))


def test_an_unlike_node_makes_a_trial_invalid_before_it_costs_anything() -> None:
    assert like(HERE).status.outcome is None
    assert like(None, cpuModel="Other").status.outcome is None
    assert like(HERE, node="node-2").status.outcome is None
    decision = like(HERE, node="node-2", cpuModel="Other", kernel="6.2.0")
    assert verdict(decision) == ("Invalid", "UnlikeNodes")
    assert decision.status.release_at is None
    assert decision.status.message == (
        "node node-2 of its database is unlike the baseline's, node-1: CPU Other against Some CPU; "
        "kernel 6.2.0 against 6.1.0"
    )


# -- where the clients of the next trial run


class Cell:
    """The first cell of a campaign, with its trials so far."""

    def __init__(self, **spec: Any) -> None:
        self.of: Campaign = campaigns.a_campaign(**{"blocks": {"min": 6}, **spec})
        self.trials: dict[str, Trial] = {}

    def ran(self, *nodes: str, outcome: str = "Succeeded", reason: str | None = None) -> Trial:
        """One more trial; it was never released if there are no nodes."""
        number = len(self.trials)
        made = campaigns.the_trials(self.of, *["Succeeded"] * (number + 1))
        trial = list(made.values())[-1]
        released = ReleasedPods.model_validate(
            {"clients": [{"uid": f"{trial.name}-{node}", "node": node} for node in nodes]}
        )
        status = trial.status.model_copy(
            update={
                "outcome": outcome,
                "reason": reason,
                "release_at": 1000.0 + number if nodes else None,
                "pods": released if nodes else None,
            }
        )
        created = f"2030-01-01T11:{number:02d}:00Z"
        self.trials[trial.name] = replace(trial, status=status, created=created)
        return trial

    def next(self, database: str | None = "n1") -> list[str]:
        """Nodes of the next trial's clients, with its database there."""
        cell = campaigns.the_cell(self.of)
        attempts = [line(one).past for one in self.trials.values()]
        planned = plan.next_trial(self.of.spec, cell, attempts).next_trial
        assert planned is not None
        seen = replace(campaigns.saw(self.of), trials=self.trials)
        bed = a_testbed(machine=None if database is None else {"node": database})
        resolved = campaigns.RESOLVED
        return placement.client_nodes(self.of, seen, planned, resolved, bed)


def test_the_first_clients_run_where_the_scheduler_puts_them_and_all_others_there() -> None:
    cell = Cell()
    assert cell.next() == []
    cell.ran("n2")
    assert cell.next() == ["n2"]
    cell.ran("n2", outcome="Invalid", reason="ProofFailed")
    assert cell.next() == ["n2"]


def test_replicas_stay_on_their_nodes_together() -> None:
    cell = Cell()
    cell.ran("n3", "n2", "n3")
    assert cell.next() == ["n2", "n3"]


def test_clients_of_another_placement_have_nodes_of_their_own() -> None:
    """Of two workloads in one cell one may be bound to nodes that the other's never use."""
    cell = Cell()
    cell.ran("n2")
    trial = cell.ran("n9")
    bound = Placement(node_selector={"pool": "far"})
    client = trial.spec.workload.client.model_copy(update={"placement": bound})
    workload = trial.spec.workload.model_copy(update={"client": client})
    spec = trial.spec.model_copy(update={"workload": workload})
    cell.trials[trial.name] = replace(trial, spec=spec)
    assert cell.next() == ["n2"]


def test_a_trial_that_was_never_released_says_nothing_of_nodes() -> None:
    cell = Cell()
    cell.ran("n2")
    cell.ran(outcome="Invalid", reason="ProofFailed")
    assert cell.next() == ["n2"]


@pytest.mark.parametrize("reason", ["Unschedulable", "StartTimeout", "NodeLost", "PodEnded"])
def test_clients_that_fit_there_no_longer_go_elsewhere_and_stay_there(reason: str) -> None:
    cell = Cell()
    cell.ran("n2")
    cell.ran(outcome="Failed", reason=reason)
    assert cell.next() == []
    cell.ran("n3")
    assert cell.next() == ["n3"]


def test_of_several_that_found_no_room_the_last_one_says_whether_to_stay() -> None:
    """A new process reads them by their names, not in the order in which they were made."""
    cell = Cell()
    cell.ran(outcome="Failed", reason="Unschedulable")
    cell.ran("n2")
    cell.ran(outcome="Failed", reason="Unschedulable")
    assert cell.next() == []
    cell.trials = dict(reversed(cell.trials.items()))
    assert cell.next() == []


def test_with_like_nodes_clients_never_go_elsewhere() -> None:
    cell = Cell(limits={"likeNodes": True})
    cell.ran("n2")
    cell.ran(outcome="Failed", reason="Unschedulable")
    assert cell.next() == ["n2"]


def test_arms_on_each_other_s_client_node_have_nodes_of_their_own() -> None:
    cell = Cell()
    cell.ran("n2")
    assert cell.next("n2") == [], "its own database is there"
    cell.ran("n1")
    assert cell.next("n2") == ["n1"]
    assert cell.next("n1") == ["n2"], "the older one, because the newer is its database's node"
    together = Cell(allowColocation=True)
    together.ran("n2")
    assert together.next("n2") == ["n2"]


def test_clients_of_an_interleaved_block_stay_where_any_of_its_arms_ran() -> None:
    cell = Cell(blocks={"min": 6, "interleave": {"rounds": 4}})
    cell.ran("n2")
    cell.ran("n3")
    assert cell.next() == ["n2", "n3"]


def test_what_all_nodes_have_to_be_like_is_the_baseline_s() -> None:
    def bed(role: str, **machine: Any) -> Testbed:
        one = a_testbed(machine={**HERE, **machine})
        arm = one.spec.arm.model_copy(update={"role": role})
        return replace(one, spec=one.spec.model_copy(update={"arm": arm}))

    beds = [bed("treatment", node="n7"), bed("baseline", node="n8")]
    strict = campaigns.a_campaign(limits={"likeNodes": True})
    wanted = placement.machine(strict, beds)
    assert wanted is not None
    assert wanted.node == "n8"
    assert placement.machine(campaigns.a_campaign(), beds) is None


# -- whole campaigns


def with_nodes(**spec: Any) -> World:
    world = World()
    for name in (DATABASE_NODE, CLIENT_NODE):
        world.cluster.add(NODE, node(name))
    world.apply(*parts(), study("tde", blocks=2, **spec))
    return world


async def jobs_of(world: World) -> dict[str, Body]:
    """The pods' templates of all clients' Jobs that there ever were."""
    made: dict[str, Body] = {}

    def look_at_jobs() -> bool:
        for body in (change.body for change in world.delivered if change.kind == JOB):
            if name := body["metadata"]["labels"].get(labels.TRIAL):
                made.setdefault(name, body["spec"]["template"])
        return world.ended()

    await world.run(look_at_jobs)
    return made


def required(template: Body) -> list[tuple[str, str]]:
    terms = template["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    fields = [field for term in terms for field in term["matchFields"]]
    return [(field["operator"], *field["values"]) for field in fields]


@pytest.mark.parametrize("spec", [{}, {"residency": "OnDemand"}, {"reset": "trial"}], ids=str)
async def test_clients_are_kept_off_their_database_s_node_whether_it_runs_or_not(
    spec: dict[str, Any],
) -> None:
    """An OnDemand database is not there when its clients are made, but its volume is.

    A resident one keeps them off by its pod.
    """
    world = with_nodes(**spec)
    made = await jobs_of(world)
    assert len(made) == len(world.trials()) == 6
    first, *later = [
        made[t.name] for t in sorted(world.trials(), key=lambda t: t.status.release_at or 0)
    ]
    if spec:
        assert required(first) == [("NotIn", DATABASE_NODE)]
    else:
        assert "nodeAffinity" not in first["spec"]["affinity"]
        assert first["spec"]["affinity"]["podAntiAffinity"][REQUIRED]
    assert [required(one) for one in later] == [[("In", CLIENT_NODE)]] * 5
    await world.settle()
    assert_sound(world)
    assert not leftovers(world)


async def test_nodes_are_recorded_and_no_trial_asks_for_one() -> None:
    world = with_nodes(residency="OnDemand")
    await world.run(world.ended)
    await world.settle()
    asked = [call for call in world.cluster.calls if call.kind == NODE]
    # Though a server is started for each trial: once for each testbed, and for each node's Lease.
    assert len(asked) == 3 + 2
    records = [
        decode(ProvenanceRecord, content, key)
        for key, content in world.store.objects.items()
        if key.endswith("provenance.json")
    ]
    assert records
    for one in records:
        machine = one.machine
        assert (machine.node, machine.allocatable_cores) == (DATABASE_NODE, 8.0)
        assert (machine.allocatable_bytes, machine.cpu_model) == (32 << 30, "Fake CPU")
        known = (machine.kubelet, machine.container_runtime, machine.os_image)
        assert known == ("v1.33.1", "containerd://v2", "Some OS 12")
        (client,) = one.clients
        assert (client.node, client.cpu_model, client.kernel, client.aes) == (
            CLIENT_NODE,
            "Client's CPU",
            "6.1.0",
            True,
        )


async def test_a_database_that_moves_before_the_record_is_made_leaves_its_node_in_it() -> None:
    world = with_nodes()
    await world.run(world.running())
    (running,) = world.trials()

    def is_proven() -> bool:
        (one,) = [t for t in world.trials() if t.name == running.name]
        fact = find(one.status.conditions, "ProvenAfter")
        return fact is not None and fact.status == "True"

    await world.run(is_proven)
    name = f"{running.spec.testbed_ref.name}-0"
    pod = world.cluster.one(POD, SPACE, name)
    world.controllers.nodes[pod["metadata"]["labels"][labels.ARM]] = "node-9"
    world.cluster.remove(POD, SPACE, name)
    await world.run(
        lambda: any(t.name == running.name and t.status.artefact_key for t in world.trials())
    )
    assert world.cluster.one(POD, SPACE, name)["spec"]["nodeName"] == "node-9"
    key = next(t for t in world.trials() if t.name == running.name).status.artefact_key
    assert key is not None
    record = decode(TrialRecord, world.store.objects[key], key)
    assert record.database_node == DATABASE_NODE


def _covers(budget: Body, pod: Body) -> bool:
    own, selector = pod["metadata"]["labels"], budget["spec"]["selector"]
    excluded = selector.get("matchExpressions") or ()
    assert all(one["operator"] == "NotIn" for one in excluded)
    return selector["matchLabels"].items() <= own.items() and not any(
        own[one["key"]] in one["values"] for one in excluded
    )


async def test_every_testbed_has_budgets_that_go_with_it() -> None:
    world = with_nodes()
    await world.run(world.running())
    beds = {body["metadata"]["name"] for body in world.cluster.all(TESTBED)}
    budgets = {one["metadata"]["name"]: one for one in world.cluster.all(POD_DISRUPTION_BUDGET)}
    assert budgets.keys() == beds | {f"{bed}-jobs" for bed in beds}
    for budget in budgets.values():
        # A number of pods that are to be there would be missed while there are none.
        assert budget["spec"].keys() == {"maxUnavailable", "selector"}
        assert budget["spec"]["maxUnavailable"] == 0
    for body in world.cluster.all(POD):
        held = [name for name, one in budgets.items() if _covers(one, body)]
        assert len(held) == 1, "the API evicts no pod that has two"
        of_database = body["metadata"]["labels"][labels.COMPONENT] == "database"
        assert held[0].endswith("-jobs") is not of_database, "of a Job's pods none can be counted"
        notes = body["metadata"]["annotations"]
        assert notes["karpenter.sh/do-not-disrupt"] == "true"
        assert notes["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false"
    parts_of = {body["metadata"]["labels"][labels.COMPONENT] for body in world.cluster.all(POD)}
    assert parts_of >= {"database", "client"}
    await world.run(world.ended)
    await world.settle()
    assert not leftovers(world)


async def test_a_start_leaves_the_annotations_and_asks_for_the_same_node() -> None:
    world = with_nodes(reset="trial")
    await world.run(world.running(2))
    for body in world.cluster.all(STATEFUL_SET):
        template = body["spec"]["template"]
        notes = template["metadata"]["annotations"]
        assert notes[labels.START]
        assert notes["karpenter.sh/do-not-disrupt"] == "true"
        (wish,) = template["spec"]["affinity"]["nodeAffinity"][
            "preferredDuringSchedulingIgnoredDuringExecution"
        ]
        assert wish["preference"]["matchFields"][0]["values"] == [DATABASE_NODE]
        assert template["spec"]["affinity"]["podAffinity"]


async def test_databases_that_are_prepared_in_turn_are_planned_beside_each_other() -> None:
    world = with_nodes(residency="OnDemand")
    await world.run(lambda: len(world.latest(TESTBED.kind, "")) == 3)
    near = [body["spec"].get("near", []) for body in world.cluster.all(TESTBED)]
    assert sorted(near) == [[], [DATABASE_NODE], [DATABASE_NODE]]


async def test_unlike_nodes_are_not_compared_where_the_campaign_minds() -> None:
    world = World()
    world.cluster.add(NODE, node(DATABASE_NODE))
    world.cluster.add(NODE, node("node-9", cpu="16"))
    world.apply(*parts(), study("tde", blocks=1, replacements=0, limits={"likeNodes": True}))
    world.controllers.nodes["tde"] = "node-9"
    await world.run(world.ended)
    (tde,) = [t for t in world.trials() if t.spec.arm.name == "tde"]
    assert (tde.status.outcome, tde.status.reason) == ("Invalid", "UnlikeNodes")
    assert "16 allocatable cores against 8" in (tde.status.message or "")
    assert tde.status.release_at is None
    others = [t.status.outcome for t in world.trials() if t.name != tde.name]
    assert set(others) == {"Succeeded"}
