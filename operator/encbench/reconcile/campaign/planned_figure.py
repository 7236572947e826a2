"""The figure of a trial that decides how many blocks its condition gets."""

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
    tps, result, workload = measured(trial), trial.status.result, trial.spec.workload
    paced = workload.paced or offered_tps(workload, trial.spec.concurrency) is not None
    if not paced or workload.recovery is not None or result is None:
        return None
    cores = result.database_cpu_cores
    return (cores + result.extra.get(PROXY_CPU, 0.0)) / tps if tps and cores else None
