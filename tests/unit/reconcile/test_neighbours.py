"""Who else used CPU: what a node was busy with, less what is known to be the campaign's."""

import pytest

from encbench.api.trial import Window
from encbench.core.records import ClientFacts, IdleCpu, MetricsRecord, NodeIdle, PodCpu, Samples
from encbench.reconcile.trial.neighbours import (
    busy,
    foreign,
    idle,
    nodes,
    restarted,
    robbed,
    spare,
    stolen,
    unlabelled,
)

WINDOW = Window(start=100.0, end=110.0)


def counter(rate: float) -> Samples:
    return tuple((95.0 + n, rate * n) for n in range(20))


def pod(part: str, testbed: str, node: str, rate: float) -> PodCpu:
    return PodCpu.model_validate(
        {"part": part, "testbed": testbed, "node": node, "samples": counter(rate)}
    )


RECORD = MetricsRecord(
    window=WINDOW,
    series={"node_idle_seconds": counter(2.5)},
    node_cores=4.0,
    pods=(
        pod("database", "bed-tde", "one", 0.9),
        pod("database", "bed-plain", "one", 0.01),
        pod("agent", "bed-tde", "one", 0.02),
        pod("recorder", "bed-tde", "two", 0.05),
    ),
    client_nodes=(NodeIdle(node="two", cores=2.0, samples=counter(1.2)),),
)
CLIENT = ClientFacts(cpu_cores=0.6, cpu_limit_cores=1.0, node="two")


def test_what_nobody_of_ours_used_is_foreign() -> None:
    found = foreign(RECORD, "one", "bed-tde", [CLIENT])
    assert found is not None
    database, client = found
    assert (database.node, database.node_cores) == ("one", 4.0)
    assert database.cores == pytest.approx(4 - 2.5 - 0.9 - 0.01 - 0.02)
    assert database.fraction == pytest.approx(0.57 / 4)
    assert (client.node, client.node_cores) == ("two", 2.0)
    assert client.cores == pytest.approx(2 - 1.2 - 0.05 - 0.6)


def test_on_one_node_the_client_is_ours_too() -> None:
    (found,) = foreign(RECORD, "one", "bed-tde", [replace_node(CLIENT, "one")]) or ()
    assert found.cores == pytest.approx(0)


def replace_node(client: ClientFacts, node: str | None) -> ClientFacts:
    return client.model_copy(update={"node": node})


def test_waiting_for_a_disk_is_no_use_and_neither_is_what_the_hypervisor_takes() -> None:
    # 2 cores, database 0.3, client 0.2, 1.2 waiting, 0.1 stolen: others use nothing.
    idle = {"node_idle_seconds": counter(0.2), "node_waiting_seconds": counter(1.2)}
    record = MetricsRecord(
        window=WINDOW,
        series={**idle, "node_stolen_seconds": counter(0.1)},
        node_cores=2.0,
        pods=(pod("database", "bed-tde", "one", 0.3),),
    )
    client = ClientFacts(cpu_cores=0.2, cpu_limit_cores=1.0, node="one")
    (found,) = foreign(record, "one", "bed-tde", [client]) or ()
    assert found.cores == pytest.approx(0.0)
    known = nodes(record, "one")
    assert busy(record, known["one"]) == pytest.approx(0.5)
    (taken,) = stolen(record, known)
    assert taken.node == "one"
    assert taken.cores == pytest.approx(0.1)
    assert taken.fraction == pytest.approx(0.05)


def test_a_client_s_node_waits_and_is_robbed_likewise() -> None:
    node = NodeIdle(
        node="two", cores=2.0, samples=counter(0.4), waiting=counter(0.5), stolen=counter(0.3)
    )
    record = RECORD.model_copy(update={"client_nodes": (node,)})
    _, client = foreign(record, "one", "bed-tde", [CLIENT]) or ()
    assert client.cores == pytest.approx(2 - 0.4 - 0.5 - 0.3 - 0.05 - 0.6)
    assert [one.cores for one in stolen(record, nodes(record, "one"))] == [pytest.approx(0.3)]


