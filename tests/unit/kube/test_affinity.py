"""Where pods may go and where they would rather be, as a scheduler reads it."""

from typing import Any

import pytest

from encbench.api.testbed import TestbedSpec
from encbench.kube import affinity, labels
from tests.support.testbeds import database_context, spec_of_testbed
from tests.support.workloads import trial_context, workload_spec

NAMES = ("n1", "n2", "n3")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WISHED = "preferredDuringSchedulingIgnoredDuringExecution"


def client(database_node: str | None = None, **spec: Any) -> dict[str, Any]:
    context = trial_context(workload_spec(), **spec)
    return affinity.of_client(context.spec, context.name, database_node)


def nodes(part: dict[str, Any]) -> set[str]:
    """The nodes that the required terms about nodes leave; terms are alternatives."""
    required = part.get("nodeAffinity", {}).get(REQUIRED)
    if required is None:
        return set(NAMES)
    return {name for name in NAMES if any(_fits(t, name) for t in required["nodeSelectorTerms"])}


def _fits(term: dict[str, Any], name: str) -> bool:
    (field,) = term["matchFields"]
    assert field["key"] == "metadata.name"
    assert len(field["values"]) == 1, "the API takes no more of a field"
    return bool((name in field["values"]) == (field["operator"] == "In"))


def wishes(part: dict[str, Any], kind: str) -> list[tuple[int, str, dict[str, str]]]:
    return [
        (
            one["weight"],
            one["podAffinityTerm"]["topologyKey"],
            one["podAffinityTerm"]["labelSelector"]["matchLabels"],
        )
        for one in part[kind][WISHED]
    ]


@pytest.mark.parametrize(
    ("database", "pinned", "colocated", "left"),
    [
        (None, [], False, {"n1", "n2", "n3"}),
        ("n1", [], False, {"n2", "n3"}),
        ("n1", [], True, {"n1", "n2", "n3"}),
        ("n1", ["n2"], False, {"n2"}),
        ("n1", ["n2", "n3"], False, {"n2", "n3"}),
        ("n1", ["n1", "n2"], False, {"n2"}),
        ("n1", ["n1"], False, {"n2", "n3"}),
        ("n1", ["n1"], True, {"n1"}),
        (None, ["n2"], False, {"n2"}),
    ],
)
def test_where_a_client_may_run(
    database: str | None, pinned: list[str], colocated: bool, left: set[str]
) -> None:
    part = client(database, clientNodes=pinned, allowColocation=colocated)
    assert nodes(part) == left


def test_a_database_that_is_away_for_a_moment_finds_its_node_free_of_its_clients() -> None:
    """Its clients are made while it is scaled to zero, and its volume is bound to n1."""
    part = client("n1")
    assert "n1" not in nodes(part), "without a pod, no anti-affinity to one would hold"


def test_a_client_names_no_node_where_its_database_keeps_it_off() -> None:
    """Karpenter makes no node for a pod with a rule about a node's name."""
    context = trial_context(workload_spec())
    part = affinity.of_client(context.spec, context.name, "n1", keeps_off=True)
    assert "nodeAffinity" not in part
    assert part["podAntiAffinity"] == client("n1")["podAntiAffinity"]
    pinned = trial_context(workload_spec(), clientNodes=["n1", "n2"])
    stays = affinity.of_client(pinned.spec, pinned.name, "n1", keeps_off=True)
    assert nodes(stays) == {"n2"}


def test_a_client_avoids_every_database_where_it_can_and_its_own_where_it_must() -> None:
    apart = client("n1")["podAntiAffinity"]
    (term,) = apart[REQUIRED]
    assert term["labelSelector"]["matchLabels"] == labels.database_selector("overhead-tde")
    assert "podAntiAffinity" in client(allowColocation=True)
    assert REQUIRED not in client(allowColocation=True)["podAntiAffinity"]
    any_database = {labels.COMPONENT: "database", labels.MANAGED_BY: "encbench"}
    assert wishes(client("n1"), "podAntiAffinity") == [(100, affinity.HOSTNAME, any_database)]


def test_clients_of_one_cell_would_rather_be_together_and_in_their_database_s_zone() -> None:
    (others, zone) = client("n1")["podAffinity"][WISHED]
    selector = others["podAffinityTerm"]["labelSelector"]
    assert selector["matchLabels"][labels.CELL] == "c1234567"
    (own,) = selector["matchExpressions"]
    assert (own["key"], own["operator"]) == (labels.TRIAL, "NotIn"), "its replicas spread"
    assert zone["podAffinityTerm"]["topologyKey"] == affinity.ZONE
    assert zone["weight"] < others["weight"]


