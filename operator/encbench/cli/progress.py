"""A campaign's progress as one line, and one for each trial under way; pure."""

from datetime import datetime

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, parse_time
from encbench.api.lifecycle import ACCEPTED, COMPLETE, FAILED
from encbench.reconcile.objects import Trial
from encbench.report.words.text import number, rate_digits

BAR = 20


def line(name: str, status: CampaignStatus, now: datetime) -> str:
    """For eyes: bar, counts, what is being done, time left."""
    progress = status.progress
    parts = [name]
    if progress.planned:
        done = progress.succeeded
        filled = round(BAR * done / progress.planned)
        parts.append(f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{progress.planned} trials")
    for count, word in ((progress.invalid, "invalid"), (progress.failed, "failed")):
        if count:
            parts.append(f"{count} {word}")
    parts.append(status.step or status.phase)
    left = time_left(status, now)
    if left:
        parts.append(left)
    return "  ".join(parts)


def trial_line(trial: Trial, tps: float | None, now: datetime) -> str:
    """`  block 3  tde on small  read-write at 4 threads  measuring 7 of 12 s  281.0 TPS`."""
    spec = trial.spec
    parts = [
        f"block {spec.block}",
        f"{spec.arm.name} on {spec.instance_ref}",
        f"{spec.workload_ref} at {spec.concurrency} threads",
        _doing(trial, now),
    ]
    if tps is not None:
        parts.append(f"{number(tps, rate_digits([tps]))} TPS")
    return "  " + "  ".join(parts)


def is_under_load(trial: Trial, now: datetime) -> bool:
    """Whether its clients should be running now, by what was asked of them."""
    released, load = trial.status.release_at, trial.spec.workload.load
    if released is None or trial.status.window is not None:
        return False
    return 0 <= now.timestamp() - released <= load.warmup_seconds + load.duration_seconds


def _doing(trial: Trial, now: datetime) -> str:
    released, load = trial.status.release_at, trial.spec.workload.load
    if released is None or not is_under_load(trial, now):
        return (trial.status.phase or "Pending").lower()
    gone = now.timestamp() - released
    if gone < load.warmup_seconds:
        return f"warming up {gone:.0f} of {load.warmup_seconds:.0f} s"
    return f"measuring {gone - load.warmup_seconds:.0f} of {load.duration_seconds:.0f} s"


def time_left(status: CampaignStatus, now: datetime) -> str:
    """`ETA 2:31 (14:05:12 UTC)`, or nothing while it is not known."""
    if status.estimated_completion_time is None:
        return ""
    end = parse_time(status.estimated_completion_time)
    seconds = max(0, round((end - now).total_seconds()))
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    return f"ETA {clock} ({end:%H:%M:%S} UTC)"


def ending(status: CampaignStatus) -> tuple[bool, str] | None:
    """How the campaign ended: whether well, and why; None while it goes on."""
    for kind, good in ((COMPLETE, True), (FAILED, False)):
        found = find(status.conditions, kind)
        if found is not None and found.status == "True":
            return good, f"{found.reason}: {found.message}"
    return None


def refusal(status: CampaignStatus) -> str:
    """Why the campaign was not accepted; empty when it was or is not decided yet."""
    found = find(status.conditions, ACCEPTED)
    return found.message if found is not None and found.status == "False" else ""
