"""Checks of the dataset: queries that must return no row.

At a thousand warehouses they take minutes, so they run in the background: a caller starts them and
asks again later.
"""

import time
from contextlib import closing
from dataclasses import dataclass, field

from encbench.adapters.sql import SqlError
from encbench.core.connection import SCHEMAS, Driver
from encbench.sidecars.agent.background import Background, BackgroundRun, OpenBounded
from encbench.tools.tpcc.consistency import Query, conditions, of_load
from encbench.wire import agent as wire

SAMPLE = 3
"""Rows shown from each query that returns any."""


@dataclass(kw_only=True)
class _Run(BackgroundRun):
    request: wire.ChecksRequest
    checks: list[wire.CheckRows] = field(default_factory=list)


class CheckRuns:
    """Runs checks, one set at a time."""

    def __init__(self, open_session: OpenBounded, driver: Driver) -> None:
        self._open = open_session
        self._driver = driver
        busy = "the checks of {} have not ended"
        self._runs = Background(self._work, SqlError, "the checks", busy)

    def ask(self, request: wire.ChecksRequest) -> wire.ChecksAnswer:
        """The state of the run of that name, which `Background` begins if there is none."""
        run = self._runs.begun(_Run(name=request["run"], request=request))
        took = run.took
        return wire.ChecksAnswer(
            run=run.name,
            state="running" if took is None else "failed" if run.error else "done",
            checks=list(run.checks),
            error=run.error,
            tookSeconds=took,
        )

    def _work(self, run: _Run) -> None:
        request, prefix = run.request, f"{SCHEMAS[self._driver]}."
        fresh = of_load(self._driver, request["warehouses"]) if request["loaded"] else ()
        for query in (*fresh, *conditions(prefix, full=request["full"])):
            left = request["seconds"] - (time.monotonic() - run.began)
            if left <= 0:
                raise SqlError(f"the checks took longer than {request['seconds']:.0f} s")
            run.checks.append(self._check(query, left))

    def _check(self, query: Query, seconds: float) -> wire.CheckRows:
        with closing(self._open(seconds)) as session:
            rows = session.rows(_sample(query.sql, self._driver))
        shown = [[str(value) for value in row] for row in rows]
        return wire.CheckRows(name=query.name, meaning=query.meaning, rows=shown)


def _sample(query: str, driver: Driver) -> str:
    """The first rows of a query.

    PostgreSQL plans a statement with a LIMIT as if it found rows soon and needed no more. Where a
    condition holds there are none to find, and such a plan compares every customer with every
    payment. So PostgreSQL plans the query by itself, for all of its rows.
    """
    if driver == "pgsql":
        return f"WITH found AS MATERIALIZED ({query}) SELECT * FROM found LIMIT {SAMPLE}"  # noqa: S608
    return f"{query} LIMIT {SAMPLE}"
