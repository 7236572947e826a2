"""The table of connections in docs/security.md, to which tests hold the chart and the cluster."""

import re
from collections.abc import Iterator
from itertools import product

from tests.support.chart import REPO

Row = tuple[str, str, int]
"""From, to and port."""


def _rows() -> Iterator[Row]:
    page = (REPO / "docs" / "security.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"\n\| from \| to \| port \|[^\n]*\n\|[-|]+\|\n((?:\|[^\n]*\n)+)", page)
    for line in table.splitlines():
        sources, targets, ports, _ = (cell.strip() for cell in line.strip("|").split("|"))
        for one in product(sources.split(", "), targets.split(", "), ports.split(", ")):
            yield one[0], one[1], int(one[2])


TABLE = [*_rows()]
HEALTH = 8080
"""Of the operator: for the kubelet alone."""
PORTS = sorted({port for _, _, port in TABLE} | {22, 80, 443, HEALTH, 6443, 10250})
"""Those of the table, and some that it lacks."""
