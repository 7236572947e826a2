"""A campaign's progress as one line; pure."""

from datetime import datetime

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, parse_time

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
    for kind, good in (("Complete", True), ("Failed", False)):
        found = find(status.conditions, kind)
        if found is not None and found.status == "True":
            return good, f"{found.reason}: {found.message}"
    return None


def refusal(status: CampaignStatus) -> str:
    """Why the campaign was not accepted; empty when it was or is not decided yet."""
    found = find(status.conditions, "Accepted")
    return found.message if found is not None and found.status == "False" else ""
