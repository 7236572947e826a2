"""The figure of a trial that decides how many blocks its condition gets."""

from encbench.api.trial import TrialResult
from encbench.core.figure_names import PROXY_CPU, RECOVERY_SECONDS
from encbench.core.offered import offered_tps
from encbench.reconcile.objects import Trial


def measured(trial: Trial) -> float | None:
    """TPS, or the seconds of a recovery."""
    if trial.status.outcome != "Succeeded" or trial.status.result is None:
        return None
    result = trial.status.result
    if trial.spec.workload.recovery is not None:
        return result.extra.get(RECOVERY_SECONDS)
    return result.tps


def cpu_at_a_rate(trial: Trial) -> float | None:
    """CPU per transaction of server and proxy, where a fixed rate or think times decide TPS.

    The report judges by the same figure then. A proxy whose figure is not known counts as none:
    such a trial lies apart from the others, which can only plan more blocks.
    """
    tps, result = measured(trial), _at_a_rate(trial)
    if result is None:
        return None
    cores = result.database_cpu_cores
    return (cores + result.extra.get(PROXY_CPU, 0.0)) / tps if tps and cores else None


def latency_at_a_rate(trial: Trial) -> float | None:
    """Average latency in milliseconds, where a fixed rate or think times decide TPS.

    The report judges by it where CPU is not known, such as that of an external database: TPS is
    about the same in every trial then, and hardly scatters.
    """
    result = _at_a_rate(trial)
    return result.latency_average_ms or None if result is not None and measured(trial) else None


def _at_a_rate(trial: Trial) -> TrialResult | None:
    """What was measured, unless TPS or a recovery is what counts."""
    workload = trial.spec.workload
    paced = workload.paced or offered_tps(workload, trial.spec.concurrency) is not None
    return trial.status.result if paced and workload.recovery is None else None
