"""Caveats about a thread's cycle: whose CPU the time of a transaction is.

In a closed loop each thread sends its next transaction when the last one is answered, so that
threads / TPS is the time of one (Little's law). More CPU in it takes TPS by its share of that time,
however many cores are idle: one thread uses no more than one core of a server.
"""

from collections.abc import Iterator, Sequence

from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import plural

CLIENT_SHARE_PERCENT = 50.0
"""Of a transaction's time: what may be the client's CPU before readers should know."""


def closed_loop(facts: Facts) -> list[TrialView]:
    """Counted trials whose threads paused neither for a rate nor to think."""
    free = [g for g in facts.groups if not g.pauses and g.primary != "recovery"]
    return [trial for trial in facts.counted if any(group.has(trial) for group in free)]


def database_shares(trials: Sequence[TrialView]) -> list[float]:
    """CPU of server and proxy, in percent of a transaction's time; of trials that have it."""
    return _shares([(trial, trial.database_side_cpu_ms_per_transaction) for trial in trials])


def busy_threads(facts: Facts) -> Iterator[Caveat]:
    """Threads that hardly wait for the database, though their client has cores to spare."""
    trials = closed_loop(facts)
    shares = _shares([(trial, trial.client_cpu_ms_per_transaction) for trial in trials])
    much = [share for share in shares if share > CLIENT_SHARE_PERCENT]
    if much:
        yield serious(
            title="The client's own work took most of the time",
            text=f"In {len(much)} of {plural(len(shares), 'counted trial')} the client's CPU was "
            f"more than {text.number(CLIENT_SHARE_PERCENT, 0)} % of a transaction's time, "
            f"{text.number(max(much), 0)} % at most. TPS then hides most of what encryption costs "
            "the server: read CPU per transaction, or measure at a higher concurrency.",
        )


def _shares(found: Sequence[tuple[TrialView, float | None]]) -> list[float]:
    """Percent of a transaction's time, from ms of CPU; the database's background work may add."""
    return [
        min(100.0, 100 * (ms / 1000) * trial.tps / trial.concurrency)
        for trial, ms in found
        if ms is not None and trial.tps is not None
    ]
