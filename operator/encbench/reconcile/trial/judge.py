"""Whether a measured trial counts: rules that are fixed beforehand and never look at its TPS."""

from encbench.api.trial import Outcome, TrialSpec
from encbench.reconcile.trial.gathered import Collected, TrialGathered
from encbench.reconcile.trial.series import WindowMetrics

Judgement = tuple[Outcome, str | None, str | None]
"""Outcome, reason and message; the last two are None for a valid trial."""


def judge(
    spec: TrialSpec, gathered: TrialGathered, *, has_agent: bool = True, has_proxy: bool = False
) -> Judgement:
    """Succeeded, or why not; the first rule that fails is the reason.

    Without an agent beside the database the sessions are the only proof, and a series of its CPU is
    not required. With a proxy between the two it must have worked in the window: clients that
    do not come through it measure another mode.

    A restart, a disruption and a failed proof of the server ended the trial before this. What was
    not measured breaks no rule but that of the lost series; the record says that it is missing.
    """
    collected, sessions, metrics = gathered.collected, gathered.clients_proof, gathered.metrics
    if collected.missing:
        return (
            "Invalid",
            "ArtefactsLost",
            f"a client pod ended before its log was stored: {collected.missing} is not there",
        )
    if collected.early:
        return (
            "Invalid",
            "NotUnderLoad",
            f"a client ended by itself {collected.early:.1f} s before the server was stopped",
        )
    measurement = collected.measurement
    if measurement is None:
        return "Failed", "OutputUnreadable", collected.problem
    if sessions is None and not has_agent:
        return "Invalid", "ProofFailed", "the clients did not say what their sessions negotiated"
    if sessions is not None and not sessions.ok:
        return "Invalid", "ProofFailed", sessions.summary
    if measurement.transactions == 0:
        return "Invalid", "NoTransactions", "the tool finished no transaction in the window"
    rate = measurement.errors / measurement.transactions
    limit = spec.workload.max_error_rate
    if rate > limit:
        return (
            "Invalid",
            "ErrorRate",
            f"{measurement.errors} errors in {measurement.transactions} transactions are more than "
            f"maxErrorRate {limit:g} allows",
        )
    if has_agent and not metrics.has_database:
        return (
            "Invalid",
            "SeriesLost",
            "Prometheus has no CPU series of the database in the window: see that it scrapes pods "
            "labelled encbench.io/scrape=true",
        )
    return (
        (_proxy(metrics) if has_proxy else None)
        or _throttled(spec, collected)
        or _foreign(spec, metrics)
        or _not_idle(spec, metrics)
        or ("Succeeded", None, None)
    )


def _proxy(metrics: WindowMetrics) -> Judgement | None:
    if not metrics.has_proxy:
        return (
            "Invalid",
            "SeriesLost",
            "Prometheus has no CPU series of the confidential proxy in the window: see that it "
            "scrapes pods labelled encbench.io/scrape=true",
        )
    if metrics.proxy is not None and metrics.proxy.cores == 0:
        return (
            "Invalid",
            "ProofFailed",
            "the confidential proxy used no CPU in the window: the clients did not come through it",
        )
    return None


def _throttled(spec: TrialSpec, collected: Collected) -> Judgement | None:
    limit, window = spec.limits.client_throttling, collected.window
    if limit >= 1 or window is None:
        return None
    length = window.end - window.start
    for index, client in enumerate(collected.clients):
        seconds = client.throttled_seconds or 0.0
        if seconds > limit * length:
            return (
                "Invalid",
                "ClientThrottled",
                f"client {index} was throttled for {seconds:.1f} s of {length:.0f} s, more than "
                f"limits.clientThrottling {limit:g} allows: give client.resources.cpu more",
            )
    return None


def _foreign(spec: TrialSpec, metrics: WindowMetrics) -> Judgement | None:
    limit = spec.limits.foreign_cpu
    for node in metrics.foreign:
        if limit < 1 and node.fraction > limit:
            return (
                "Invalid",
                "ForeignLoad",
                f"others used {node.fraction:.0%} of node {node.node}'s {node.node_cores:g} cores "
                f"in the window, more than limits.foreignCpu {limit:g} allows",
            )
    return None


def _not_idle(spec: TrialSpec, metrics: WindowMetrics) -> Judgement | None:
    limit, idle = spec.limits.idle_cpu, metrics.idle
    if idle is None or limit >= 1 or idle.cores <= limit * idle.limit_cores:
        return None
    most = max(idle.testbeds, key=lambda name: idle.testbeds[name])
    return (
        "Invalid",
        "NotIdle",
        f"the campaign's other databases used {idle.cores:.3f} cores in the window, most of them "
        f"{most}: more than limits.idleCpu {limit:g} of {idle.limit_cores:g} cores allows",
    )