def test_databases_of_a_cell_would_rather_be_on_one_node_else_on_like_ones() -> None:
    part = affinity.of_database(spec_of_testbed())
    cell = {labels.COMPONENT: "database", labels.CAMPAIGN: "overhead", labels.CELL: "small-oltp"}
    assert wishes(part, "podAffinity") == [
        (100, affinity.HOSTNAME, cell),
        (50, affinity.INSTANCE_TYPE, cell),
        (50, affinity.ARCHITECTURE, cell),
        (25, affinity.ZONE, cell),
    ]
    assert "nodeAffinity" not in part
    own = database_context(spec_of_testbed()).labels
    assert cell.items() <= own.items(), "its pods have these labels"


def test_a_database_whose_neighbours_are_stopped_goes_where_they_ran() -> None:
    spec = TestbedSpec.model_validate({**spec_of_testbed().to_dict(), "near": ["n1", "n2"]})
    part = affinity.of_database(spec)["nodeAffinity"]
    assert REQUIRED not in part, "a volume or a taint may forbid it"
    wanted = [one["preference"]["matchFields"][0]["values"] for one in part[WISHED]]
    assert wanted == [["n1"], ["n2"]]


def test_a_database_that_is_started_anew_stays_where_it_was() -> None:
    before = affinity.of_database(spec_of_testbed())
    after = affinity.staying(before, "n2")
    assert after["podAffinity"] == before["podAffinity"]
    (wish,) = after["nodeAffinity"][WISHED]
    assert wish["preference"]["matchFields"][0]["values"] == ["n2"]
    assert affinity.staying(after, "n3")["nodeAffinity"] != after["nodeAffinity"]
    assert "nodeAffinity" not in before, "what was read stays as it was"


def avoiding(*nodes: str, **fields: Any) -> TestbedSpec:
    return TestbedSpec.model_validate({**spec_of_testbed().to_dict(), "avoid": nodes, **fields})


def none_of(term: dict[str, Any]) -> list[str]:
    """The nodes that a term excludes; all of its fields have to hold."""
    assert {(one["key"], one["operator"]) for one in term["matchFields"]} == {
        ("metadata.name", "NotIn")
    }
    assert all(len(one["values"]) == 1 for one in term["matchFields"]), "the API takes no more"
    return [one["values"][0] for one in term["matchFields"]]


def test_databases_and_loads_never_run_where_another_cell_does() -> None:
    spec = avoiding("n1", "n2", near=["n3"])
    database, load = affinity.of_database(spec), affinity.of_load(spec, "bed")
    for part in (database, load):
        (term,) = part["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
        assert none_of(term) == ["n1", "n2"]
    (wish,) = database["nodeAffinity"][WISHED]
    assert wish["preference"]["matchFields"][0]["values"] == ["n3"]
    again = affinity.staying(database, "n4")["nodeAffinity"]
    assert again[REQUIRED] == database["nodeAffinity"][REQUIRED]
    (wish,) = again[WISHED]
    assert wish["preference"]["matchFields"][0]["values"] == ["n4"]
    assert "nodeAffinity" not in affinity.of_load(spec_of_testbed(), "bed")


def test_clients_keep_off_another_cell_s_nodes_if_they_can() -> None:
    part = client("n1", avoid=["n2", "n3"])
    assert nodes(part) == {"n2", "n3"}, "they have no other"
    (wish,) = part["nodeAffinity"][WISHED]
    assert (wish["weight"], none_of(wish["preference"])) == (100, ["n2", "n3"])
    assert part["podAntiAffinity"] == client("n1")["podAntiAffinity"]


def test_beside_its_own_database_a_client_disturbs_no_other_cell() -> None:
    assert "podAntiAffinity" not in client("n1", avoid=["n2"], allowColocation=True)
    assert "podAntiAffinity" in client("n1", allowColocation=True)


def test_replicas_spread_but_never_wait_for_it() -> None:
    (constraint,) = affinity.spread("run")
    assert constraint["whenUnsatisfiable"] == "ScheduleAnyway"
    assert constraint["labelSelector"]["matchLabels"] == {labels.TRIAL: "run"}
