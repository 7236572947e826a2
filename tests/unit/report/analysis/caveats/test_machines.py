"""Nodes of databases and clients that are unlike or shared."""

from dataclasses import replace

from encbench.api.campaign import Interleave
from encbench.report.analysis.caveats import machines
from tests.data.report.golden import report_of
from tests.unit.report.analysis.caveats.studies import CALM, of_sets, text_of, titles

LARGER = {"node": "node-c", "allocatable_cores": 16.0}
SMALLER = {"node": "node-a", "allocatable_cores": 8.0}


def test_databases_on_unlike_nodes_are_a_serious_caveat() -> None:
    said = "The databases ran on unlike nodes"
    apart = replace(CALM, machines={"plain": SMALLER, "tde": LARGER})
    text = text_of(apart, said)
    assert "Node node-c, for testbed" in text
    assert "is unlike node node-a: 16 allocatable cores against 8" in text
    assert next(c for c in report_of(apart).caveats if c.title == said).weight == "serious"
    alike = replace(CALM, machines={"plain": SMALLER, "tde": SMALLER | {"node": "node-c"}})
    assert said not in titles(alike)
    kernel = replace(CALM, machines={"tde": {"kernel": "6.19.0"}})
    assert "kernel 6.19.0 against 6.18.0" in text_of(kernel, said)


def test_clients_on_unlike_nodes_are_one_as_well() -> None:
    said = "The clients ran on unlike nodes"
    known = {"plain": {"cpu_model": "One"}, "tde": {"cpu_model": "Other"}}
    assert "CPU Other against One" in text_of(replace(CALM, client_machines=known), said)
    assert said not in titles(replace(CALM, client_machines={"tde": {"cpu_model": "Other"}})), (
        "of the baseline's nothing is known"
    )


def test_clients_beside_the_databases_of_other_arms_are_a_note() -> None:
    said = "Clients ran beside other databases"
    crossed = replace(
        CALM,
        machines={"tde": {"node": "node-b"}},
        client_machines={"plain": {"node": "node-b"}, "tde": {"node": "node-a"}},
    )
    assert "on node node-" in text_of(crossed, said)
    assert said not in titles(replace(crossed, residency="OnDemand"))
    apart = replace(crossed, client_machines={"tde": {"node": "node-c"}, "plain": {"node": "c"}})
    assert said not in titles(apart)
    shared = replace(CALM, colocated=True)
    assert said not in titles(shared), "the serious caveat says it"


def test_only_testbeds_of_one_set_are_compared() -> None:
    apart = of_sets(lambda trial: (f"new{trial.generation}-a", f"old{trial.generation}-b"))
    for check in (machines.unlike_databases, machines.unlike_clients):
        assert not [*check(apart)], "each set has nodes of one kind"
    (odd,) = machines.unlike_databases(
        of_sets(lambda t: ("odd-a" if (t.generation, t.arm) == (2, "tde") else "new-a", "old-b"))
    )
    assert odd.text.startswith("Node odd-a, for testbed tde-small-")
    assert "is unlike node new-a: CPU odd- against new-. A" in odd.text


def test_sets_on_unlike_nodes_are_a_note() -> None:
    apart = of_sets(lambda trial: (f"new{trial.generation}-a", f"new{trial.generation}-a"))
    (found,) = machines.unlike_sets(apart)
    assert found.text.startswith("Node new2-a is unlike node new1-a: CPU new2 against new1.")
    assert not [*machines.unlike_sets(of_sets(lambda _: ("new-a", "old-b")))], "told of the arms"


def test_clients_are_not_beside_databases_that_were_gone() -> None:
    swapped = of_sets(lambda t: ("a", "b") if t.generation == 1 else ("b", "a"))
    assert not [*machines.beside_databases(swapped)]
    at_once = machines._at_once
    assert not at_once(("c1", 1), ("c2", 1), 1)
    assert at_once(("c1", 1), ("c2", 1), 2)
    assert not at_once(("c1", 1), ("c1", 2), 2), "a set goes before the next one is built"
    beside = of_sets(lambda t: ("a", "b") if t.arm == "tde" else ("b", "c"))
    (caveat,) = machines.beside_databases(beside)
    assert "on node b, where testbed" in caveat.text
    assert caveat.text.endswith("With residency: OnDemand they are stopped.")
    blocks = beside.spec.blocks.model_copy(update={"interleave": Interleave()})
    spec = beside.spec.model_copy(update={"blocks": blocks})
    (caveat,) = machines.beside_databases(replace(beside, spec=spec))
    assert "idleCpu" not in caveat.text and "OnDemand" not in caveat.text
    assert "Add nodes, or keep clients and databases apart by placement" in caveat.text


def test_a_machine_whose_trials_do_not_count_is_no_caveat() -> None:
    never = replace(
        CALM, machines={"tde": LARGER, "plain": SMALLER}, always={"tde": ("Invalid", "UnlikeNodes")}
    )
    assert "The databases ran on unlike nodes" not in titles(never)
