"""Caveats about pages that a server changed in a trial and wrote after its window.

InnoDB encrypts a page when it writes it. Each trial begins with the pages of its tables written, so
with a large redo log and a large pool most of the changed pages may still wait at the end of a
short window. The server had time from there until it was asked, and its purge had too, so the
backlog is known roughly.

PostgreSQL writes most changed pages at its checkpoints, and an encrypted volume encrypts them then.
It counts no page that waits, but its settings say when the next checkpoint is due.
"""

from collections.abc import Iterator, Sequence

from encbench.api.workload import READ_ONLY_SCRIPTS, WorkloadSpec
from encbench.engines.postgresql import settings as postgresql
from encbench.report.analysis.caveats.facts import Facts, measured_seconds, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed

LARGE = 0.5
"""Of what the server wrote in its windows, log and binary log included: a larger backlog counts."""
SMALL_MIB = 16.0
"""For each trial: less is what a server changes for itself."""
OBSERVED = 1.0
"""Seconds by which a window may miss its planned length, because its ends are observed."""


def unwritten(facts: Facts) -> Iterator[Caveat]:
    """Arms that encrypt at rest, of whose changed pages many were written after the window."""
    worst: dict[str, tuple[float, str]] = {}
    for group in facts.groups:
        for arm in group.arms if group.primary != "recovery" else ():
            if not facts.resolved.modes[arm.mode_ref].encrypts_at_rest:
                continue
            warmup = facts.resolved.workloads[group.workload].load.warmup_seconds
            own = [t for t in facts.counted if group.has(t) and t.arm == arm.name]
            left, written = _means(own, warmup)
            if left >= SMALL_MIB and left > LARGE * written:
                said = f"{arm.name} {_mib(left)} beside {_mib(written)} ({group.place})"
                share = left / max(written, 1.0)
                worst[arm.name] = max(worst.get(arm.name, (0.0, "")), (share, said))
    if worst:
        yield serious(
            title="Changed pages were written after the window",
            text="Pages that a trial changed were written, and encrypted, after its window. On "
            "average and at most its window left, beside what its server wrote in it: "
            f"{listed([said for _, said in worst.values()])}. No figure has the cost of these "
            "pages, so encryption at rest can look cheaper than it is, unless their number had "
            "stopped growing before the window began. Lengthen load.duration, or write a small "
            "innodb_max_dirty_pages_pct_lwm above 0, such as 1, into settings of the "
            "InstanceTemplate.",
        )


def before_checkpoint(facts: Facts) -> Iterator[Caveat]:
    """Arms with PostgreSQL on an encrypted volume whose windows no checkpoint needs to meet."""
    timeouts, found = _checkpoint_timeouts(facts), dict[str, tuple[float, float]]()
    for group in facts.groups if timeouts else ():
        workload = facts.resolved.workloads[group.workload]
        arms = {arm.name for arm in group.arms if _encrypts_volume(facts, arm.mode_ref)}
        for trial in facts.counted if group.primary != "recovery" else ():
            timeout, window = timeouts.get(trial.uid), trial.window
            if trial.arm not in arms or not group.has(trial) or timeout is None or window is None:
                continue
            loaded = workload.load.warmup_seconds + window.end - window.start
            if loaded < timeout - OBSERVED and _writes(trial, workload):
                known = found.get(trial.arm, (loaded, timeout))
                found[trial.arm] = min(known, (loaded, timeout), key=lambda one: one[0] / one[1])
    if found:
        said = [
            f"{arm} {text.number(loaded, 0)} s with checkpoint_timeout at "
            f"{text.number(timeout, 0)} s"
            for arm, (loaded, timeout) in found.items()
        ]
        yield serious(
            title="PostgreSQL's windows ended before checkpoint_timeout",
            text="PostgreSQL writes most changed pages at a checkpoint, and an encrypted volume "
            "encrypts them then. Each trial begins right after one, and the next begins after "
            "checkpoint_timeout, or when the log reaches max_wal_size. The shortest sums of "
            f"warm-up and window: {listed(said)}. So most pages that a trial changed may have been "
            "encrypted after its window. No figure has the cost of these, so the volume's "
            "encryption can look cheaper than it is. Make load.warmup and load.duration together "
            "several checkpoint_timeout long, or write a shorter checkpoint_timeout into settings "
            "of the InstanceTemplate.",
        )


def _checkpoint_timeouts(facts: Facts) -> dict[str, float]:
    """By trial, where its server is PostgreSQL and says it."""
    ours = facts.on_postgresql
    trials = {trial.uid for trial in facts.counted if trial.instance in ours}
    found = dict[str, float]()
    for source in facts.sources:
        said = source.record.server.settings.get("checkpoint_timeout", "")
        if (seconds := postgresql.parse_seconds(said)) is not None:
            found |= dict.fromkeys(source.trials & trials, seconds)
    return found


def _encrypts_volume(facts: Facts, name: str) -> bool:
    mode = facts.resolved.modes[name]
    return mode.volume is not None and mode.encrypts_at_rest


def _writes(trial: TrialView, workload: WorkloadSpec) -> bool:
    """Whether it changed more than a server changes for itself.

    Its script says it where no figure does, as of a file system that AppArmor hides.
    """
    seconds = measured_seconds(trial)
    written = None if seconds is None else _written_mib(trial, seconds)
    if written is None:
        return workload.sysbench is None or workload.sysbench.script not in READ_ONLY_SCRIPTS
    return written >= SMALL_MIB


def _means(trials: Sequence[TrialView], warmup: float) -> tuple[float, float]:
    """MiB of a trial's window that were left, at most, and that were written in it, if known.

    The backlog grows fastest at first, while each change meets a page that was written. So the
    window adds no more than its share of the time.
    """
    known = [
        (trial.unwritten_mib * seconds / (warmup + seconds), written)
        for trial in trials
        if trial.unwritten_mib is not None
        and (seconds := measured_seconds(trial)) is not None
        and (written := _written_mib(trial, seconds)) is not None
    ]
    count = max(len(known), 1)
    return sum(left for left, _ in known) / count, sum(written for _, written in known) / count


def _written_mib(trial: TrialView, seconds: float) -> float | None:
    """What the server wrote in the window, or in the trial's own slices, to disk or page cache."""
    each = trial.disk_write_kib_per_transaction
    if each is None or trial.tps is None:
        return None
    return each * trial.tps * seconds / 1024


def _mib(amount: float) -> str:
    return f"{text.number(amount, 0)} MiB"
