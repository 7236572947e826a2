"""Caveats about the nodes of databases and clients: whether they are alike, and shared."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from encbench.core.evidence import MachineFacts, ProvenanceRecord
from encbench.kube.machines import differences
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.text.words import listed


def unlike_databases(facts: Facts) -> Iterator[Caveat]:
    """Databases of one comparison on machines of different kinds."""
    found = list(_unlike(facts, lambda record: [record.machine]))
    if found:
        yield serious(
            title="The databases ran on unlike nodes",
            text=f"{_first(found)}. A difference between these arms is one of their machines as "
            "well. Have the scheduler find like nodes for them, by placement.nodeSelector, and set "
            "limits.likeNodes to make such trials Invalid.",
        )


def unlike_sets(facts: Facts) -> Iterator[Caveat]:
    """Sets of testbeds of one cell on machines of different kinds.

    Arms are alike within each, but what a mode costs may differ by the machine.
    """
    firsts: dict[str, MachineFacts] = {}
    found = []
    for (cell, _), (baseline, *_) in sorted(_sets(facts.counted_here, facts.sources).items()):
        one, other = baseline.machine, firsts.setdefault(cell, baseline.machine)
        if unlike := differences(one, other):
            found.append(f"Node {one.node} is unlike node {other.node}: {listed(unlike)}")
    if found:
        yield note(
            title="Sets of testbeds ran on unlike nodes",
            text=f"{_first(found)}. The arms of each block were alike, but figures are means over "
            "blocks of both kinds, and what a mode costs may differ between them.",
        )


def unlike_clients(facts: Facts) -> Iterator[Caveat]:
    """Clients of one comparison on machines of different kinds."""
    found = list(_unlike(facts, lambda record: list(record.clients)))
    if found:
        yield serious(
            title="The clients ran on unlike nodes",
            text=f"{_first(found)}. A difference between these arms may come from there.",
        )


def beside_databases(facts: Facts) -> Iterator[Caveat]:
    """Clients on the nodes of databases that were not measured, but ran."""
    if facts.spec.residency == "OnDemand":
        return
    sets = _sets(facts.trials, facts.sources)
    found = {
        (client.node, other.testbed)
        for place, beds in sets.items()
        for one in beds
        for client in one.clients
        for around, others in sets.items()
        if _at_once(place, around, facts.spec.parallelism)
        for other in others
        if other.testbed != one.testbed and other.machine.node == client.node != one.machine.node
    }
    if found:
        node, bed = min((node or "", bed) for node, bed in found)
        bounded = (
            ". Add nodes, or keep clients and databases apart by placement.nodeSelector."
            if facts.spec.blocks.interleave
            else ", and limits.idleCpu is all that bounds what they do. With residency: OnDemand "
            "they are stopped."
        )
        yield note(
            title="Clients ran beside other databases",
            text=f"For instance on node {node}, where testbed {bed} has its database, because no "
            "node was free of databases. Those were idle while others were measured, but they "
            f"hold memory there{bounded}",
        )


def _at_once(one: tuple[str, int], other: tuple[str, int], parallelism: int) -> bool:
    """Whether these sets of testbeds, by cell and generation, may run at the same time."""
    return one == other or (parallelism > 1 and one[0] != other[0])


Machines = Callable[[ProvenanceRecord], list[MachineFacts]]


def _unlike(facts: Facts, machines: Machines) -> Iterator[str]:
    """For each testbed that ran on other machines than its set's baseline, how they differ.

    A testbed's replicas are compared with the baseline's in order of their indices.
    """
    for first, *others in _sets(facts.counted_here, facts.sources).values():
        for record in others:
            for one, other in zip(machines(record), machines(first), strict=False):
                unlike = differences(one, other)
                if unlike:
                    yield (
                        f"Node {one.node}, for testbed {record.testbed}, is unlike node "
                        f"{other.node}: {listed(unlike)}"
                    )


def _sets(
    trials: Iterable[TrialView], sources: Iterable[ProvenanceSource]
) -> Mapping[tuple[str, int], Sequence[ProvenanceRecord]]:
    """What these trials ran on, by set of testbeds, the baseline's first.

    Arms are compared within a set, and of a cell there is one set at a time.
    """
    by_uid = {trial.uid: trial for trial in trials}
    found = [
        (trial, source.record)
        for source in sources
        if (trial := next((t for uid, t in by_uid.items() if uid in source.trials), None))
    ]
    beds: dict[tuple[str, int], list[ProvenanceRecord]] = {}
    for trial, record in sorted(found, key=lambda one: one[0].role != "baseline"):
        beds.setdefault((trial.cell, trial.generation), []).append(record)
    return beds


def _first(found: list[str]) -> str:
    more = len(set(found)) - 1
    return found[0] + (f", and {more} more such" if more else "")
