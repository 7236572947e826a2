"""A campaign's progress as one line, and one line for each running trial; pure."""

from datetime import datetime

from encbench.api.campaign import Blocks, CampaignStatus
from encbench.api.conditions import find, parse_time
from encbench.api.lifecycle import ACCEPTED, COMPLETE, FAILED
from encbench.api.refusal import Reason
from encbench.core.plan import block_name
from encbench.reconcile.objects import Trial
from encbench.report.words.text import number, rate_digits
from encbench.text.words import plural
from encbench.tools.gathering import gather_seconds
from encbench.tools.turns import load_seconds

BAR = 20


def line(name: str, status: CampaignStatus, now: datetime) -> str:
    """For people: bar, counts, time left, current step. A narrow screen cuts the end."""
    progress = status.progress
    parts = [name]
    if progress.planned:
        done = progress.succeeded
        filled = round(BAR * done / progress.planned)
        parts.append(f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{progress.planned} trials")
    for count, word in ((progress.invalid, "invalid"), (progress.failed, "failed")):
        if count:
            parts.append(f"{count} {word}")
    if status.estimated_completion_time is not None:
        end = parse_time(status.estimated_completion_time)
        left = max(0.0, (end - now).total_seconds())
        parts.append(f"ETA {clock(left)} ({end:%H:%M:%S} UTC)")
    parts.append(status.step or status.phase)
    return "  ".join(parts)


def trial_line(trial: Trial, blocks: Blocks, tps: float | None, now: datetime) -> str:
    """`  block 3  measuring 7 of 12 s  281.0 TPS  tde on small  read-write at 4 threads`."""
    spec = trial.spec
    parts = [f"block {block_name(blocks, spec.block)}", _doing(trial, now)]
    if tps is not None:
        parts.append(f"{number(tps, rate_digits([tps]))} TPS")
    parts.append(f"{spec.arm.name} on {spec.instance_ref}")
    parts.append(f"{spec.workload_ref} at {plural(spec.concurrency, 'thread')}")
    return "  " + "  ".join(parts)


def is_under_load(trial: Trial, now: datetime) -> bool:
    """Whether its clients should be running now, going by its plan."""
    return _under_load_for(trial, now) is not None


def _under_load_for(trial: Trial, now: datetime) -> float | None:
    """Seconds since its clients started; None if they should not be running."""
    released = trial.status.release_at
    if released is None or trial.status.window is not None:
        return None
    gone = now.timestamp() - released
    return gone if 0 <= gone <= load_seconds(trial.spec) else None


def _doing(trial: Trial, now: datetime) -> str:
    gone, warmup = _under_load_for(trial, now), trial.spec.workload.load.warmup_seconds
    if gone is None:
        return (trial.status.phase or "Pending").lower()
    # Several clients connect first, and begin their warm-up together.
    gathering = gather_seconds(trial.spec)
    gone = max(0.0, gone - gathering)
    if gone < warmup:
        return f"warming up {gone:.0f} of {warmup:.0f} s"
    window = load_seconds(trial.spec) - gathering - warmup
    return f"measuring {gone - warmup:.0f} of {window:.0f} s"


def clock(seconds: float) -> str:
    """`2:31` or `1:02:31`."""
    hours, rest = divmod(round(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def ending(status: CampaignStatus) -> tuple[bool, str] | None:
    """How the campaign ended: whether well, and why; None while it runs."""
    for kind, good in ((COMPLETE, True), (FAILED, False)):
        found = find(status.conditions, kind)
        if found is not None and found.status == "True":
            return good, f"{found.reason}: {found.message}"
    return None


def refusal(status: CampaignStatus) -> str:
    """Why the campaign was not accepted; empty if it was, or if that is undecided.

    One that only waits for others of its namespace is accepted when they end.
    """
    found = find(status.conditions, ACCEPTED)
    if found is None or found.status != "False" or found.reason == Reason.NAMESPACE_FULL:
        return ""
    return found.message
