"""Checks of the dataset: queries that must return no row.

At a thousand warehouses they take minutes, so they run in the background: a caller starts them and
asks again later.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from encbench.adapters.sql import SqlError
from encbench.core.connection import DATABASE, Driver
from encbench.sidecars.agent.background import Background, OpenBounded
from encbench.tools.tpcc.consistency import Query, conditions, counts
from encbench.wire import agent as wire

SAMPLE = 3
"""Rows shown from each query that returns any."""


@dataclass
class _Run:
    request: wire.ChecksRequest
    began: float
    checks: list[wire.CheckRows] = field(default_factory=list)
    error: str | None = None
    took: float | None = None

    @property
    def name(self) -> str:
        return self.request["run"]

    @property
    def ended(self) -> bool:
        return self.took is not None

    def describe(self) -> wire.ChecksAnswer:
        return wire.ChecksAnswer(
            run=self.name,
            state="running" if self.took is None else "failed" if self.error else "done",
            checks=list(self.checks),
            error=self.error,
            tookSeconds=self.took,
        )


class CheckRuns:
    """Runs checks, one set at a time."""

    def __init__(self, open_session: OpenBounded, driver: Driver) -> None:
        """Starts with no run."""
        self._open = open_session
        self._driver = driver
        self._runs = Background(self._work, "the checks of {} have not ended")

    def ask(self, request: wire.ChecksRequest) -> wire.ChecksAnswer:
        """The state of the run of that name, begun if there is none. Does not wait.

        Busy while another run is in progress.
        """
        began = time.monotonic()
        return self._runs.begun(request["run"], lambda: _Run(request, began)).describe()

    def _work(self, run: _Run) -> None:
        try:
            for query in self._queries(run.request):
                run.checks.append(self._check(run, query))
        except SqlError as error:
            run.error = str(error)
        except Exception as error:
            run.error = f"the checks ended with {error!r}"
            raise
        finally:
            run.took = round(time.monotonic() - run.began, 3)

    def _queries(self, request: wire.ChecksRequest) -> Sequence[Query]:
        prefix = f"{DATABASE}." if self._driver == "mysql" else ""
        rows = counts(prefix, request["warehouses"]) if request["loaded"] else ()
        return (*rows, *conditions(prefix))

    def _check(self, run: _Run, query: Query) -> wire.CheckRows:
        seconds = run.request["seconds"]
        left = seconds - (time.monotonic() - run.began)
        if left <= 0:
            raise SqlError(f"the checks took longer than {seconds:.0f} s")
        with closing(self._open(left)) as session:
            for statement in _bound(self._driver, left):
                session.rows(statement)
            rows = session.rows(f"{query.sql} LIMIT {SAMPLE}")
        shown = [[str(value) for value in row] for row in rows]
        return wire.CheckRows(name=query.name, meaning=query.meaning, rows=shown)


def _bound(driver: Driver, seconds: float) -> tuple[str, ...]:
    """Statements that make the server give up as well, instead of working on for no caller.

    PostgreSQL's sessions have their bound already. MariaDB runs `/*M!` and ignores `/*!50704`;
    MySQL does the opposite.
    """
    if driver != "mysql":
        return ()
    whole = max(1, int(seconds))
    return (
        f"SET /*M! SESSION max_statement_time = {whole}, */ "
        f"/*!50704 SESSION max_execution_time = {1000 * whole}, */ @encbench_bound = {whole}",
    )
