"""The intended stop of a recovery workload: what the agent says about it, and what came of it.

docs/design/0006-recovery.md says what is measured. The agent gets its order as soon as every client
has its release; this only looks. Whatever is known at the end is one record, judged here by a pure
function of the agent's account and the new server's log, and stored before it counts.
"""

from encbench.api.conditions import is_true
from encbench.api.lifecycle import DISRUPTED, RECOVERY_FAILED, RELEASED
from encbench.core.records import RecoveryFacts, RecoveryRecord
from encbench.engines.log_words import LogWords
from encbench.engines.registry import engine
from encbench.ports import Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import Stopped
from encbench.wire import agent as wire
from encbench.wire.foreign import printable

RECORD = "recovery.json"
LATE = 2.0
"""Seconds by which the stop may be late: the load before it would be another one."""
SAME = 1.0
"""Seconds by which two tellings of one start may differ."""
LOG_LINES = 20_000
"""Of the server's log that are asked for: a start says fewer, even under many refused sessions."""
KEPT_LINES = 400
SHOWN_LINES = 12


async def look(read: Reads, trial: Trial, testbed: Testbed, database: PodFacts) -> Stopped | None:
    """How the stop is getting on; None before the release.

    Unavailable or Rejected when the agent cannot be asked.
    """
    if trial.spec.workload.recovery is None or not is_true(trial.status.conditions, RELEASED):
        return None
    where, access = await agents.agent(read.cluster, testbed.namespace, testbed.name, database)
    answer = await read.agent.stopped(where, access, trial.uid)
    if answer["state"] not in ("done", "failed"):
        return Stopped(answer["state"])
    words, log = engine(testbed.spec.instance.engine).log_words, None
    if answer["state"] == "done":
        log = await _log(read, testbed, database, words, answer["after"]["processId"])
    return Stopped(answer["state"], judge(answer, log, words, trial.status.server_started))


async def _log(
    read: Reads, testbed: Testbed, database: PodFacts, words: LogWords, number: int
) -> list[str]:
    """The new process' own lines. Unavailable while the kubelet still shows another's."""
    text = await read.cluster.logs(testbed.namespace, database.name, "server", LOG_LINES)
    lines = words.of_process(text, number)
    if lines is None:
        raise Unavailable(f"the server's log does not say yet that process {number} has started")
    return lines


def judge(
    answer: wire.RecoveryAnswer,
    log: list[str] | None,
    words: LogWords,
    server_started: float | None,
) -> RecoveryRecord:
    """What came of the stop, and whether it counts; pure.

    `server_started` is the start of the process that the mode was proven on.
    """
    if answer["state"] != "done" or log is None:
        why = printable(answer.get("error") or "the agent gave no reason")
        return RecoveryRecord(ok=False, reason=RECOVERY_FAILED, message=why, agent=answer)
    told = words.recovering(log)
    known = {field.alias for field in RecoveryFacts.model_fields.values()}
    own = {name: value for name, value in answer.items() if name in known}
    shown = [printable(line) for line in told[:SHOWN_LINES]]
    facts = RecoveryFacts.model_validate({**own, "lines": shown})
    problem = _problem(facts, float(answer["late"]), log, words, server_started)
    reason, message = problem or ("Answered", _summary(facts))
    return RecoveryRecord(
        ok=problem is None,
        reason=reason,
        message=message,
        facts=facts,
        agent=answer,
        log=tuple(log[:KEPT_LINES]),
    )


def _problem(
    facts: RecoveryFacts, late: float, log: list[str], words: LogWords, server_started: float | None
) -> tuple[str, str] | None:
    """The first rule that does not hold, as reason and message."""
    if server_started is not None and abs(facts.before.started_at - server_started) > SAME:
        return DISRUPTED, "the server had restarted before it was stopped on purpose"
    if late > LATE:
        return DISRUPTED, f"the server was stopped {late:.1f} s later than planned"
    if facts.after == facts.before or facts.after.started_at < facts.before.started_at:
        return "NotRestarted", "the process that answered is the one that was to be stopped"
    if facts.stop == "Crash" and not words.has_recovered(log):
        return (
            "NoRecovery",
            "the log of the new server has no line of a recovery from a crash, so nothing was "
            "recovered: see recovery.json, and that the template does not silence the log",
        )
    if facts.stop == "Clean" and words.has_begun(log):
        message = f"the server recovered from a crash after a clean stop: {facts.lines[0]}"
        return "NotClean", message
    return None


def _summary(facts: RecoveryFacts) -> str:
    how = "recovered from the crash and" if facts.stop == "Crash" else "started cleanly and"
    return (
        f"process {facts.after.process_id} took the place of {facts.before.process_id}, {how} "
        f"answered {facts.recovery_seconds:.2f} s after its start"
    )
