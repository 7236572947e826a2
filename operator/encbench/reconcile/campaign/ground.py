"""The nodes that each cell stands on, and what they mean for the others; pure.

With `parallelism` the first open cells are under way side by side. The leases of nodes see to it
that no two of them measure or load on one node at the same time. What is decided here keeps them
out of each other's way, so that they need not take turns and none takes the room of another:

- A cell's databases are placed once the clients of every cell before it have nodes. They keep off
  all nodes that the other cells use, and wait where no other has room.
- One cell at a time is being placed. Any that waits for room so waits for cells that are measured,
  which end, and never for one that waits for room itself.
- A cell that shares a node with a cell before it, such as that of the clients where there are too
  few, begins no block until that one is done. In turns with it nothing would be gained, and a block
  would take twice as long.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from encbench.core.plan import Cell
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Stays, stay_key
from encbench.reconcile.objects import Testbed


@dataclass(frozen=True)
class CellGround:
    """Where a cell is."""

    cell: Cell
    testbeds: tuple[Testbed, ...] = ()
    clients: frozenset[str] = frozenset()
    """Nodes of its last clients; empty before the first ones were released."""

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


@dataclass(frozen=True)
class Surroundings:
    """What a cell has to mind of the others that are under way; nothing of one that is alone."""

    avoid: tuple[str, ...] = ()
    """Nodes that they use."""
    shared: tuple[str, ...] = ()
    """Nodes of its own on which a cell before it is measured."""
    unplaced: str = ""
    """Why its databases may not be placed yet; empty if they may."""


def grounds(cells: Sequence[Cell], seen: CampaignSeen) -> tuple[CellGround, ...]:
    """Of each of these cells."""
    return tuple(CellGround(cell, _testbeds(cell, seen), _clients(cell, seen)) for cell in cells)


def surroundings(
    own: CellGround,
    before: Sequence[CellGround],
    after: Sequence[CellGround],
    measured: Iterable[CellGround],
    *,
    placing: bool,
) -> Surroundings:
    """Those of a cell.

    `measured` are the ones before it whose trials go on; `placing` is whether one of those before
    it is placed in this very pass.
    """
    others = [*before, *after]
    busy = frozenset(chain.from_iterable(one.nodes for one in measured))
    unplaced = ""
    if placing or any(one.is_being_placed for one in others):
        unplaced = "waits until another cell's databases have nodes"
    elif not all(one.clients for one in before):
        unplaced = "waits until the clients of the cell before it have nodes"
    return Surroundings(
        avoid=tuple(sorted(frozenset(chain.from_iterable(one.nodes for one in others)))),
        shared=tuple(sorted(own.nodes & busy)),
        unplaced=unplaced,
    )


def _testbeds(cell: Cell, seen: CampaignSeen) -> tuple[Testbed, ...]:
    return tuple(bed for bed in seen.testbeds.values() if bed.spec.cell == cell.name)


def _clients(cell: Cell, seen: CampaignSeen) -> frozenset[str]:
    """Clients of another number of replicas have nodes of their own."""
    found = {key: one.copy() for key, one in seen.ledger.stays.items() if key[0] == cell.name}
    for trial in seen.trials.values():
        if trial.spec.cell == cell.name:
            found.setdefault(stay_key(trial), Stays()).add(trial)
    return frozenset().union(*(one.latest for one in found.values()))
