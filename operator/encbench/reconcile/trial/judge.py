"""Whether a measured trial counts: rules that are fixed beforehand and never look at its TPS."""

from encbench.api.trial import Outcome
from encbench.api.workload import WorkloadSpec
from encbench.reconcile.trial.collect import Collected
from encbench.reconcile.trial.series import WindowMetrics

Judgement = tuple[Outcome, str | None, str | None]
"""Outcome, reason and message; the last two are None for a valid trial."""


def judge(workload: WorkloadSpec, collected: Collected, metrics: WindowMetrics) -> Judgement:
    """Succeeded, or why not; the first rule that fails is the reason."""
    if collected.missing:
        return (
            "Invalid",
            "ArtefactsLost",
            f"a client pod ended before its log was stored: {collected.missing} is not there",
        )
    measurement = collected.measurement
    if measurement is None:
        return "Failed", "OutputUnreadable", collected.problem
    if measurement.transactions == 0:
        return "Invalid", "NoTransactions", "the tool finished no transaction in the window"
    rate = measurement.errors / measurement.transactions
    if rate > workload.max_error_rate:
        return (
            "Invalid",
            "ErrorRate",
            f"{measurement.errors} errors in {measurement.transactions} transactions are more than "
            f"maxErrorRate {workload.max_error_rate:g} allows",
        )
    if not metrics.has_database:
        return (
            "Invalid",
            "SeriesLost",
            "Prometheus has no CPU series of the database in the window: see that it scrapes pods "
            "labelled encbench.io/scrape=true",
        )
    return "Succeeded", None, None
