"""The nodes that each cell stands on, and what they mean for the others; pure.

With `parallelism` the first open cells are under way side by side. The leases of nodes see to it
that no two of them measure or load on one node at the same time. What is decided here keeps them
out of each other's way, so that they need not take turns and none takes the room of another:

- A cell's databases are placed once the clients of every cell before it have nodes. They keep off
  all nodes that the other cells use, and wait where no other has room.
- One cell at a time is being placed. Any that waits for room so waits for cells that are measured,
  which end, and never for one that waits for room itself.
- Cells whose node selectors exclude each other have nothing to fear, and are placed at once.
- A cell that shares a node with a cell before it, such as that of the clients where there are too
  few, begins no block until that one is done. In turns with it nothing would be gained, and a block
  would take twice as long.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

from encbench.api.campaign import Resolved
from encbench.core.plan import Cell
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Stays, stay_of
from encbench.reconcile.objects import Testbed


@dataclass(frozen=True)
class CellGround:
    """Where a cell is."""

    cell: Cell
    testbeds: tuple[Testbed, ...] = ()
    clients: frozenset[str] = frozenset()
    """Nodes of its last clients; empty before the first ones were released."""
    selectors: tuple[Mapping[str, str], ...] = ()
    """The node selectors of its databases and clients."""

    @property
    def nodes(self) -> frozenset[str]:
        """What it uses; none while its testbeds are being cleared away."""
        if not self.testbeds:
            return frozenset()
        found = (bed.status.machine for bed in self.testbeds)
        return self.clients.union(machine.node for machine in found if machine is not None)

    @property
    def is_being_placed(self) -> bool:
        """Whether a database of its set has no node yet."""
        known = [bed.status.machine is not None for bed in self.testbeds]
        return bool(known) and not (all(known) and len(known) >= len(self.cell.arms))

    def is_apart_from(self, other: "CellGround") -> bool:
        """Whether no node could ever hold pods of both."""
        pairs = product(self.selectors, other.selectors)
        return all(_exclude(*pair) for pair in pairs)


@dataclass(frozen=True)
class Surroundings:
    """What a cell has to mind of the others that are under way; nothing of one that is alone."""

    avoid: tuple[str, ...] = ()
    """Nodes that they use."""
    shared: tuple[str, ...] = ()
    """Nodes of its own on which a cell before it is measured."""
    unplaced: str = ""
    """Why its databases may not be placed yet; empty if they may."""


def grounds(
    cells: Sequence[Cell], resolved: Resolved, seen: CampaignSeen
) -> tuple[CellGround, ...]:
    """Of each of these cells."""
    return tuple(
        CellGround(cell, _testbeds(cell, seen), _clients(cell, seen), _selectors(cell, resolved))
        for cell in cells
    )


def surroundings(
    own: CellGround,
    before: Sequence[CellGround],
    after: Sequence[CellGround],
    measured: Iterable[CellGround],
    placed: Container[str],
) -> Surroundings:
    """Those of a cell.

    `measured` are the ones before it whose trials go on; `placed` has the names of those that are
    placed in this very pass.
    """
    earlier, later = (
        [one for one in others if not own.is_apart_from(one)] for others in (before, after)
    )
    others, unplaced = [*earlier, *later], ""
    if any(one.is_being_placed or one.cell.name in placed for one in others):
        unplaced = "waits until another cell's databases have nodes"
    elif not all(one.clients for one in earlier):
        unplaced = "waits until the clients of the cell before it have nodes"
    return Surroundings(
        avoid=tuple(sorted(_nodes(others))),
        shared=tuple(sorted(own.nodes & _nodes(measured))),
        unplaced=unplaced,
    )


def _nodes(of: Iterable[CellGround]) -> frozenset[str]:
    return frozenset(chain.from_iterable(one.nodes for one in of))


def _exclude(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a label would need two values."""
    return any(one[key] != other[key] for key in one.keys() & other.keys())


def _selectors(cell: Cell, resolved: Resolved) -> tuple[Mapping[str, str], ...]:
    """Those of the template, and of the client of each workload."""
    clients = (resolved.workloads[level.workload_ref].client for level in cell.conditions)
    placements = (resolved.instances[cell.instance_ref].placement, *(c.placement for c in clients))
    return tuple(placement.node_selector for placement in placements)


def _testbeds(cell: Cell, seen: CampaignSeen) -> tuple[Testbed, ...]:
    return tuple(bed for bed in seen.testbeds.values() if bed.spec.cell == cell.name)


def _clients(cell: Cell, seen: CampaignSeen) -> frozenset[str]:
    """Clients of another number of replicas or placement have nodes of their own."""
    found = {
        key: one.copy() for key, one in seen.found.ledger.stays.items() if key.cell == cell.name
    }
    for trial in seen.trials.values():
        if trial.spec.cell == cell.name:
            found.setdefault(stay_of(trial), Stays()).add(trial)
    return frozenset().union(*(one.latest for one in found.values()))