def test_what_is_left_of_a_node_is_idle_or_waits_for_a_disk() -> None:
    series = {"node_idle_seconds": counter(0.2), "node_waiting_seconds": counter(0.1)}
    robbed = RECORD.model_copy(update={"series": {**series, "node_stolen_seconds": counter(2.8)}})
    found = {one.node: one for one in spare(robbed, nodes(robbed, "one"))}
    assert found["one"].cores == pytest.approx(0.3)
    assert found["two"].fraction == pytest.approx(0.6)
    apart = {"node_idle_seconds": counter(3.9), "node_waiting_seconds": counter(0.2)}
    (_, whole) = spare(record := RECORD.model_copy(update={"series": apart}), nodes(record, "one"))
    assert whole.fraction == 1, "counters are read at different moments"
    unread = RECORD.model_copy(update={"series": {}})
    assert [one.node for one in spare(unread, nodes(unread, "one"))] == ["two"]


def test_a_record_without_these_counters_is_judged_by_idle_alone() -> None:
    assert stolen(RECORD, nodes(RECORD, "one")) == ()


def test_counters_that_are_read_apart_never_make_less_than_nothing() -> None:
    busy = RECORD.model_copy(update={"series": {"node_idle_seconds": counter(3.9)}})
    (found, _) = foreign(busy, "one", "bed-tde", [CLIENT]) or ()
    assert found.cores == 0.0


@pytest.mark.parametrize(
    ("record", "node", "client"),
    [
        (RECORD.model_copy(update={"node_cores": None}), "one", CLIENT),
        (RECORD.model_copy(update={"series": {}}), "one", CLIENT),
        (RECORD.model_copy(update={"client_nodes": ()}), "one", CLIENT),
        (RECORD.model_copy(update={"pods": ()}), "one", CLIENT),
        (RECORD.model_copy(update={"pods": RECORD.pods[1:]}), "one", CLIENT),
        (RECORD, None, CLIENT),
        (RECORD, "one", CLIENT.model_copy(update={"cpu_cores": None})),
        (RECORD, "one", replace_node(CLIENT, None)),
    ],
    ids=[
        *("cores", "idle", "client-node", "no-pods", "no-server"),
        *("no-node", "no-client-cpu", "client-nowhere"),
    ],
)
def test_what_is_not_known_is_not_guessed(
    record: MetricsRecord, node: str | None, client: ClientFacts
) -> None:
    assert foreign(record, node, "bed-tde", [client]) is None


@pytest.mark.parametrize("node", ["", "10.0.0.7:9470", "two"])
def test_a_database_whose_series_lack_its_node_is_not_foreign_to_itself(node: str) -> None:
    """As where a user's own Prometheus does not relabel them."""
    assert unlabelled(RECORD, "one", "bed-tde") is None
    own = RECORD.pods[0].model_copy(update={"node": node})
    record = RECORD.model_copy(update={"pods": (own, *RECORD.pods[1:])})
    why = unlabelled(record, "one", "bed-tde")
    assert why is not None
    assert "lack the label node" in why
    assert unlabelled(record, "one", "bed-plain") is None
    gone = own.model_copy(update={"samples": ((90.0, 0.0),)})
    record = RECORD.model_copy(update={"pods": (gone, *RECORD.pods)})
    assert unlabelled(record, "one", "bed-tde") is None, "a pod that went before the window"


@pytest.mark.parametrize(
    ("taken", "server", "hidden"),
    [(0.6, 0.9, False), (0.6, 1.0, False), (0.6, 1.1, True), (0.07, 1.6, False)],
    ids=["counted-apart", "read-apart", "counted-as-ours", "hardly-any"],
)
def test_stolen_time_that_counts_as_ours_hides_no_others(
    taken: float, server: float, hidden: bool
) -> None:
    """Of 4 cores 1 was busy, or 1.53 where hardly any was stolen."""
    idle = {"node_idle_seconds": counter(2.4), "node_stolen_seconds": counter(taken)}
    record = MetricsRecord(
        window=WINDOW,
        series=idle,
        node_cores=4.0,
        pods=(pod("database", "bed-tde", "one", server),),
    )
    client = ClientFacts(cpu_cores=0.1, cpu_limit_cores=1.0, node="one")
    found = robbed(record, "one", [client])
    assert list(found) == ["one"] * hidden
    assert not hidden or "1.20 of node one's 1.00 busy cores" in found["one"]


