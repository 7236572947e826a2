"""How many of TPC-C's warehouses the terminals of a run work on.

With fewer terminals than warehouses some have none, which TPC-C does not allow (clause 4.2.2).
"""

import math
from collections.abc import Iterable

from encbench.api.tpcc import TERMINALS_PER_WAREHOUSE, Tpcc
from encbench.text.words import listed

REMOTE = "1 % of the order lines and 15 % of the payments"
"""What reaches any other warehouse than the terminal's own (clauses 2.4.1.5 and 2.5.1.2)."""


def worked_on(tpcc: Tpcc, terminals: int) -> int:
    """In how many warehouses one of so many terminals stands.

    It is all of them where terminals take any warehouse each time, and with BenchmarkSQL 6, which
    has ten in each. Version 5 draws a warehouse and a district for each terminal, until none stands
    there yet, so it is the mean of that.
    """
    if not tpcc.terminal_warehouse_fixed or tpcc.dialect == 6:
        return tpcc.warehouses
    if tpcc.benchmarksql is None:
        return min(tpcc.warehouses, terminals)
    places = TERMINALS_PER_WAREHOUSE * tpcc.warehouses
    empty = math.prod(
        max(0, places - terminals - place) / (places - place)
        for place in range(TERMINALS_PER_WAREHOUSE)
    )
    return round(tpcc.warehouses * (1 - empty))


def short_levels(tpcc: Tpcc, levels: Iterable[int]) -> str:
    """Levels at which warehouses have no terminal; empty where there is none.

    `8 terminals work on 8 of 20 warehouses and 16 on 16`.
    """
    found = {level: worked_on(tpcc, level) for level in sorted(levels)}
    short = [(level, own) for level, own in found.items() if own < tpcc.warehouses]
    if not short:
        return ""
    about = "about " if tpcc.benchmarksql is not None else ""
    (level, own), *rest = short
    work = "terminal works" if level == 1 else "terminals work"
    first = f"{level:,} {work} on {about}{own:,} of {tpcc.warehouses:,} warehouses"
    return listed([first, *(f"{level:,} on {about}{own:,}" for level, own in rest)])