def test_stolen_time_is_looked_for_on_each_node_whose_use_is_known() -> None:
    of_clients = NodeIdle(node="two", cores=2.0, samples=counter(1.2), stolen=counter(0.5))
    series = {"node_idle_seconds": counter(2.5), "node_stolen_seconds": counter(1.0)}
    record = RECORD.model_copy(update={"series": series, "client_nodes": (of_clients,)})
    assert list(robbed(record, "one", [CLIENT])) == ["two", "one"]
    unknown = CLIENT.model_copy(update={"cpu_cores": None})
    assert list(robbed(record, "one", [unknown])) == ["one"]


def test_databases_that_were_to_be_idle() -> None:
    found = idle(RECORD, "bed-tde", 2.0, ["one", "two"])
    assert found is not None
    assert found.cores == pytest.approx(0.01)
    assert found.limit_cores == 2.0
    assert list(found.testbeds) == ["bed-plain"]


def test_a_database_on_another_node_may_be_measured_at_the_same_time() -> None:
    other = pod("database", "bed-of-another-cell", "three", 1.5)
    nowhere = pod("database", "bed-nowhere", "", 0.02)
    record = RECORD.model_copy(update={"pods": (*RECORD.pods, other, nowhere)})
    found = idle(record, "bed-tde", 2.0, ["one", "two"])
    assert found is not None
    assert sorted(found.testbeds) == ["bed-nowhere", "bed-plain"]
    shared = idle(record, "bed-tde", 2.0, ["one", "three"])
    assert shared is not None
    assert shared.testbeds["bed-of-another-cell"] == pytest.approx(1.5)


def test_a_neighbour_that_restarted_in_the_window_is_told_apart() -> None:
    """Its counter begins anew, so there is no rate of it."""
    cpu = tuple((at, value if at < 105 else value - 0.05) for at, value in counter(0.01))
    fell = PodCpu(part="database", testbed="bed-a", node="one", samples=cpu)
    record = RECORD.model_copy(update={"pods": (*RECORD.pods, fell)})
    assert restarted(record, "bed-tde", ["one"]) == ("bed-a",)
    assert restarted(record, "bed-a", ["one"]) == (), "that is the one that is measured"
    assert restarted(record, "bed-tde", ["two"]) == ()
    before = record.model_copy(update={"window": Window(start=105.0, end=110.0)})
    assert restarted(before, "bed-tde", ["one"]) == ()
    assert restarted(RECORD, "bed-tde", ["one"]) == ()


def begun(part: str, node: str, rate: float, at: float) -> PodCpu:
    """A pod whose counter is there from that time on."""
    samples = tuple(one for one in counter(rate) if one[0] >= at)
    return PodCpu.model_validate(
        {"part": part, "testbed": "bed-b", "node": node, "samples": samples}
    )


def test_of_a_pod_that_began_in_the_window_what_it_used_is_no_more_than_that() -> None:
    """Five of ten seconds are half of it: what it used each second is no rate of the window."""
    late = begun("database", "one", 0.5, 105.0)
    record = RECORD.model_copy(update={"pods": (*RECORD.pods, late)})
    found = idle(record, "bed-tde", 2.0, ["one"])
    assert found is not None
    assert found.testbeds["bed-b"] == pytest.approx(0.25)
    (others, _) = foreign(record, "one", "bed-tde", [CLIENT]) or ()
    assert others.cores == pytest.approx(4 - 2.5 - 0.9 - 0.01 - 0.02 - 0.25)


def test_where_samples_are_lost_nothing_is_known_of_neighbours() -> None:
    late = begun("database", "one", 0.5, 105.0)
    own = RECORD.pods[0].model_copy(update={"samples": begun("database", "one", 0.9, 105).samples})
    record = RECORD.model_copy(update={"pods": (own, late)})
    assert foreign(record, "one", "bed-tde", [CLIENT]) is None
    assert idle(record, "bed-tde", 2.0, ["one"]) is None


def test_one_database_alone_has_no_neighbours() -> None:
    alone = RECORD.model_copy(update={"pods": RECORD.pods[:1]})
    found = idle(alone, "bed-tde", 2.0, ["one"])
    assert found == IdleCpu(cores=0.0, limit_cores=2.0)


def test_without_any_samples_of_databases_nothing_is_said() -> None:
    assert idle(RECORD.model_copy(update={"pods": ()}), "bed-tde", 2.0, ["one"]) is None
    few = PodCpu(part="database", testbed="bed-plain", node="one", samples=((101.0, 0.0),))
    assert idle(RECORD.model_copy(update={"pods": (few,)}), "bed-tde", 2.0, ["one"]) is None
